//! Every operation, reduction and kind of access, against finite differences.

use super::differences::Case;

/// A kernel of one function of one operand.
fn of_one(function: &str) -> Case {
    Case::new(&format!("fn kernel(x: &Tensor[N]) -> Tensor[N] {{ {function} }}"))
}

/// A kernel of one function of two operands.
fn of_two(function: &str) -> Case {
    Case::new(&format!("fn kernel(x: &Tensor[N, C], y: &Tensor[C]) -> Tensor[N, C] {{ {function} }}"))
}

/// All cases.
pub(super) fn cases() -> Vec<Case> {
    let mut cases = vec![];
    for function in ["-x", "exp(x)", "exp2(x)", "expm1(x)", "cbrt(x)", "sin(x)", "cos(x)", "atan(x)", "sinh(x)"] {
        cases.push(of_one(function));
    }
    for function in ["cosh(x)", "tanh(x)", "sigmoid(x)", "softplus(x)", "erf(x)", "erfc(x)", "abs(x)", "relu(x)"] {
        cases.push(of_one(function));
    }
    for function in ["ln(x)", "log2(x)", "log10(x)", "log1p(x)", "sqrt(x)", "rsqrt(x)", "recip(x)"] {
        cases.push(of_one(function).range(0.3, 3.0));
    }
    for function in ["asin(x)", "acos(x)", "tan(x)", "log1p(x)"] {
        cases.push(of_one(function).range(-0.9, 0.9));
    }
    for function in ["x * fract(x)", "x + floor(x)", "x * ceil(x)", "x * round(x)", "x * trunc(x)", "x * sign(x)"] {
        cases.push(of_one(function));
    }
    for function in ["x * powi(x, 0)", "powi(x, 1)", "powi(x, 2)", "powi(x, 3)", "powi(x, 9)"] {
        cases.push(of_one(function));
    }
    for function in ["powi(x, -2)", "x * powf(x, 0.0)", "powf(x, 1.0)", "powf(x, 2.0)", "powf(x, 2.5)", "powf(x, -1.0)"]
    {
        cases.push(of_one(function).range(0.3, 3.0));
    }
    for function in ["x + y", "x - y", "x * y", "max(x, y)", "min(x, y)", "atan2(x, y)", "fma(x, y, x * x)"] {
        cases.push(of_two(function));
    }
    for function in ["x / y", "powf(x, y)", "xlogy(x, y)", "x % y", "atan2(x, y)", "clamp(x, 0.5, 1.5) * y"] {
        cases.push(of_two(function).range(0.3, 3.0));
    }
    for function in [
        "if x > y { x * x } else { exp(y) }",
        "if x > y { 2.0 * x } else { 3.0 * x }",
        "select(x > y && y > 0.0, x * y, x)",
        "if x > 0.0 { if y > 0.0 { x * y } else { x } } else { 0.0 }",
        "(x as f64 * 2.0) as float + y",
        "x * (C as float) + y / (size(C) as float)",
    ] {
        cases.push(of_two(function));
    }
    for body in [
        "sum[C](x * y)",
        "sum[C](x) * sum[C](y)",
        "mean[C](x * x) + mean[C](y)",
        "max[C](x * y)",
        "min[C](exp(x) + y)",
        "max[C](x) * min[C](x)",
        "prod[C](x)",
        "prod[C](x + y)",
        "logsumexp[C](x * y)",
        "var[C](x + y)",
        "sum[C](exp(x - max[C](x)))",
        "sum[C](if x > y { x * x } else { 0.0 })",
        "sum[C](if C <= N { x * y } else { 0.0 })",
        "sum[C](x * (y + sum[C](x * y)))",
    ] {
        let source = format!("fn kernel(x: &Tensor[N, C], y: &Tensor[C]) -> Tensor[N] {{ {body} }}");
        cases.push(Case::new(&source).sizes(&[1, 2, 3]));
        cases.push(Case::new(&source));
    }
    for source in [
        "fn powers(x: &Tensor[N], n: i64) -> Tensor[N] { powi(x, n) }",
        "fn total(x: &Tensor[N], y: &Tensor[C]) -> Tensor[] { sum[N, C](2.0 * x + y) }",
        "fn means(x: &Tensor[N, C]) -> Tensor[] { mean[N, C](x * x) }",
        "fn rest(x: &Tensor[.., C], y: &Tensor[..]) -> Tensor[C] { sum[..](x * y) }",
        "fn softmax(x: &Tensor[.., C]) -> Tensor[.., C] { let e = exp(x - max[C](x)); e / sum[C](e) }",
        "fn softmax(x: &Tensor[N, C]) -> Tensor[N, C] { let e = exp(x - max[N](x)); e * recip(sum[N](e)) }",
        "fn log_softmax(x: &Tensor[N, C]) -> Tensor[N, C] { let d = x - max[C](x); d - ln(sum[C](exp(d))) }",
        "fn layer_norm(x: &Tensor[.., C], gamma: &Tensor[C], beta: &Tensor[C]) -> Tensor[.., C] {
            let d = x - mean[C](x);
            d * rsqrt(mean[C](d * d) + 0.1) * gamma + beta
        }",
        "fn rms_norm(x: &Tensor[.., C], gamma: &Tensor[C]) -> Tensor[.., C] {
            x * rsqrt(mean[C](x * x) + 0.1) * gamma
        }",
        "fn add_rms_norm(x: &Tensor[.., C], r: &Tensor[.., C], gamma: &Tensor[C]) -> (Tensor[.., C], Tensor[.., C]) {
            let h = x + r;
            (h, h * rsqrt(mean[C](h * h) + 0.1) * gamma)
        }",
        "fn group_norm(x: &Tensor[N, G, C, L], gamma: &Tensor[G, C], beta: &Tensor[G, C]) -> Tensor[N, G, C, L] {
            let d = x - mean[C, L](x);
            d * rsqrt(mean[C, L](d * d) + 0.1) * gamma + beta
        }",
        "fn batch_norm(x: &Tensor[N, C, H], gamma: &Tensor[C], beta: &Tensor[C]) -> Tensor[N, C, H] {
            let d = x - mean[N, H](x);
            d / sqrt(mean[N, H](d * d) + 0.1) * gamma + beta
        }",
        "fn linear(x: &Tensor[.., I], w: &Tensor[O, I], b: &Tensor[O]) -> Tensor[.., O] { sum[I](x * w) + b }",
        "fn gelu_linear(x: &Tensor[N, I], w: &Tensor[O, I], b: &Tensor[O]) -> Tensor[N, O] {
            let z = sum[I](x * w) + b;
            0.5 * z * (1.0 + tanh(0.7978845608028654 * (z + 0.044715 * z * z * z)))
        }",
        "fn scaled(a: &Tensor[M, K], b: &Tensor[K, N], s: &Tensor[N]) -> Tensor[M, N] { sum[K](a * b / s) }",
        "fn gram(x: &Tensor[N, K]) -> Tensor[N, M = N] { sum[K](x[N, K] * x[M, K]) }",
        "fn gram_of_rows(x: &Tensor[N, K]) -> Tensor[N, M = N] {
            let y = x / sum[K](x * x);
            sum[K](y * x[M, K])
        }",
        "fn normal_gram(x: &Tensor[N, K]) -> Tensor[N, M = N] {
            let r = rsqrt(sum[K](x[N, K] * x[N, K]) + 1.0) * rsqrt(sum[K](x[M, K] * x[M, K]) + 1.0);
            sum[K](x[N, K] * x[M, K]) * r
        }",
        "fn distances(x: &Tensor[N, K], y: &Tensor[M, K]) -> Tensor[N, M] {
            let d = sum[K]((x - y) * (x - y));
            sqrt(d + 1.0)
        }",
        "fn attention(q: &Tensor[B, T, K], k: &Tensor[B, S, K], v: &Tensor[B, S, V]) -> Tensor[B, T, V] {
            let scores = if S <= T { sum[K](q * k) / sqrt(size(K)) } else { -inf };
            let e = exp(scores - max[S](scores));
            sum[S](e / sum[S](e) * v)
        }",
        "fn attention_bias(q: &Tensor[H, T, K], k: &Tensor[H, S, K], v: &Tensor[H, S, V], slope: &Tensor[H]) -> Tensor[H, T, V] {
            let scores = sum[K](q * k) + slope * (S - T);
            let e = exp(scores - max[S](scores));
            sum[S](e / sum[S](e) * v)
        }",
        "fn weighted(u: &Tensor[M], a: &Tensor[M, K], b: &Tensor[K, N]) -> Tensor[] { sum[M, N](u * sum[K](a * b)) }",
        "fn bilinear(x: &Tensor[N, I], w: &Tensor[O, I, J], y: &Tensor[N, J]) -> Tensor[N, O] { sum[I, J](x * w * y) }",
        "fn chain(q: &Tensor[T, K], k: &Tensor[S, K], v: &Tensor[S, V]) -> Tensor[T, V] { sum[K, S](q * k * v) }",
        "fn swapped(x: &Tensor[I, J = I]) -> Tensor[I, J] { x[I, J] + 2.0 * x[J, I] * x[I, J] }",
        "fn diagonal(x: &Tensor[N, M = N]) -> Tensor[N] { x[N, N] * sum[M](x) }",
        "fn kurtosis(x: &Tensor[N, C]) -> Tensor[N] {
            let d = x - mean[C](x);
            let v = mean[C](d * d);
            mean[C](d * d * d * d) / (v * v + 0.5)
        }",
        "fn twice(x: &Tensor[N, C]) -> Tensor[N, C] {
            let e = exp(x - max[C](x));
            let y = e / sum[C](e);
            let f = exp(y - max[N](y));
            f / sum[N](f)
        }",
        "fn cosine(x: &Tensor[N, C], y: &Tensor[N, C]) -> Tensor[N] {
            sum[C](x * y) * rsqrt(sum[C](x * x) + 0.1) * rsqrt(sum[C](y * y) + 0.1)
        }",
        "fn chained(x: &Tensor[N], y: &Tensor[N]) -> Tensor[N] {
            let a = x * y;
            let b = tanh(a + x);
            let c = b * a - y;
            let d = sigmoid(c) * b;
            let e = d * d + c;
            sin(e) * d + a
        }",
        "fn divisor_twice(x: &Tensor[N]) -> Tensor[N] { exp(x) / sqrt(1.5 + sin(x / (2.0 + x * x))) }",
        "fn both(x: &Tensor[N, C], y: &Tensor[N]) -> (Tensor[N, C], Tensor[N]) { (x * y, sum[C](x) + y) }",
        "fn halves(x: &Tensor<f64>[N], y: &Tensor<f32>[N]) -> Tensor<f64>[N] { x * (y * y) as f64 }",
        "fn first(x: &Tensor[N, C]) -> Tensor[C] { x[0, C] * sum[N](x) }",
        "fn previous(x: &Tensor[N, K], w: &Tensor[O, K]) -> Tensor[N, O] {
            if N >= 1 { tanh(sum[K](x[N - 1, K] * w)) } else { 0.0 }
        }",
        "fn shifted(x: &Tensor[N]) -> Tensor[N] { if N >= 1 { x[N - 1] * x } else { x } }",
    ] {
        let case = Case::new(source).scalars(&[3]);
        cases.push(case.clone().sizes(&[1, 2, 3]));
        cases.push(case);
    }
    for source in [
        "fn embedding(table: &Tensor[V, C], ids: &Tensor<i64>[..]) -> Tensor[.., C] { table[ids, C] * table[ids, C] }",
        "fn both(table: &Tensor[V, C], ids: &Tensor<i64>[N]) -> Tensor[N, C] { table[ids, C] * sum[V](table) }",
        "fn picked(x: &Tensor[N, V], ids: &Tensor<i64>[N, K]) -> Tensor[N, K] { x[N, ids] * x[N, ids] }",
        "fn cross_entropy(logits: &Tensor[N, V], target: &Tensor<i64>[N]) -> Tensor[] {
            let m = max[V](logits);
            mean[N](m + ln(sum[V](exp(logits - m))) - logits[N, target])
        }",
        "fn segments(x: &Tensor[N, C], ids: &Tensor<i64>[N], like: &Tensor[V]) -> Tensor[V, C] {
            sum[N](if ids == V { x } else { 0.0 }) * like
        }",
        "fn before(table: &Tensor[V, K], ids: &Tensor<i64>[N], w: &Tensor[O, K]) -> Tensor[N, O] {
            if ids >= 1 { tanh(sum[K](table[ids - 1, K] * w)) } else { 0.0 }
        }",
        "fn distances_to_segments(x: &Tensor[N, C], ids: &Tensor<i64>[N], like: &Tensor[V, C]) -> Tensor[V, C] {
            tanh(sum[N](if V == ids { sin(x) } else { 0.0 }) * sum[C](like * like))
        }",
    ] {
        cases.push(Case::new(source).below("V").sizes(&[1, 2, 3]));
        cases.push(Case::new(source).below("V"));
    }
    for source in [
        "fn max_pool(x: &Tensor[N, L], window: usize, stride: usize) -> Tensor[N, P = (L - window) / stride + 1] {
            max[W = window](x[N, P * stride + W])
        }",
        "fn avg_pool(x: &Tensor[N, L], window: usize, stride: usize) -> Tensor[N, P = (L - window) / stride + 1] {
            mean[W = window](x[N, P * stride + W] * x[N, P * stride + W])
        }",
        "fn conv(x: &Tensor[C, L], k: &Tensor[O, C, 2], stride: usize) -> Tensor[O, P = (L - 2) / stride + 1] {
            sum[C, W = 2](x[C, P * stride + W] * k[O, C, W])
        }",
        "fn dilated(x: &Tensor[L], k: &Tensor[W], dil: usize, stride: usize) -> Tensor[P = size(L)] {
            tanh(sum[W](pad_with(x[P * stride + W * dil - 2], 0.5) * k))
        }",
        "fn sharp_pool(x: &Tensor[L], window: usize, stride: usize) -> Tensor[P = (L - window) / stride + 1] {
            let m = max[W = window](exp(x[P * stride + W]));
            m * m
        }",
        "fn local_softmax(x: &Tensor[N, L], window: usize) -> Tensor[N, P = L - window + 1, W = window] {
            let e = exp(x[N, P + W] - max[W](x[N, P + W]));
            e / sum[W](e)
        }",
        "fn attended(x: &Tensor[L], v: &Tensor[L], window: usize) -> Tensor[P = L - window + 1] {
            sum[W = window](exp(x[P + window / 2] * x[P + W]) * v[P + W])
                / sum[W = window](exp(x[P + window / 2] * x[P + W]))
        }",
        "fn second(x: &Tensor[L]) -> Tensor[L] {
            pad_with(x[L - 1], 0.0) * pad_with(x[L + 1], x) - 2.0 * x * x
        }",
        "fn hankel(x: &Tensor[L], n: usize) -> Tensor[N = n - 1, M = n - 1] { x[N + M] * x[size(L) - 1 - N] }",
        "fn skewed(x: &Tensor[L, M]) -> Tensor[P = size(M), Q = size(L)] { pad_with(x[P + Q, P - Q], 0.25) * x[Q, P] }",
        "fn twice(x: &Tensor[L, M], n: usize) -> Tensor[P = size(L), Q = size(M)] { pad_with(x[2 * P + Q, 2 * P + Q], 1.0) * x[P, Q] }",
        "fn backwards(x: &Tensor[L], stride: usize) -> Tensor[P = size(L)] { pad_with(x[4 - P * stride], 1.0) * x[P] }",
        "fn fixed(x: &Tensor[L]) -> Tensor[L] { x[1] * x[0] * x }",
        "fn halved(x: &Tensor[L], n: usize) -> Tensor[P = 2 * L] { x[P / 2] * x[P / 2] }",
    ] {
        cases.push(Case::new(source).sizes(&[3, 4, 6]).scalars(&[3, 2]));
    }
    cases
}

#[test]
fn gradients_agree_with_finite_differences() {
    let failures: Vec<String> = cases().iter().filter_map(|case| case.check().err()).collect();
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
}
