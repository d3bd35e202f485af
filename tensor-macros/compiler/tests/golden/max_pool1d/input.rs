pub fn max_pool1d(x: &Tensor[N, C, L], window: usize, stride: usize) -> Tensor[N, C, P = (L - window) / stride + 1] {
    max[W = window](x[N, C, P * stride + W])
}
