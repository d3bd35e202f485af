//! Kernels whose schedules are tested, and how they are compiled.

use tensor_rt_compiler::errors::Errors;
use tensor_rt_compiler::ir::{Backward, Kernel, Target};
use tensor_rt_compiler::schedule::{self, Conflict, Schedule, traversals};
use tensor_rt_compiler::{check, diff, syntax};

/// Kernels, passes over the data, and temps.
pub type Counts = (usize, usize, usize);

/// A kernel and its counts, forward and backward.
pub struct Case {
    pub source: &'static str,
    pub forward: Counts,
    pub backward: Option<Counts>,
}

/// A compiled kernel.
pub struct Compiled {
    pub kernel: Kernel,
    pub backward: Option<Backward>,
    pub forward_schedule: Schedule,
    pub backward_schedule: Option<Schedule>,
}

/// Runs all stages on the one function of `source`.
pub fn try_compile(source: &str) -> Result<Compiled, Vec<Conflict>> {
    let mut errors = Errors::new();
    let items = syntax::parse(source.parse().expect("tokens"), &mut errors);
    let mut functions = vec![];
    let mut helpers = vec![];
    for item in items {
        match item {
            syntax::ast::Item::Function(function) => functions.push(function),
            syntax::ast::Item::Helper(helper) => helpers.push(helper),
        }
    }
    let checked = check::kernel(&functions[0], &helpers, &mut errors);
    let messages: Vec<String> = errors.iter().map(ToString::to_string).collect();
    assert!(messages.is_empty(), "{source}\n{}", messages.join("\n"));
    let mut kernel = checked.expect("a kernel without errors").kernel;
    kernel.graph.verify();
    let backward = diff::backward(&mut kernel);
    kernel.graph.verify();
    let saved = backward.as_ref().map_or(&[][..], |backward| &backward.saved);
    let forward_schedule = schedule::forward(&mut kernel, saved)?;
    let backward_schedule = backward.as_ref().map(|backward| schedule::backward(&mut kernel, backward));
    kernel.graph.verify();
    let mut targets: Vec<Target> = kernel.roots.iter().map(|root| root.target).collect();
    let residuals = (0..).zip(saved).filter(|(_, residual)| residual.is_written(&kernel.outputs));
    targets.extend(residuals.map(|(position, _)| Target::Saved(position)));
    targets.extend(kernel.assertion_roots().map(|root| root.target));
    forward_schedule.verify(&kernel.graph, &targets);
    if let (Some(backward), Some(schedule)) = (&backward, &backward_schedule) {
        let targets: Vec<Target> = backward.roots.iter().map(|root| root.target).collect();
        schedule.verify(&kernel.graph, &targets);
    }
    Ok(Compiled { kernel, backward, forward_schedule, backward_schedule })
}

/// As [`try_compile`], for legal kernels.
pub fn compile(source: &str) -> Compiled {
    try_compile(source).unwrap_or_else(|conflicts| panic!("{source}\n{conflicts:?}"))
}

/// The counts of a schedule.
pub fn counts(kernel: &Kernel, schedule: &Schedule) -> Counts {
    let passes = schedule.kernels.iter().map(|each| traversals(&kernel.graph, each)).sum();
    (schedule.kernels.len(), passes, schedule.temps.len())
}

const fn case(source: &'static str, forward: Counts, backward: Counts) -> Case {
    Case { source, forward, backward: Some(backward) }
}

const fn forward_only(source: &'static str, forward: Counts) -> Case {
    Case { source, forward, backward: None }
}

