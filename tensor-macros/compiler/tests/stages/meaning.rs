//! A schedule means what its graph means: both are interpreted on random sizes, 0 and 1 included, and agree.

use std::collections::BTreeSet;

use random_kernels::{Kernel, Language, Numbers};
use tensor_rt_compiler::interp::{self, Array, Fault, Outcome, Value};
use tensor_rt_compiler::ir::{AxisId, Elem, Extent, ScalarTy};

use crate::corpus::{CASES, Compiled, compile};

/// Arguments for some sizes of the declared extents.
struct Arguments {
    sizes: Vec<usize>,
    arrays: Vec<Array>,
    scalars: Vec<Value>,
    cotangents: Vec<Array>,
}

fn arguments(compiled: &Compiled, random: &mut Numbers) -> Option<Arguments> {
    let kernel = &compiled.kernel;
    let scalars: Vec<Value> = (kernel.scalars.iter())
        .map(|scalar| match scalar.ty {
            ScalarTy::Float | ScalarTy::F32 | ScalarTy::F64 => Value::Float(0.25),
            ScalarTy::I64 | ScalarTy::Usize | ScalarTy::U64 => Value::Int(1 + random.below(3) as i64),
            ScalarTy::Bool => Value::Bool(random.below(2) == 0),
        })
        .collect();
    let declared: Vec<usize> = (kernel.graph.all_extents())
        .map(|(_, extent)| match extent {
            Extent::Literal(size) => size as usize,
            Extent::Declared | Extent::Computed(_) => [0, 1, 2, 3, 3, 4][random.below(6)],
        })
        .collect();
    let shape = |axes: &[AxisId]| -> Vec<usize> {
        axes.iter().map(|&axis| declared[kernel.graph.axis(axis).extent.0 as usize]).collect()
    };
    let arrays: Vec<Array> =
        kernel.tensors.iter().map(|tensor| array(&shape(&tensor.axes), tensor.elem, random)).collect();
    let sizes = interp::sizes(kernel, &arrays, &scalars).ok()?;
    let cotangents = (kernel.outputs.iter())
        .map(|output| {
            let shape: Vec<usize> =
                output.axes.iter().map(|&axis| sizes[kernel.graph.axis(axis).extent.0 as usize]).collect();
            array(&shape, output.elem, random)
        })
        .collect();
    Some(Arguments { sizes, arrays, scalars, cotangents })
}

fn array(shape: &[usize], elem: Elem, random: &mut Numbers) -> Array {
    let count = shape.iter().product();
    let values = std::iter::repeat_with(|| match elem {
        Elem::Generic | Elem::F32 | Elem::F64 | Elem::F16 | Elem::Bf16 => Value::Float(random.float()),
        Elem::I64 | Elem::I32 | Elem::U32 | Elem::U8 => Value::Int(random.below(3) as i64),
        Elem::Bool => Value::Bool(random.below(2) == 0),
    });
    Array { shape: shape.to_vec(), values: values.take(count).collect() }
}

/// The new value of an edited parameter.
fn edit(outcome: &Outcome, param: u32) -> Option<Array> {
    outcome.edits.iter().find(|(edited, _)| *edited == param).map(|(_, array)| array.clone())
}

