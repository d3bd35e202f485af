pub fn conv1d(x: &Tensor[N, C, L], k: &Tensor[O, C, W], stride: usize, pad: usize) -> Tensor[N, O, P = (L + 2 * pad - W) / stride + 1] {
    sum[C, W](pad_with(x[N, C, P * stride + W - pad], 0.0) * k)
}
