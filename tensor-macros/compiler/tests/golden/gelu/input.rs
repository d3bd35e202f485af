pub fn gelu(x: &Tensor[..]) -> Tensor[..] {
    0.5 * x * (1.0 + tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)))
}
