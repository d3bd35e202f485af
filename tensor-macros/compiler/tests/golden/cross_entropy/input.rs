pub fn cross_entropy(logits: &Tensor[N, C], target: &Tensor<i64>[N]) -> Tensor[] {
    let m = max[C](logits);
    mean[N](m + ln(sum[C](exp(logits - m))) - logits[N, target])
}