/// The table of COMPILER.md section 1 for what the language has so far. A comment says where the target differs.
pub const CASES: &[Case] = &[
    case(
        "fn gelu(x: &Tensor[..]) -> Tensor[..] {
            0.5 * x * (1.0 + tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)))
        }",
        (1, 1, 0),
        (1, 1, 0),
    ),
    case("fn softplus_(x: &Tensor[..]) -> Tensor[..] { softplus(x) }", (1, 1, 0), (1, 1, 0)),
    case("fn power(x: &Tensor[N], y: &Tensor[N]) -> Tensor[N] { powf(x, y) }", (1, 1, 0), (1, 1, 0)),
    case("fn maximum(x: &Tensor[N], y: &Tensor[N]) -> Tensor[N] { max(x, y) }", (1, 1, 0), (1, 1, 0)),
    case("fn root(x: &Tensor[N]) -> Tensor[N] { if x > 0.0 { sqrt(x) } else { 0.0 } }", (1, 1, 0), (1, 1, 0)),
    case("fn sinc(x: &Tensor[N]) -> Tensor[N] { if x != 0.0 { sin(x) / x } else { 1.0 } }", (1, 1, 0), (1, 1, 0)),
    case(
        "fn dropout(x: &Tensor[..], p: float, seed: u64) -> Tensor[..] {
            if uniform(seed) >= p { x / (1.0 - p) } else { 0.0 }
        }",
        (1, 1, 0),
        (1, 1, 0),
    ),
    // An assertion is checked where its operands are read anyway.
    case(
        "fn logarithms(x: &Tensor[.., C]) -> Tensor[..] {
            assert!(x > 0.0, \"logarithms of positive numbers\");
            sum[C](ln(x))
        }",
        (1, 1, 0),
        (1, 1, 0),
    ),
    case("fn diag(x: &Tensor[N, M]) -> Tensor[N] { x[N, N] }", (1, 1, 0), (1, 1, 0)),
    case(
        "fn chain(x: &Tensor[N]) -> Tensor[N] {
            let a = sin(x) * x;
            let b = exp(a) + tanh(a);
            let c = b * b * a + cos(b);
            sqrt(c * c + 1.0) * a
        }",
        (1, 1, 0),
        (1, 1, 0),
    ),
    forward_only("fn axpy(y: &mut Tensor[N], x: &Tensor[N], a: float) { y += a * x; }", (1, 1, 0)),
    case(
        "fn softmax(x: &Tensor[.., C]) -> Tensor[.., C] { let e = exp(x - max[C](x)); e / sum[C](e) }",
        (1, 3, 0),
        (1, 2, 0),
    ),
    case(
        "fn softmax_1(x: &Tensor[N, C, H]) -> Tensor[N, C, H] { let e = exp(x - max[C](x)); e / sum[C](e) }",
        (1, 3, 0),
        (1, 2, 0),
    ),
    case(
        "fn log_softmax(x: &Tensor[N, C]) -> Tensor[N, C] { let d = x - max[C](x); d - ln(sum[C](exp(d))) }",
        (1, 3, 0),
        (1, 2, 0),
    ),
    case(
        "fn layer_norm(x: &Tensor[.., C], gamma: &Tensor[C], beta: &Tensor[C], eps: float) -> Tensor[.., C] {
            let d = x - mean[C](x);
            d * rsqrt(mean[C](d * d) + eps) * gamma + beta
        }",
        (1, 3, 0),
        (2, 3, 0),
    ),
    case(
        "fn rms_norm(x: &Tensor[.., C], gamma: &Tensor[C], eps: float) -> Tensor[.., C] {
            x * rsqrt(mean[C](x * x) + eps) * gamma
        }",
        (1, 2, 0),
        (2, 3, 0),
    ),
    case(
        "fn linear(x: &Tensor[.., I], w: &Tensor[O, I], b: &Tensor[O]) -> Tensor[.., O] { sum[I](x * w) + b }",
        (1, 1, 0),
        (3, 3, 0),
    ),
    case(
        "fn linear_gelu(x: &Tensor[.., I], w: &Tensor[O, I], b: &Tensor[O]) -> Tensor[.., O] {
            let z = sum[I](x * w) + b;
            0.5 * z * (1.0 + tanh(0.79788 * (z + 0.044715 * z * z * z)))
        }",
        (1, 1, 0),
        (3, 3, 1),
    ),
    case("fn matmul(a: &Tensor[M, K], b: &Tensor[K, N]) -> Tensor[M, N] { sum[K](a * b) }", (1, 1, 0), (2, 2, 0)),
    // 2/2 with the mask as a prologue of the products; here the masked cotangent is an array.
    case(
        "fn causal_scores(q: &Tensor[B, T, K], k: &Tensor[B, S, K]) -> Tensor[B, T, S] {
            if S <= T { sum[K](q * k) / sqrt(size(K)) } else { -inf }
        }",
        (1, 1, 0),
        (3, 3, 1),
    ),
    // 3/5 (3) and 7/7 (4): `e` is written on the way to its sum, and is a residual as its sum is.
    case(
        "fn attention(q: &Tensor[B, T, K], k: &Tensor[B, S, K], v: &Tensor[B, S, V]) -> Tensor[B, T, V] {
            let scores = if S <= T { sum[K](q * k) / sqrt(size(K)) } else { -inf };
            let e = exp(scores - max[S](scores));
            sum[S](e / sum[S](e) * v)
        }",
        (3, 4, 1),
        (5, 5, 3),
    ),
    // 3/5 (3) and 8.
    // 3/5 (3) and 8.
    case(
        "fn biased_attention(q: &Tensor[H, T, K], k: &Tensor[H, S, K], v: &Tensor[H, S, V], slope: &Tensor[H])
            -> Tensor[H, T, V] {
            let scores = sum[K](q * k) + slope * ((S - T) as float);
            let e = exp(scores - max[S](scores));
            sum[S](e / sum[S](e) * v)
        }",
        (3, 4, 1), (6, 6, 4),
    ),
    // Two temps backward: `e / s` under its guard is one more array.
    // Two temps backward: `e / s` under its guard is one more array.
    case(
        "fn masked_attention(q: &Tensor[T, K], k: &Tensor[S, K], v: &Tensor[S, V], keep: &Tensor<bool>[T, S])
            -> Tensor[T, V] {
            let scores = if keep { sum[K](q * k) } else { -inf };
            let m = max[S](scores);
            let e = exp(scores - (if m == -inf { 0.0 } else { m }));
            let s = sum[S](e);
            sum[S]((if s == 0.0 { 0.0 } else { e / s }) * v)
        }",
        (3, 5, 1), (5, 6, 3),
    ),
    case(
        "fn cross_entropy(logits: &Tensor[N, C], target: &Tensor<i64>[N]) -> Tensor[] {
            let m = max[C](logits);
            mean[N](m + ln(sum[C](exp(logits - m))) - logits[N, target])
        }",
        (2, 3, 0),
        (1, 1, 0),
    ),
    case(
        "fn ignoring(logits: &Tensor[N, C], target: &Tensor<i64>[N]) -> Tensor[] {
            let m = max[C](logits);
            let loss = if target != -100 { m + ln(sum[C](exp(logits - m))) - logits[N, target] } else { 0.0 };
            let kept = sum[N](if target != -100 { 1.0 } else { 0.0 });
            sum[N](loss) / max(kept, 1.0)
        }",
        (2, 3, 0),
        (1, 1, 0),
    ),
    case(
        "fn embedding(table: &Tensor[V, C], ids: &Tensor<i64>[..]) -> Tensor[.., C] { table[ids, C] }",
        (1, 1, 0),
        (1, 1, 0),
    ),
    case(
        "fn gather(x: &Tensor[N, C], i: &Tensor<i64>[N, K]) -> Tensor[N, K] { x[N, i] }",
        (1, 1, 0),
        (1, 1, 0),
    ),
    case("fn variance(x: &Tensor[N, C]) -> Tensor[N] { var[C](x) }", (1, 2, 0), (1, 1, 0)),
    // One pass: the squared deviations need no mean.
    case("fn column_variance(x: &Tensor[N, C]) -> Tensor[C] { var[N](x) }", (1, 1, 0), (1, 1, 0)),
    case("fn total_variance(x: &Tensor[..]) -> Tensor[] { var[..](exp(x)) }", (1, 1, 0), (1, 1, 0)),
    // The kernel corrects the rounded mean itself.
    case(
        "fn corrected_variance(x: &Tensor[N, C]) -> Tensor[C] {
            let d = x - mean[N](x);
            let c = detach(mean[N](d));
            mean[N](d * d) - c * c
        }",
        (2, 2, 0),
        (1, 1, 0),
    ),
    case("fn log_sum_exp(x: &Tensor[N, C]) -> Tensor[N] { logsumexp[C](x) }", (1, 2, 0), (1, 1, 0)),
    case(
        "fn batch_norm(x: &Tensor[N, C, H, W], gamma: &Tensor[C], beta: &Tensor[C], eps: float)
            -> Tensor[N, C, H, W] {
            let d = x - mean[N, H, W](x);
            d * rsqrt(mean[N, H, W](d * d) + eps) * gamma + beta
        }",
        (2, 2, 0), (2, 2, 2),
    ),
    case(
        "fn pairwise_sq(x: &Tensor[N, D], y: &Tensor[M, D]) -> Tensor[N, M] { let d = x - y; sum[D](d * d) }",
        (1, 1, 0),
        (2, 2, 0),
    ),
    // 3/3: the second product adds to the first.
    case("fn gram(x: &Tensor[N, K]) -> Tensor[N, M = N] { sum[K](x[N, K] * x[M, K]) }", (1, 1, 0), (2, 2, 1)),
    case(
        "fn scaled(a: &Tensor[M, K], b: &Tensor[K, N], s: &Tensor[N]) -> Tensor[M, N] { sum[K](a * b * s) }",
        (1, 1, 0),
        (3, 3, 1),
    ),
    // 1/1 and 3.
    // 1/1 and 3.
    case(
        "fn three(x: &Tensor[N, I], w: &Tensor[O, I, J], y: &Tensor[N, J]) -> Tensor[N, O] { sum[I, J](x * w * y) }",
        (2, 2, 1), (3, 3, 0),
    ),
    // 1/1 and 4: the inner product is no residual, as forward has one sum.
    // 1/1 and 4: the inner product is no residual, as forward has one sum.
    case(
        "fn chained(q: &Tensor[T, K], k: &Tensor[S, K], v: &Tensor[S, V]) -> Tensor[T, V] { sum[S, K](q * k * v) }",
        (2, 2, 1), (5, 5, 2),
    ),
    // 1/1 and 2/2: the guarded operands are arrays.
    case(
        "fn triangular(a: &Tensor[M, K], b: &Tensor[K, N]) -> Tensor[M, N] {
            sum[K](if K <= M && K <= N { a * b } else { 0.0 })
        }",
        (3, 3, 2), (4, 4, 2),
    ),
    case("fn cumsum(x: &Tensor[S]) -> Tensor[T = size(S)] { sum[S](if S <= T { x } else { 0.0 }) }", (1, 1, 0), (1, 1, 0)),
    case(
        "fn cosine(x: &Tensor[N, C], y: &Tensor[N, C]) -> Tensor[N] {
            sum[C](x * y) * rsqrt(sum[C](x * x) * sum[C](y * y))
        }",
        (1, 1, 0),
        (1, 1, 0),
    ),
    case("fn product(x: &Tensor[N, C]) -> Tensor[N] { prod[C](x) }", (1, 1, 0), (1, 2, 0)),
    case("fn maximum_of(x: &Tensor[N, C]) -> Tensor[N] { max[C](x) }", (1, 1, 0), (1, 2, 0)),
    case(
        "fn two(x: &Tensor[.., C], r: &Tensor[.., C], gamma: &Tensor[C], eps: float) -> (Tensor[.., C], Tensor[.., C]) {
            let h = x + r;
            (h, h * rsqrt(mean[C](h * h) + eps) * gamma)
        }",
        (1, 2, 0),
        (2, 3, 0),
    ),
    case(
        "fn kurtosis(x: &Tensor[N, C]) -> Tensor[N] {
            let d = x - mean[C](x);
            let v = mean[C](d * d);
            mean[C](d * d * d * d) / (v * v)
        }",
        (1, 2, 0),
        (1, 2, 0),
    ),
    // Gradients over two sets of axes.
    // Gradients over two sets of axes.
    case("fn rope(x: &Tensor[T, D, J], c: &Tensor[T, D], s: &Tensor[T, D]) -> Tensor[T, D] { x[T, D, 0] * c - x[T, D, 1] * s }", (1, 1, 0), (2, 2, 0)),
    // 2/1: two gradients over different axes.
    case("fn spread(x: &Tensor[N], y: &Tensor[C]) -> Tensor[] { sum[N, C](2.0 * x + y) }", (1, 1, 0), (2, 2, 0)),
    // 2/3 backward: the result of a column kernel is complete after all its elements were seen.
    case(
        "fn softmax_twice(x: &Tensor[N, C]) -> Tensor[N, C] {
            let e = exp(x - max[N](x));
            let p = e / sum[N](e);
            let f = exp(p - max[C](p));
            f / sum[C](f)
        }",
        (3, 5, 0), (3, 3, 2),
    ),
    case(
        "fn gather_and_dense(table: &Tensor[V, C], ids: &Tensor<i64>[N]) -> Tensor[N, C] {
            table[ids, C] + sum[V](table)
        }",
        (2, 2, 1),
        (3, 3, 1),
    ),
    // 2/2 (1) and 5/5 (2).
    // 2/2 (1) and 5/5 (2).
    case(
        "fn total(u: &Tensor[M], a: &Tensor[M, K], b: &Tensor[K, N]) -> Tensor[] { sum[M, N](u * sum[K](a * b)) }",
        (2, 2, 0), (4, 4, 2),
    ),
    case(
        "fn segment_sum(x: &Tensor[N, C], ids: &Tensor<i64>[N], segments: usize) -> Tensor[S = segments, C] {
            sum[N](if ids == S { x } else { 0.0 })
        }",
        (1, 1, 0),
        (1, 1, 0),
    ),
    case(
        "fn conv1d(x: &Tensor[N, C, L], k: &Tensor[O, C, W], stride: usize, pad: usize)
            -> Tensor[N, O, P = (L + 2 * pad - W) / stride + 1] {
            sum[C, W](pad_with(x[N, C, P * stride + W - pad], 0.0) * k)
        }",
        (1, 1, 0),
        (2, 2, 0),
    ),
    case(
        "fn conv_stride_2(x: &Tensor[N, C, L], k: &Tensor[O, C, W]) -> Tensor[N, O, P = (L - W) / 2 + 1] {
            sum[C, W](x[N, C, P * 2 + W] * k)
        }",
        (1, 1, 0),
        (2, 2, 0),
    ),
    case(
        "fn conv2d(x: &Tensor[N, C, H, W], k: &Tensor[O, C, R, S])
            -> Tensor[N, O, P = H - R + 1, Q = W - S + 1] {
            sum[C, R, S](x[N, C, P + R, Q + S] * k)
        }",
        (1, 1, 0),
        (2, 2, 0),
    ),
    case(
        "fn conv2d_relu(x: &Tensor[N, C, H, W], k: &Tensor[O, C, R, S], b: &Tensor[O])
            -> Tensor[N, O, P = H - R + 1, Q = W - S + 1] {
            relu(sum[C, R, S](x[N, C, P + R, Q + S] * k) + b)
        }",
        (1, 1, 0),
        (3, 3, 1),
    ),
    case(
        "fn depthwise(x: &Tensor[N, C, L], k: &Tensor[C, W], stride: usize)
            -> Tensor[N, C, P = (L - W) / stride + 1] {
            sum[W](x[N, C, P * stride + W] * k)
        }",
        (1, 1, 0),
        (2, 2, 0),
    ),
    case(
        "fn avg_pool(x: &Tensor[N, C, L], window: usize, stride: usize)
            -> Tensor[N, C, P = (L - window) / stride + 1] {
            mean[W = window](x[N, C, P * stride + W])
        }",
        (1, 1, 0),
        (1, 1, 0),
    ),
    // The temp is the number of ties.
    case(
        "fn max_pool(x: &Tensor[N, C, L], window: usize, stride: usize)
            -> Tensor[N, C, P = (L - window) / stride + 1] {
            max[W = window](x[N, C, P * stride + W])
        }",
        (1, 1, 0),
        (2, 2, 1),
    ),
    case(
        "fn local_softmax(x: &Tensor[N, L], window: usize) -> Tensor[N, P = L - window + 1, W = window] {
            let e = exp(x[N, P + W] - max[W](x[N, P + W]));
            e / sum[W](e)
        }",
        (1, 3, 0),
        (2, 2, 1),
    ),
    case(
        "fn stencil(x: &Tensor[N, M]) -> Tensor[N, M] {
            pad_with(x[N, M - 1], 0.0) - 2.0 * x + pad_with(x[N, M + 1], 0.0)
        }",
        (1, 1, 0),
        (1, 1, 0),
    ),
    case("fn shift(x: &Tensor[N]) -> Tensor[N] { pad_with(x[N - 1], 0.0) }", (1, 1, 0), (1, 1, 0)),
    forward_only(
        "fn one_hot(ids: &Tensor<i64>[N], classes: usize) -> Tensor<f32>[N, C = classes] {
            if C == ids { 1.0 } else { 0.0 }
        }",
        (1, 1, 0),
    ),
];
