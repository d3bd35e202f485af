pub fn layer_norm(x: &Tensor[.., C], gamma: &Tensor[C], beta: &Tensor[C], eps: float) -> Tensor[.., C] {
    let d = x - mean[C](x);
    d * rsqrt(mean[C](d * d) + eps) * gamma + beta
}
