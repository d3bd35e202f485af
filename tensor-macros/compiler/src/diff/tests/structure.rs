//! The form of backward expressions: residuals, arrays, kernels and passes.

use super::{Derived, derive};
use crate::ir::{NodeId, Op, Root, Write};
use crate::{print, schedule};

/// The residuals and arrays of a derivative in short: `[N, C]=output 0` is an output, `[N]` an array of its own.
fn arrays(derived: &Derived) -> String {
    let backward = derived.backward.as_ref().expect("the kernel has a derivative");
    let names = |axes: &[crate::ir::AxisId]| {
        let names: Vec<&str> = axes.iter().map(|&axis| derived.kernel.graph.axis(axis).name.as_str()).collect();
        format!("[{}]", names.join(", "))
    };
    let saved = backward.saved.iter().map(|saved| match saved.output {
        Some(output) => format!("{}=output {output}", names(&saved.axes)),
        None => names(&saved.axes),
    });
    let saved: Vec<String> = saved.collect();
    let temps: Vec<String> = backward.temps.iter().map(|temp| names(&temp.axes)).collect();
    format!("saved {} temps {}", saved.join(" "), temps.join(" ")).trim_end().to_owned()
}

/// Kernels and passes of the backward schedule.
fn kernels(derived: &Derived) -> String {
    let mut kernel = derived.kernel.clone();
    let schedule = schedule::backward(&mut kernel, derived.backward.as_ref().expect("the kernel has a derivative"));
    let passes: usize = schedule.kernels.iter().map(|each| schedule::traversals(&kernel.graph, each)).sum();
    format!("{}/{passes}", schedule.kernels.len())
}

const SOFTMAX: &str = "fn softmax(x: &Tensor[.., C]) -> Tensor[.., C] { let e = exp(x - max[C](x)); e / sum[C](e) }";

const GELU_LINEAR: &str = "fn gelu_linear(x: &Tensor[N, I], w: &Tensor[O, I], b: &Tensor[O]) -> Tensor[N, O] {
    let z = sum[I](x * w) + b;
    0.5 * z * (1.0 + tanh(0.7978845608028654 * (z + 0.044715 * z * z * z)))
}";

const ATTENTION: &str = "fn attention(q: &Tensor[T, K], k: &Tensor[S, K], v: &Tensor[S, V]) -> Tensor[T, V] {
    let scores = if S <= T { sum[K](q * k) / sqrt(size(K)) } else { -inf };
    let e = exp(scores - max[S](scores));
    sum[S](e / sum[S](e) * v)
}";

