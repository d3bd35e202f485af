pub fn pairwise_sq(x: &Tensor[N, D], y: &Tensor[M, D]) -> Tensor[N, M] { let d = x - y; sum[D](d * d) }
