pub fn batch_norm(x: &Tensor[N, C, H, W], gamma: &Tensor[C], beta: &Tensor[C], eps: float)
    -> Tensor[N, C, H, W] {
    let d = x - mean[N, H, W](x);
    d * rsqrt(mean[N, H, W](d * d) + eps) * gamma + beta
}
