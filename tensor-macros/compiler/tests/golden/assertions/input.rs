/// The root mean square of each row of positive numbers.
fn positive_rms(x: &Tensor[.., C]) -> Tensor[..] {
    assert!(x > 0.0, "x is positive");
    let s = mean[C](x * x);
    assert!(s < 1e6, "the rows are small");
    sqrt(s)
}
