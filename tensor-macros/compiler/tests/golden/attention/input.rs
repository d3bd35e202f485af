pub fn attention(q: &Tensor[B, T, K], k: &Tensor[B, S, K], v: &Tensor[B, S, V]) -> Tensor[B, T, V] {
    let scores = if S <= T { sum[K](q * k) / sqrt(size(K)) } else { -inf };
    let e = exp(scores - max[S](scores));
    sum[S](e / sum[S](e) * v)
}