/// Equal up to rounding: a contraction may leave factors out of its sum.
fn assert_close(source: &str, sizes: &[usize], graph: &Outcome, schedule: &Outcome) {
    let pairs = (graph.arrays.iter().zip(&schedule.arrays))
        .map(|(a, b)| (a.clone(), b.clone()))
        .chain(graph.edits.iter().map(|(param, edited)| (Some(edited.clone()), edit(schedule, *param))));
    for (position, (expected, found)) in pairs.enumerate() {
        let (Some(expected), Some(found)) = (&expected, &found) else {
            assert_eq!(expected.is_some(), found.is_some(), "{source}: result {position} is missing");
            continue;
        };
        assert_eq!(expected.shape, found.shape, "{source}: result {position}");
        for (&a, &b) in expected.values.iter().zip(&found.values) {
            let close = match (a, b) {
                (Value::Float(a), Value::Float(b)) => {
                    a == b || a.is_nan() && b.is_nan() || (a - b).abs() <= 1e-9 * (1.0 + a.abs())
                }
                (a, b) => a == b,
            };
            assert!(close, "{source}: result {position} for sizes {sizes:?}:\n{expected:?}\n{found:?}");
        }
    }
    assert_eq!(graph.edits.len(), schedule.edits.len(), "{source}: edits");
    let failed = |outcome: &Outcome| -> BTreeSet<u32> {
        let assertion = |fault: &Fault| if let Fault::Assertion(position) = fault { Some(*position) } else { None };
        outcome.faults.iter().filter_map(assertion).collect()
    };
    assert_eq!(failed(graph), failed(schedule), "{source}: assertions for sizes {sizes:?}");
    // An array that an empty result would read may be computed all the same.
    let empty = graph.arrays.iter().flatten().any(|array| array.values.is_empty());
    let others = |outcome: &Outcome| outcome.faults.iter().any(|fault| !matches!(fault, Fault::Assertion(_)));
    if !others(graph) && !empty {
        assert!(!others(schedule), "{source} for sizes {sizes:?}: {:?}", schedule.faults);
    }
}

/// True if the maximum of nothing was asked for: an error at run time, whatever the elements are.
fn is_refused(outcomes: [&Outcome; 2]) -> bool {
    outcomes.iter().any(|outcome| outcome.faults.contains(&Fault::EmptyReduction))
}

fn check(source: &str, rounds: usize) {
    let compiled = compile(source);
    let kernel = &compiled.kernel;
    let mut random = Numbers::new(0);
    for _ in 0..rounds {
        let Some(Arguments { sizes, arrays, scalars, cotangents }) = arguments(&compiled, &mut random) else {
            continue;
        };
        let saved = compiled.backward.as_ref().map_or(&[][..], |backward| &backward.saved);
        let expected = interp::forward(kernel, &sizes, &arrays, &scalars);
        let (found, residuals) =
            interp::forward_schedule(kernel, saved, &compiled.forward_schedule, &sizes, &arrays, &scalars);
        if is_refused([&expected, &found]) {
            continue;
        }
        assert_close(source, &sizes, &expected, &found);
        if let (Some(backward), Some(schedule)) = (&compiled.backward, &compiled.backward_schedule) {
            let expected = interp::backward(kernel, backward, &sizes, &arrays, &scalars, &cotangents);
            let found = interp::backward_schedule(
                kernel,
                backward,
                schedule,
                &sizes,
                &arrays,
                &scalars,
                &cotangents,
                &residuals,
            );
            if !is_refused([&expected, &found]) {
                assert_close(source, &sizes, &expected, &found);
            }
        }
    }
}

#[test]
fn schedules_of_the_table_mean_what_their_graphs_mean() {
    for case in CASES {
        check(case.source, 12);
    }
}

