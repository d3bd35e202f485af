//! Which edits in place are legal, and where the others are refused.

use tensor_rt_compiler::schedule::ConflictReason;

use crate::corpus::try_compile;

#[test]
fn legal_edits() {
    for source in [
        "fn k(y: &mut Tensor[N], x: &Tensor[N], a: float) { y += a * x; }",
        "fn k(x: &mut Tensor[N, C]) { let e = exp(x - max[C](x)); x = e / sum[C](e); }",
        "fn k(x: &mut Tensor[N, C]) { x = x - mean[N, C](x); }",
        "fn k(x: &mut Tensor[N, C]) { x = x - mean[N](x); }",
        "fn k(w: &mut Tensor[K, M], g: &Tensor[N, M], x: &Tensor[N, K]) { w -= sum[N](g * x); }",
        "fn k(a: &mut Tensor[N], b: &mut Tensor[N]) { let old = a; a = b; b = old; }",
        "fn k(b: &mut Tensor[C], x: &Tensor[N, C]) -> Tensor[N, C] { b = b + 1.0; x * 2.0 }",
        "fn k(p: &mut Tensor[N], q: &mut Tensor[N, C]) { let old = p; p = sum[C](q); q = q * old; }",
        "fn k(s: &mut Tensor[N], x: &Tensor[N, C]) { s = sum[C](x * s) + s; }",
    ] {
        assert!(try_compile(source).is_ok(), "{source}");
    }
}

#[test]
fn illegal_edits() {
    for (source, reason) in [
        ("fn k(x: &mut Tensor[C]) { x = if C > 0 { x[C - 1] } else { 0.0 }; }", ConflictReason::OtherElement),
        ("fn k(x: &mut Tensor[N, C = N]) { x = x[C, N]; }", ConflictReason::OtherElement),
        (
            "fn k(w: &mut Tensor[M, N = M], b: &Tensor[K, L]) { w = sum[K](w[M, K] * b[K, N]); }",
            ConflictReason::OtherElement,
        ),
        ("fn k(p: &mut Tensor[V], i: &Tensor<i64>[V]) { p[i] += p; }", ConflictReason::OtherElement),
        (
            "fn k(a: &mut Tensor[N], b: &mut Tensor[N, M]) { let old = a; a = a + b[N, 0]; b = b * old; }",
            ConflictReason::Cycle,
        ),
    ] {
        let conflicts = try_compile(source).map(|_| ()).expect_err(source);
        assert_eq!(conflicts[0].reason, reason, "{source}");
    }
}