#[test]
fn residuals_and_arrays() {
    for (source, expected, counts) in [
        (SOFTMAX, "saved [.., C]=output 0 temps", "1/2"),
        (
            "fn log_softmax(x: &Tensor[N, C]) -> Tensor[N, C] { let d = x - max[C](x); d - ln(sum[C](exp(d))) }",
            "saved [N] [N] temps",
            "1/2",
        ),
        (
            "fn masked(x: &Tensor[N, C], keep: &Tensor<bool>[N, C]) -> Tensor[N, C] {
                let scores = if keep { x } else { -inf };
                let m = max[C](scores);
                let m = if m == -inf { 0.0 } else { m };
                let e = exp(scores - m);
                let s = sum[C](e);
                if s == 0.0 { 0.0 } else { e / s }
            }",
            "saved [N] [N, C]=output 0 temps",
            "1/2",
        ),
        (
            "fn layer_norm(x: &Tensor[.., C], gamma: &Tensor[C], beta: &Tensor[C], eps: float) -> Tensor[.., C] {
                let d = x - mean[C](x);
                d * rsqrt(mean[C](d * d) + eps) * gamma + beta
            }",
            "saved [..] [..] temps",
            "2/3",
        ),
        (
            "fn group_norm(x: &Tensor[N, G, C, L], gamma: &Tensor[G, C], beta: &Tensor[G, C]) -> Tensor[N, G, C, L] {
                let d = x - mean[C, L](x);
                d * rsqrt(mean[C, L](d * d) + 0.1) * gamma + beta
            }",
            "saved [N, G] [N, G] temps",
            "2/3",
        ),
        (
            "fn rms_norm(x: &Tensor[.., C], gamma: &Tensor[C]) -> Tensor[.., C] {
                x * rsqrt(mean[C](x * x) + 0.1) * gamma
            }",
            "saved [..] temps",
            "2/3",
        ),
        (
            "fn cross_entropy(logits: &Tensor[N, C], target: &Tensor<i64>[N]) -> Tensor[] {
                let m = max[C](logits);
                mean[N](m + ln(sum[C](exp(logits - m))) - logits[N, target])
            }",
            "saved [N] [N] temps",
            "1/1",
        ),
        (
            "fn linear(x: &Tensor[.., I], w: &Tensor[O, I], b: &Tensor[O]) -> Tensor[.., O] { sum[I](x * w) + b }",
            "saved  temps",
            "3/3",
        ),
        (GELU_LINEAR, "saved [N, O] temps [N, O]", "3/3"),
        (
            "fn scaled(a: &Tensor[M, K], b: &Tensor[K, N], s: &Tensor[N]) -> Tensor[M, N] { sum[K](a * b * s) }",
            "saved [M, N] temps [M, N]",
            "3/3",
        ),
        // The exponentials instead of the scores; no sum of T x S x V.
        (ATTENTION, "saved [T] [T, S] [T, V]=output 0 temps [T, V] [T, S]", "5/5"),
        ("fn variance(x: &Tensor[N, C]) -> Tensor[N] { var[C](x) }", "saved [N] temps", "1/1"),
        ("fn largest(x: &Tensor[N, C]) -> Tensor[N] { max[C](x) }", "saved [N]=output 0 temps", "1/2"),
        // A maximum of what may round differently the second time is not compared with the saved one.
        ("fn largest(x: &Tensor[N, C]) -> Tensor[N] { max[C](exp(x)) }", "saved  temps", "1/3"),
        ("fn tanh_of(x: &Tensor[N]) -> Tensor[N] { tanh(x) }", "saved [N]=output 0 temps", "1/1"),
        (
            "fn segments(x: &Tensor[N, C], ids: &Tensor<i64>[N], n: usize) -> Tensor[S = n, C] {
                sum[N](if ids == S { x } else { 0.0 })
            }",
            "saved  temps",
            "1/1",
        ),
        ("fn embedding(t: &Tensor[V, C], ids: &Tensor<i64>[..]) -> Tensor[.., C] { t[ids, C] }", "saved  temps", "1/1"),
    ] {
        let derived = derive(source);
        let text = print::backward(&derived.kernel, derived.backward.as_ref().expect("it has a derivative"));
        assert_eq!((arrays(&derived).as_str(), kernels(&derived).as_str()), (expected, counts), "{text}");
    }
}

/// Scalar operations of a set of expressions.
fn operations(derived: &Derived, roots: &[NodeId]) -> usize {
    let graph = &derived.kernel.graph;
    let count = |id: NodeId| match graph.op(id) {
        Op::Const(_) | Op::Scalar(_) | Op::Size(_) | Op::Index(_) | Op::Load { .. } | Op::Stop => 0,
        Op::Sum { coefficients } => {
            coefficients.iter().filter(|&&bits| f64::from_bits(bits).abs() != 1.0).count() + coefficients.len() - 1
        }
        Op::Product { powers } => powers.iter().map(|power| power.unsigned_abs() as usize).sum::<usize>() - 1,
        _ => 1,
    };
    graph.reachable(roots).into_iter().map(count).sum()
}