/// Kernels without a row in the table, chosen for what they do to axes, arrays and order.
#[test]
fn schedules_of_odd_kernels_mean_what_their_graphs_mean() {
    for source in [
        // Reductions over one extent under different names share a kernel.
        "fn k(x: &Tensor[N, C], y: &Tensor[N, D = C]) -> Tensor[N] { sum[C](x) * max[D](y) }",
        "fn k(x: &Tensor[N, C]) -> Tensor[N] { argmax[C](x) as float + sum[C](x) }",
        "fn k(x: &Tensor[N, C]) -> Tensor<i64>[] { argmax[C, N](x) + argmin[N, C](x) }",
        "fn k(x: &Tensor[N, C]) -> (Tensor[N], Tensor[C], Tensor[]) { (sum[C](x), max[N](x), prod[N, C](x)) }",
        "fn k(x: &Tensor[N, C]) -> Tensor[C, N] { x[N, C] * 2.0 }",
        "fn k(x: &Tensor[N, N2 = N]) -> Tensor[N, M = N] { x[N, M] + x[M, N] * sum[N2](x[N, N2]) }",
        "fn k(x: &Tensor[T, K], y: &Tensor[S = T, V]) -> Tensor[T, V] {
            let p = exp(sum[K](x[T, K] * x[S, K]));
            sum[S](p / sum[S](p) * y[S, V] * y[T, V])
        }",
        "fn k(a: &Tensor[M, K], b: &Tensor[K, N], c: &Tensor[M, L], d: &Tensor[L, N]) -> Tensor[M, N] {
            sum[K](a * b) + tanh(sum[L](c * d))
        }",
        "fn k(a: &Tensor[M, K], b: &Tensor[K, N]) -> (Tensor[M, N], Tensor[M], Tensor[]) {
            let c = sum[K](a * b);
            (c, max[N](c), sum[M, N](c))
        }",
        "fn k(a: &Tensor[M, K], b: &Tensor[K, N, J]) -> Tensor[M, N] { sum[K, J](-a * exp(b)) }",
        "fn k(x: &Tensor[.., N, C], w: &Tensor[C, D]) -> Tensor[.., N, D] { max(sum[C](x * w), 0.0) }",
        "fn k(x: &Tensor[N, C], ids: &Tensor<i64>[N]) -> Tensor[N, C] { x[ids, C] - mean[N](x) }",
        "fn k(table: &Tensor[V, C], ids: &Tensor<i64>[N], w: &Tensor[C, D]) -> Tensor[N, D] { sum[C](table[ids, C] * w) }",
        "fn k(x: &Tensor[N, C], on: &Tensor<bool>[N]) -> Tensor[N] { if any[N](on) { sum[C](x) } else { max[C](x) } }",
        "fn k(a: &Tensor<i64>[M, K], b: &Tensor<i64>[K, N]) -> Tensor<i64>[M, N] { sum[K](a * b) }",
        "fn k(x: &mut Tensor[N, C]) { let e = exp(x - max[C](x)); x = e / sum[C](e); }",
        "fn k(x: &mut Tensor[N, C]) { x = x - mean[N, C](x); }",
        "fn k(x: &mut Tensor[N, C]) { x = x - mean[N](x); }",
        "fn k(w: &mut Tensor[K, M], g: &Tensor[N, M], x: &Tensor[N, K]) { w -= sum[N](g * x); }",
        "fn k(a: &mut Tensor[N], b: &mut Tensor[N]) { let old = a; a = b; b = old; }",
        "fn k(b: &mut Tensor[C], x: &Tensor[N, C]) -> Tensor[N, C] { let y = x + b; b = b + 1.0; y }",
        "fn k(p: &mut Tensor[N], q: &mut Tensor[N, C]) { let old = p; p = sum[C](q); q = q * old; }",
        "fn k(s: &mut Tensor[N], x: &Tensor[N, C]) { s = sum[C](x * s) + s; }",
        "fn k(m: &mut Tensor[C], x: &Tensor[N, C]) -> Tensor[N, C] { let old = m; m = 0.9 * m + mean[N](x); x - old }",
        // A product of more factors than any machine can list.
        "fn k(x: &Tensor[N, C], y: &Tensor[C, D]) -> Tensor[N, D] {
            let a = x * x * 0.1; let b = a * a; let c = b * b; let d = c * c; let e = d * d; let f = e * e; let g = f * f;
            let h = g * g; let i = h * h; let j = i * i; let k = j * j; let l = k * k; let m = l * l; let n = m * m;
            let o = n * n; let p = o * o; let q = p * p; let r = q * q; let s = r * r; let t = s * s; let u = t * t;
            let v = u * u; let w = v * v; let z = w * w; let z = z * z; let z = z * z; let z = z * z; let z = z * z;
            sum[C](z * y)
        }",
        // An equality decides an axis.
        "fn k(t: &Tensor[V, C], ids: &Tensor<i64>[N]) -> Tensor[N, C] { sum[V](if ids == V { t * t } else { 0.0 }) }",
        "fn k(t: &Tensor[V, C], ids: &Tensor<i64>[N]) -> Tensor[N] {
            sum[V, C](if V == ids && C > 0 { t } else { 0.0 })
        }",
        "fn k(x: &Tensor[N, C], ids: &Tensor<i64>[N, C], w: &Tensor[V]) -> Tensor[V, N] {
            sum[C](if ids == V && C < 2 { x } else { 0.0 })
        }",
        "fn k(x: &Tensor[N], ids: &Tensor<i64>[N], w: &Tensor[V]) -> Tensor[V] { sum[N](if ids == V { x } else { 0.0 }) * w }",
        "fn k(n: &Tensor<i64>[N], ids: &Tensor<i64>[N], w: &Tensor<i64>[V]) -> Tensor<i64>[V] {
            sum[N](if ids == V { n } else { 0 })
        }",
        "fn k(x: &Tensor[N, M]) -> Tensor[N] { sum[M](if M == N { x } else { 0.0 }) }",
        "fn k(p: &mut Tensor[V], i: &Tensor<i64>[N], x: &Tensor[N]) { p[i] += x; }",
        // Random numbers are counted along the same axes wherever they are computed.
        "fn k(x: &Tensor[.., C], seed: u64) -> Tensor[C, ..] { let u = uniform(seed); x * u / sum[C](exp(u) + x) }",
        "fn k(a: &Tensor[M, K], b: &Tensor[K, N], seed: u64) -> Tensor[M, N] {
            sum[K]((if uniform(seed) < 0.5 { a } else { 0.0 }) * b) + normal(seed)
        }",
        "fn k(x: &Tensor[N, C], ids: &Tensor<i64>[N], seed: u64) -> Tensor[] { mean[N](x[N, ids] * normal(seed)) }",
        "fn k(x: &mut Tensor[N, C], seed: u64) { x = x * uniform(seed) - mean[C](x); }",
        // Variances over columns and over everything, with more that needs them.
        "fn k(x: &Tensor[N, C, H]) -> (Tensor[C], Tensor[C]) { (mean[N, H](x), var[N, H](x)) }",
        "fn k(x: &Tensor[N, C]) -> Tensor[] { let v = var[N, C](x); v * v + mean[N, C](x) }",
        "fn k(x: &Tensor[N, C], y: &Tensor[N, C]) -> Tensor[C] {
            let d = x * y - mean[N](x * y); mean[N](d * d) / (1.0 + mean[N](d))
        }",
        "fn k(x: &Tensor[N, M = N]) -> Tensor[] { let d = x - sum[N, M](x) / (size(N) * size(N)); sum[N, M](d * d) }",
        // Assertions in rows, columns, products, branches, edits and scatters.
        "fn k(x: &Tensor[N, C]) -> Tensor[N, C] {
            assert!(x < 0.9, \"small\"); let s = sum[C](x); assert!(s != 0.0, \"not empty\"); x / s
        }",
        "fn k(x: &Tensor[N, C]) -> Tensor[C] { sum[N]({ assert!(x > -0.9, \"large\"); x * x }) }",
        "fn k(a: &Tensor[M, K], b: &Tensor[K, N]) -> Tensor[M, N] {
            let c = sum[K]({ assert!(a > -0.8, \"a\"); a * b }); assert!(c < 0.5, \"c\"); c
        }",
        "fn k(x: &Tensor[N, C], on: &Tensor<bool>[C]) -> Tensor[N] {
            if N > 0 { assert!(all[C](on) || x[N, 0] < 0.5, \"first\"); }
            sum[C](if on { assert!(x > 0.0, \"positive\"); ln(x) } else { 0.0 })
        }",
        "fn k(x: &mut Tensor[N, C]) { assert!(x < 0.9, \"old\"); x = x - max[C](x); assert!(x > -1.5, \"new\"); }",
        "fn k(p: &mut Tensor[V], i: &Tensor<i64>[N], x: &Tensor[N]) {
            assert!(i < size(V), \"in range\"); p[i] += x;
        }",
        "fn k(x: &Tensor[N], y: &Tensor[M]) -> (Tensor[N], Tensor[M], Tensor[]) {
            assert!(x < 0.95, \"x\"); assert!(size(N) < 4, \"few\"); (exp(x), y, sum[N](x))
        }",
    ] {
        check(source, 12);
    }
}

#[test]
fn schedules_of_random_kernels_mean_what_their_graphs_mean() {
    for seed in 0..300 {
        check(&Kernel::random(seed, Language::Whole).to_string(), 2);
    }
}
