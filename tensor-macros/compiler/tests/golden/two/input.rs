pub fn two(x: &Tensor[.., C], r: &Tensor[.., C], gamma: &Tensor[C], eps: float) -> (Tensor[.., C], Tensor[.., C]) {
    let h = x + r;
    (h, h * rsqrt(mean[C](h * h) + eps) * gamma)
}
