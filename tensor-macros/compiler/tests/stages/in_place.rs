//! Which edits in place are legal, where the others are refused, and which donated parameters become such edits.

use tensor_rt_compiler::schedule::ConflictReason;

use crate::corpus::{compile, try_compile};

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

#[test]
fn donations_are_legal_edits() {
    // Each with the donations as (parameter, output).
    for (source, expected) in [
        ("fn k(x: Tensor[N]) -> Tensor[N] { 2 * x }", &[(0, 0)][..]),
        ("fn k(x: Tensor[.., C]) -> Tensor[.., C] { let e = exp(x - max[C](x)); e / sum[C](e) }", &[(0, 0)]),
        ("fn k(x: Tensor[N, C]) -> Tensor[N, C] { x - mean[N](x) }", &[(0, 0)]),
        ("fn k(x: Tensor[N, C]) -> Tensor[N] { sum[C](x) }", &[]),
        ("fn k(s: Tensor[N], x: &Tensor[N, C]) -> Tensor[N] { sum[C](s * x) + s }", &[(0, 0)]),
        ("fn k(x: Tensor[N, M], a: &Tensor[N, K], b: &Tensor[K, M]) -> Tensor[N, M] { x + sum[K](a * b) }", &[(0, 0)]),
        (
            "fn k(x: Tensor[N], y: Tensor[N]) -> (Tensor[N], Tensor[N]) { (x + y, x - y) }",
            &[(0, 0), (0, 1), (1, 0), (1, 1)],
        ),
        // A reference donates nothing.
        ("fn k(x: &Tensor[N]) -> Tensor[N] { 2 * x }", &[]),
        // Another element, or other axes, though their sizes may be equal.
        ("fn k(x: Tensor<f32>[N]) -> Tensor<f64>[N] { x as f64 }", &[]),
        ("fn k(x: Tensor[N, M]) -> Tensor[M, N] { x }", &[]),
        ("fn k(x: Tensor[N, K], w: &Tensor[K, M = K]) -> Tensor[N, M] { sum[K](x * w) }", &[]),
        // Reads of other elements.
        ("fn k(x: Tensor[C]) -> Tensor[C] { if C > 0 { x[C - 1] } else { 0.0 } }", &[]),
        ("fn k(x: Tensor[N, M = N]) -> Tensor[N, M] { x + x[M, N] }", &[]),
        ("fn k(x: Tensor[N], i: &Tensor<i64>[N]) -> Tensor[N] { x[i] }", &[]),
        // The old value is read again for other elements of a result.
        ("fn k(b: Tensor[C], x: &Tensor[N, C]) -> (Tensor[C], Tensor[N, C]) { (2 * b, x + b) }", &[]),
    ] {
        let compiled = compile(source);
        let found: Vec<(u32, u32)> =
            compiled.forward_schedule.donations.iter().map(|donation| (donation.param, donation.output)).collect();
        assert_eq!(found, expected, "{source}");
    }
}
