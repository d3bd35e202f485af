pub fn gather(x: &Tensor[N, C], i: &Tensor<i64>[N, K]) -> Tensor[N, K] { x[N, i] }
