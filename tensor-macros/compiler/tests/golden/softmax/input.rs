pub fn softmax(x: &Tensor[.., C]) -> Tensor[.., C] { let e = exp(x - max[C](x)); e / sum[C](e) }
