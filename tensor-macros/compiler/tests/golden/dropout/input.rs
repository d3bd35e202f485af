/// Each element is dropped with probability `p`.
fn dropout(x: &Tensor[.., C], p: float, seed: u64) -> Tensor[.., C] {
    if uniform(seed) >= p { x / (1.0 - p) } else { 0.0 }
}
