pub fn causal_scores(q: &Tensor[B, T, K], k: &Tensor[B, S, K]) -> Tensor[B, T, S] {
    if S <= T { sum[K](q * k) / sqrt(size(K)) } else { -inf }
}