/// A chain of functions with shared intermediate values of a given length.
fn chain(length: usize) -> String {
    let mut body = "let a0 = x * y;".to_owned();
    for step in 1..=length {
        let function = ["tanh", "sin", "sigmoid", "exp"][step % 4];
        body += &format!("let a{step} = {function}(a{} * x) + a{} * y;", step - 1, step - 1);
    }
    format!("fn chain(x: &Tensor[N], y: &Tensor[N]) -> Tensor[N] {{ {body} a{length} }}")
}

#[test]
fn operations_grow_with_the_length_of_a_chain() {
    let count = |length: usize| {
        let derived = derive(&chain(length));
        let backward = derived.backward.as_ref().expect("the chain has a derivative");
        let roots: Vec<NodeId> = backward.roots.iter().map(|root| root.value).collect();
        operations(&derived, &roots)
    };
    let [short, long] = [count(10), count(40)];
    assert!(long <= 5 * short, "{short} operations for 10 steps, {long} for 40");
}

#[test]
fn no_derivative() {
    for source in [
        "#[no_grad] fn kernel(x: &Tensor[N]) -> Tensor[N] { x * x }",
        "fn kernel(x: &mut Tensor[N], y: &Tensor[N]) { x += y; }",
        "fn kernel(x: &Tensor[N]) -> Tensor[N] { floor(x) }",
        "fn kernel(x: &Tensor[N]) -> Tensor<bool>[N] { x > 0.0 }",
    ] {
        assert!(derive(source).backward.is_none(), "{source}");
    }
}

#[test]
fn a_blocked_parameter_has_a_reason() {
    for (source, expected) in [
        (
            "fn kernel(x: &Tensor[N], y: &Tensor[N]) -> Tensor[N] { x * floor(y) }",
            "`y` reaches the outputs only through `floor`",
        ),
        (
            "fn kernel(x: &Tensor[N], y: &Tensor[N]) -> Tensor[N] { if y > 0.0 { x } else { x * detach(y) } }",
            "`y` reaches the outputs only through a comparison and `detach`",
        ),
        ("fn kernel(x: &Tensor[N], y: &Tensor[N]) -> Tensor[N] { x * x }", "`y` is not used in any output"),
    ] {
        let derived = derive(source);
        assert_eq!(derived.backward.expect("x has a gradient").blocked, [(1, expected.to_owned())], "{source}");
    }
}
#[test]
fn squares_of_squares_stay_small() {
    let squares: String = (1..40).map(|step| format!("let a{step} = a{} * a{};", step - 1, step - 1)).collect();
    let source =
        format!("fn power(x: &Tensor[N, C], y: &Tensor[N]) -> Tensor[N] {{ let a0 = x * y; {squares} sum[C](a39) }}");
    let derived = derive(&source);
    assert!(derived.kernel.graph.len() < 400, "{} nodes", derived.kernel.graph.len());
}

#[test]
fn gradients_of_windows_are_gathers() {
    for source in [
        "fn conv(x: &Tensor[C, L], k: &Tensor[O, C, W], stride: usize, pad: usize, dil: usize)
            -> Tensor[O, P = (L + 2 * pad - dil * (W - 1) - 1) / stride + 1] {
            sum[C, W](pad_with(x[C, P * stride + W * dil - pad], 0.0) * k)
        }",
        "fn pool(x: &Tensor[.., L], window: usize, stride: usize) -> Tensor[.., P = (L - window) / stride + 1] {
            max[W = window](x[.., P * stride + W])
        }",
        "fn shift(x: &Tensor[N], by: i64) -> Tensor[N] { pad_with(x[N - by], 0.0) }",
        "fn reversed(x: &Tensor[N]) -> Tensor[N] { x[size(N) - 1 - N] }",
        "fn laplacian(x: &Tensor[N]) -> Tensor[N] { pad_with(x[N - 1], x) - 2.0 * x + pad_with(x[N + 1], x) }",
    ] {
        let backward = derive(source).backward.expect("the kernel has a derivative");
        let dense = |root: &Root| matches!(root.write, Write::Dense { .. });
        assert!(backward.roots.iter().all(dense), "{source}");
    }
}
