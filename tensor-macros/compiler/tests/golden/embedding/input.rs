pub fn embedding(table: &Tensor[V, C], ids: &Tensor<i64>[..]) -> Tensor[.., C] { table[ids, C] }
