pub fn linear_gelu(x: &Tensor[.., I], w: &Tensor[O, I], b: &Tensor[O]) -> Tensor[.., O] {
    let z = sum[I](x * w) + b;
    0.5 * z * (1.0 + tanh(0.79788 * (z + 0.044715 * z * z * z)))
}
