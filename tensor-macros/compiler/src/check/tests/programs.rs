//! Legal programs.

use super::{check, kernel};
use crate::check::Checked;
use crate::ir::{Binary, Elem, Extent, Kernel, NodeId, Op, Reduction, ScalarTy, Target, Ty, Unary, Write};

/// A node as an expression; literals, sizes and loads as they would be written.
fn show(kernel: &Kernel, id: NodeId) -> String {
    let graph = &kernel.graph;
    let args: Vec<String> = graph.args(id).iter().map(|&arg| show(kernel, arg)).collect();
    match graph.op(id) {
        Op::Const(crate::ir::Literal::Float(bits)) => format!("{:?}", f64::from_bits(*bits)),
        Op::Const(crate::ir::Literal::Int(value)) => value.to_string(),
        Op::Const(crate::ir::Literal::Bool(value)) => value.to_string(),
        Op::Scalar(position) => kernel.scalars[*position as usize].name.clone(),
        Op::Size(extent) => {
            let axis = graph.all_axes().find(|(_, axis)| axis.extent == *extent);
            format!("#{}", axis.map_or("?", |(_, axis)| axis.name.as_str()))
        }
        Op::Index(axis) => graph.axis(*axis).name.clone(),
        Op::Load { source: crate::ir::Source::Param(position), guarded } => {
            let (index, guard) = args.split_at(args.len() - usize::from(*guarded));
            let guard = guard.first().map(|guard| format!(" | {guard}")).unwrap_or_default();
            format!("{}[{}{guard}]", kernel.tensors[*position as usize].name, index.join(", "))
        }
        Op::Reduce { op, axes } => {
            let axes: Vec<&str> = axes.iter().map(|&axis| graph.axis(axis).name.as_str()).collect();
            format!("{op:?}[{}]({})", axes.join(", "), args[0])
        }
        Op::Unary(op) => format!("{op:?}({})", args.join(", ")),
        Op::Binary(op) => format!("{op:?}({})", args.join(", ")),
        Op::Cast(elem) => format!("{} as {elem:?}", args[0]),
        Op::Convert(ty) => format!("{} to {ty:?}", args[0]),
        Op::Random { distribution, stream } => format!("{distribution:?}{stream}({})", args.join(" at ")),
        other => format!("{other:?}({})", args.join(", ")),
    }
}

/// The values of all roots.
fn values(source: &str) -> Vec<String> {
    let checked = kernel(source);
    checked.kernel.graph.verify();
    checked.kernel.roots.iter().map(|root| show(&checked.kernel, root.value)).collect()
}

/// The value of the only root.
fn value(source: &str) -> String {
    let mut values = values(source);
    assert_eq!(values.len(), 1, "{source}");
    values.remove(0)
}

const EXAMPLES: &str = include_str!("../../../tests/language.txt");

#[test]
fn every_example_checks() {
    let (checked, errors) = check(EXAMPLES);
    let messages: Vec<String> = errors.iter().map(ToString::to_string).collect();
    assert_eq!(messages, Vec::<String>::new());
    assert_eq!(checked.len(), 13);
    for Checked { kernel, places, .. } in &checked {
        kernel.graph.verify();
        for root in &kernel.roots {
            if let Write::Dense { axes } = &root.write {
                assert!(kernel.graph.axes(root.value).iter().all(|axis| axes.contains(&axis)), "{}", kernel.name);
            }
            assert!(places.get(root.value).is_some() || matches!(root.target, Target::Edit(_)), "{}", kernel.name);
        }
    }
}

/// Kernels that users write, beside those of the language's description.
const KERNELS: &str = r"
    fn attention(q: &Tensor[B, T, K], k: &Tensor[B, S, K], v: &Tensor[B, S, V], scale: float) -> Tensor[B, T, V] {
        let s = if S <= T { scale * sum[K](q * k) } else { -inf };
        let e = exp(s - max[S](s));
        sum[S](e * v) / sum[S](e)
    }
    fn masked_softmax(x: &Tensor[.., C], keep: &Tensor<bool>[.., C]) -> Tensor[.., C] {
        let s = if keep { x } else { -inf };
        let m = max[C](s);
        let e = exp(s - if m == -inf { 0.0 } else { m });
        let total = sum[C](e);
        if total == 0.0 { 0.0 } else { e / total }
    }
    fn group_norm(x: &Tensor[N, G, C, L], gamma: &Tensor[G, C], beta: &Tensor[G, C], eps: float) -> Tensor[N, G, C, L] {
        (x - mean[C, L](x)) * rsqrt(var[C, L](x) + eps) * gamma + beta
    }
    fn cross_entropy_ignoring(logits: &Tensor[N, C], target: &Tensor<i64>[N], ignore: i64) -> Tensor[] {
        let keep = target != ignore;
        let loss = if keep { logsumexp[C](logits) - logits[N, target] } else { 0.0 };
        sum[N](loss) / max(sum[N](if keep { 1.0 } else { 0.0 }), 1)
    }
    fn conv2d(x: &Tensor[N, C, H, W], k: &Tensor[O, C, R, S], b: &Tensor[O]) -> Tensor[N, O, P = H - R + 1, Q = W - S + 1] {
        relu(sum[C, R, S](x[N, C, P + R, Q + S] * k) + b)
    }
    fn average_pool(x: &Tensor[N, L], window: usize, stride: usize) -> Tensor[N, P = (L - window) / stride + 1] {
        mean[W = window](x[N, P * stride + W])
    }
    fn cumsum(x: &Tensor[S]) -> Tensor[T = S] { sum[S](if S <= T { x } else { 0 }) }
    fn pairwise(x: &Tensor[N, D], y: &Tensor[M, D]) -> Tensor[N, M] { let d = x - y; sqrt(sum[D](d * d)) }
    fn rope(x: &Tensor[.., T, D], base: float) -> Tensor[.., T, D] {
        let half = size(D) / 2;
        let angle = T * powf(base, -2.0 * (D % half) / size(D));
        let other = if D < half { -x[.., T, D + half] } else { x[.., T, D - half] };
        x * cos(angle) + other * sin(angle)
    }
    fn upsample(x: &Tensor[N, L]) -> Tensor[N, M = 2 * L] { x[N, M / 2] }
    fn stencil(x: &Tensor[N]) -> Tensor[N] { x[max(N - 1, 0)] - 2 * x + x[min(N + 1, size(N) - 1)] }
    fn dropout(x: &Tensor[..], keep: &Tensor<bool>[..], p: float) -> Tensor[..] { if keep { x / (1 - p) } else { 0 } }
    fn diagonal(x: &Tensor[N, M]) -> Tensor[N] { x[N, N] }
    fn bilinear(x: &Tensor[N, I], w: &Tensor[O, I, J], y: &Tensor[N, J]) -> Tensor[N, O] { sum[I, J](x * w * y) }
    fn accuracy(logits: &Tensor[N, C], target: &Tensor<i64>[N]) -> Tensor<f32>[] {
        mean[N]((argmax[C](logits) == target) as f32)
    }
    fn adamw(p: &mut Tensor[..], m: &mut Tensor[..], v: &mut Tensor[..], g: &Tensor[..], lr: float, decay: float, step: usize) {
        m = 0.9 * m + 0.1 * g;
        v = 0.999 * v + 0.001 * g * g;
        let corrected = m / (1 - powi(0.9, step));
        p -= lr * (corrected / (sqrt(v / (1 - powi(0.999, step))) + 1e-8) + decay * p);
    }
    fn half_scale(x: &Tensor<bf16>[N], s: f32) -> (Tensor<f16>[N], Tensor<f64>[]) { (x * s, sum[N](x as f64)) }
";

#[test]
fn usual_kernels_check() {
    let (checked, errors) = check(KERNELS);
    let messages: Vec<String> = errors.iter().map(ToString::to_string).collect();
    assert_eq!(messages, Vec::<String>::new());
    checked.iter().for_each(|checked| checked.kernel.graph.verify());
}

#[test]
fn literals_and_float_scalars_adapt() {
    assert_eq!(value("fn f(x: &Tensor[N], a: float) -> Tensor[N] { 2 * x + a }"), "Add(Mul(2.0, x[N]), a)");
    let checked = kernel("fn f(x: &Tensor<f32>[N], y: &Tensor[N], a: float) -> Tensor<f32>[N] { x * (a + 0.5) }");
    let root = checked.kernel.roots[0].value;
    assert_eq!(checked.kernel.graph.ty(root), Ty::F32);
    assert_eq!(show(&checked.kernel, root), "Mul(x[N], Add(a, 0.5))");
    assert_eq!(
        value("fn f(i: &Tensor<i32>[N]) -> Tensor<i32>[N] { if i > 1 { 2 } else { 0 } }"),
        "Select(Gt(i[N], 1), 2, 0)"
    );
    assert_eq!(value("fn f(x: &Tensor[N]) -> Tensor[N] { x + -3 }"), "Add(x[N], -3.0)");
    assert_eq!(
        value("fn f(n: &Tensor<i64>[N]) -> Tensor<i64>[N] { n + -9223372036854775808 }"),
        "Add(n[N], -9223372036854775808)"
    );
}

#[test]
fn a_kernel_without_generic_element_computes_in_its_only_float() {
    let checked =
        kernel("fn f(x: &Tensor<f64>[N], i: &Tensor<i64>[N], a: float) -> Tensor<f64>[N] { a * x + i as float }");
    assert_eq!(show(&checked.kernel, checked.kernel.roots[0].value), "Add(Mul(a, x[N]), i[N] as F64)");
}

#[test]
fn axes_and_sizes_are_integers_that_meet_floats() {
    assert_eq!(
        value("fn f(x: &Tensor[N]) -> Tensor[N] { x * N / size(N) }"),
        "Div(Mul(x[N], N to Float), #N to Float)"
    );
    assert_eq!(
        value("fn f(x: &Tensor[N]) -> Tensor[N] { x * sqrt(size(N) + 1) }"),
        "Mul(x[N], Sqrt(Add(#N, 1) to Float))"
    );
    assert_eq!(value("fn f(x: &Tensor[N]) -> Tensor<i64>[N] { N + 1 }"), "Add(N, 1)");
}

#[test]
fn compound_reductions_are_expanded() {
    assert_eq!(
        value("fn f(x: &Tensor[N, C]) -> Tensor[] { mean[N, C](x) }"),
        "Div(Sum[N, C](x[N, C]), Mul(#N, #C) to Float)"
    );
    assert_eq!(
        value("fn f(x: &Tensor[C]) -> Tensor[] { logsumexp[C](x) }"),
        "Select(Eq(Sum[C](Exp(Sub(x[C], Stop(Select(Or(Eq(Max[C](x[C]), -inf), Eq(Max[C](x[C]), inf)), 0.0, \
         Max[C](x[C])))))), 0.0), -inf, \
         Add(Stop(Select(Or(Eq(Max[C](x[C]), -inf), Eq(Max[C](x[C]), inf)), 0.0, Max[C](x[C]))), \
         Ln(Sum[C](Exp(Sub(x[C], Stop(Select(Or(Eq(Max[C](x[C]), -inf), Eq(Max[C](x[C]), inf)), 0.0, Max[C](x[C])))))))))"
    );
    assert_eq!(
        value("fn f(x: &Tensor[]) -> Tensor[] { clamp(x, 0, 1) + relu(x) }"),
        "Add(Min(Max(x[], 0.0), 1.0), Max(x[], 0.0))"
    );
    assert_eq!(
        value("fn f(x: &Tensor[]) -> Tensor[] { recip(x) - fract(x) }"),
        "Sub(Div(1.0, x[]), Sub(x[], Trunc(x[])))"
    );
}

#[test]
fn every_function_is_in_the_language() {
    let floats = "exp exp2 ln log2 log10 log1p expm1 sqrt rsqrt cbrt sin cos tan asin acos atan sinh cosh tanh sigmoid \
                  softplus erf erfc relu abs sign floor ceil round trunc fract recip detach";
    for name in floats.split_whitespace() {
        value(&format!("fn f(x: &Tensor[N]) -> Tensor[N] {{ {name}(x) }}"));
    }
    for call in [
        "atan2(x, y)",
        "powi(x, 3)",
        "powf(x, y)",
        "xlogy(x, y)",
        "min(x, y)",
        "max(x, 0)",
        "clamp(x, y, 1)",
        "fma(x, y, 2)",
        "select(x < y, x, 1)",
        "x % y",
    ] {
        value(&format!("fn f(x: &Tensor[N], y: &Tensor[N]) -> Tensor[N] {{ {call} }}"));
    }
    for name in "sum mean max min prod logsumexp var".split_whitespace() {
        value(&format!("fn f(x: &Tensor[N]) -> Tensor[] {{ {name}[N](x) }}"));
    }
    for name in ["argmax", "argmin"] {
        value(&format!("fn f(x: &Tensor[N]) -> Tensor<i64>[] {{ {name}[N](x) }}"));
    }
    for call in ["any[N](x > 0)", "all[N](is_nan(x) || !is_finite(x))"] {
        value(&format!("fn f(x: &Tensor[N]) -> Tensor<bool>[] {{ {call} }}"));
    }
}

#[test]
fn indices_of_every_kind_are_loads() {
    assert_eq!(value("fn f(x: &Tensor[N, M]) -> Tensor[N] { x[N, N] }"), "x[N, N]");
    assert_eq!(value("fn f(x: &Tensor[N, M]) -> Tensor[N] { x[N, 0] }"), "x[N, 0]");
    assert_eq!(value("fn f(x: &Tensor[N], k: usize) -> Tensor[] { x[k + 1] }"), "x[Add(k, 1)]");
    assert_eq!(
        value("fn f(x: &Tensor[N]) -> Tensor[N] { x[min(N + 1, size(N) - 1)] }"),
        "x[Min(Add(N, 1), Sub(#N, 1))]"
    );
    assert_eq!(value("fn f(x: &Tensor[N], i: &Tensor<u8>[K]) -> Tensor[K] { x[i] }"), "x[i[K] to I64]");
    assert_eq!(value("fn f(x: &Tensor[.., C]) -> Tensor[..] { x[.., 0] }"), "x[.., 0]");
    assert_eq!(value("fn f(x: &Tensor[]) -> Tensor[] { x[] }"), "x[]");
}

#[test]
fn loads_that_may_fail_carry_the_path() {
    let shift = "fn f(x: &Tensor[N]) -> Tensor[N] { if N > 0 { x[N - 1] } else if N == 0 { x[0] } else { x } }";
    assert_eq!(
        value(shift),
        "Select(Gt(N, 0), x[Sub(N, 1) | Gt(N, 0)], Select(Eq(N, 0), x[0 | And(Not(Gt(N, 0)), Eq(N, 0))], x[N]))"
    );
    assert_eq!(
        value("fn f(x: &Tensor[N], t: &Tensor<i64>[]) -> Tensor<bool>[] { t >= 0 && x[t] > 0 }"),
        "And(Ge(t[], 0), Gt(x[t[] | Ge(t[], 0)], 0.0))"
    );
    assert_eq!(
        value(
            "fn f(a: &Tensor<i64>[N], b: &Tensor<i64>[N]) -> Tensor<i64>[N] { if b != 0 { a / b + a / 2 } else { 0 } }"
        ),
        "Select(Ne(b[N], 0), Add(Div(a[N], b[N], Ne(b[N], 0)), Div(a[N], 2)), 0)"
    );
}

#[test]
fn a_path_is_not_captured_by_a_reduction_over_its_axis() {
    let source = "fn f(x: &Tensor[N], i: &Tensor<i64>[N]) -> Tensor[N] { if N > 2 { sum[N](x[i]) } else { 0.0 } }";
    assert_eq!(value(source), "Select(Gt(N, 2), Sum[N'](x[i[N'] | Gt(N, 2)]), 0.0)".replace("N'", "N''"));
}

#[test]
fn an_axis_may_be_free_and_bound() {
    assert_eq!(value("fn f(x: &Tensor[N]) -> Tensor[N] { x / sum[N](x) }"), "Div(x[N], Sum[N](x[N]))");
}

#[test]
fn windows_of_one_size_are_one_axis() {
    let source = "fn f(x: &Tensor[L], w: usize) -> Tensor[P = L - w + 1] {
        let m = max[W = w](x[P + W]);
        sum[W = w](exp(x[P + W] - m))
    }";
    assert_eq!(value(source), "Sum[W](Exp(Sub(x[Add(P, W)], Max[W](x[Add(P, W)]))))");
    assert_eq!(
        value("fn f(x: &Tensor[N, K]) -> Tensor[N] { sum[M = N, K](x[N, K] * x[M, K]) }"),
        "Sum[M, K](Mul(x[N, K], x[M, K]))"
    );
}

#[test]
fn sizes_are_expressions_of_sizes() {
    let checked =
        kernel("fn f(x: &Tensor[N, L], k: usize) -> Tensor[N, P = (L - k) / 2 + 1, M = N] { x[N, P * 2] + x[M, 0] }");
    let graph = &checked.kernel.graph;
    let output = &checked.kernel.outputs[0];
    let [n, p, m] = output.axes[..] else { panic!("three axes") };
    assert_eq!(graph.axis(n).extent, graph.axis(m).extent);
    let Extent::Computed(size) = graph.extent(graph.axis(p).extent) else { panic!("a computed size") };
    assert_eq!(show(&checked.kernel, size), "Add(Div(Sub(#L, k), 2), 1)");
}

#[test]
fn parameters_may_share_and_pin_sizes() {
    let checked = kernel(
        "fn f(x: &Tensor[M = N, D = 3], y: &Tensor[N, 2], z: &Tensor[M]) -> Tensor[] { sum[M, D](x * z) + y[0, 1] }",
    );
    let graph = &checked.kernel.graph;
    let [x, y, _] = &checked.kernel.tensors[..] else { panic!("three tensors") };
    assert_eq!(graph.axis(x.axes[0]).extent, graph.axis(y.axes[0]).extent);
    assert_eq!(graph.extent(graph.axis(x.axes[1]).extent), Extent::Literal(3));
    assert_eq!(graph.extent(graph.axis(y.axes[1]).extent), Extent::Literal(2));
}

#[test]
fn assignments_see_new_values() {
    let adam = "fn f(p: &mut Tensor[..], m: &mut Tensor[..], g: &Tensor[..], lr: float) {
        m = 0.9 * m + 0.1 * g;
        p -= lr * m;
    }";
    assert_eq!(
        values(adam),
        ["Add(Mul(0.9, m[..]), Mul(0.1, g[..]))", "Sub(p[..], Mul(lr, Add(Mul(0.9, m[..]), Mul(0.1, g[..]))))"]
    );
    assert_eq!(values("fn f(a: &mut Tensor[N], b: &mut Tensor[N]) { let t = a; a = b; b = t; }"), ["b[N]", "a[N]"]);
    assert_eq!(values("fn f(a: &mut Tensor[N]) -> Tensor[N] { a += 1; a *= 2; a }"), ["Mul(Add(a[N], 1.0), 2.0)"; 2]);
    assert_eq!(value("fn f(a: &mut Tensor[N, 3], i: &Tensor<i64>[N]) { a = 0; }"), "0.0");
}

#[test]
fn assignments_in_branches_are_selected() {
    assert_eq!(
        value("fn f(y: &mut Tensor[N], x: &Tensor[N]) { if x > 0 { y += x; } else if x < -1 { y = 0; } }"),
        "Select(Gt(x[N], 0.0), Add(y[N], x[N]), Select(Lt(x[N], -1.0), 0.0, y[N]))"
    );
}

#[test]
fn additions_at_computed_indices_scatter() {
    let checked = kernel(
        "fn f(acc: &mut Tensor<i64>[B], bin: &Tensor<i64>[N], w: &Tensor<i64>[N]) { if w > 0 { acc[bin] += w; } }",
    );
    let root = &checked.kernel.roots[0];
    let Write::Scatter { index, over, op, guard } = &root.write else { panic!("a scatter") };
    assert_eq!(show(&checked.kernel, index[0]), "bin[N]");
    assert_eq!(over.len(), 1);
    assert_eq!(*op, Reduction::Sum);
    assert_eq!(show(&checked.kernel, guard.expect("a guard")), "Gt(w[N], 0)");
    assert_eq!(root.target, Target::Edit(0));
    let dense = kernel("fn f(y: &mut Tensor[N, C], x: &Tensor[C]) { y[N, C] += x; }");
    assert!(matches!(dense.kernel.roots[0].write, Write::Dense { .. }));
}

#[test]
fn everything_that_an_atomic_takes_scatters() {
    let scattered = |statement: &str| {
        let source =
            format!("fn f(acc: &atomic Tensor<i64>[B], bin: &Tensor<i64>[N], w: &Tensor<i64>[B]) {{ {statement} }}");
        let checked = kernel(&source);
        let [root] = &checked.kernel.roots[..] else { panic!("one root") };
        let Write::Scatter { index, op, guard, .. } = &root.write else { panic!("a scatter") };
        let guard = guard.map_or(String::new(), |guard| format!(" if {}", show(&checked.kernel, guard)));
        format!("[{}] {op:?} {}{guard}", show(&checked.kernel, index[0]), show(&checked.kernel, root.value))
    };
    assert_eq!(scattered("acc[bin] += 1;"), "[bin[N]] Sum 1");
    assert_eq!(scattered("acc += w;"), "[B] Sum w[B]");
    assert_eq!(scattered("acc -= w;"), "[B] Sum Neg(w[B])");
    assert_eq!(scattered("acc[bin] = max(acc[bin], N);"), "[bin[N]] Max N");
    assert_eq!(scattered("acc = min(2 * w, acc);"), "[B] Min Mul(2, w[B])");
    assert_eq!(scattered("if w > 0 { acc += w; }"), "[B] Sum w[B] if Gt(w[B], 0)");
}

#[test]
fn helpers_are_inlined() {
    let source =
        "fn sq(x) { let y = x * x; y } fn quart(x) { sq(sq(x)) } fn f(x: &Tensor[N]) -> Tensor[N] { quart(x + 1) }";
    assert_eq!(value(source), "Mul(Mul(Add(x[N], 1.0), Add(x[N], 1.0)), Mul(Add(x[N], 1.0), Add(x[N], 1.0)))");
}

#[test]
fn elements_and_scalars_have_their_types() {
    let source = "#[no_grad] #[must_use] pub(crate) fn f<T: Float, D: Device>(x: &Tensor<D, T>[N], h: &Tensor<bf16>[N], s: f32, n: usize, b: bool, k: u64) -> Tensor<T>[N]
        { if b { x + (h as float) * (s as T) } else { (n as float) + ((k as i64) as float) + (x as f16) as float } }";
    let checked = kernel(source);
    assert!(checked.kernel.no_grad);
    assert_eq!(checked.kernel.tensors[0].elem, Elem::Generic);
    assert_eq!(checked.kernel.tensors[1].elem, Elem::Bf16);
    let tys: Vec<ScalarTy> = checked.kernel.scalars.iter().map(|scalar| scalar.ty).collect();
    assert_eq!(tys, [ScalarTy::F32, ScalarTy::Usize, ScalarTy::Bool, ScalarTy::U64]);
}

#[test]
fn lets_keep_their_names() {
    let checked = kernel("fn f(x: &Tensor[N]) -> Tensor[N] { let d = x - 1; let e: float = exp(d); let e = e * d; e }");
    let names: Vec<&str> = checked.kernel.names.values().map(String::as_str).collect();
    assert_eq!(names, ["d", "e", "e"]);
}

#[test]
fn integer_sums_are_64_bit() {
    let checked = kernel(
        "fn f(x: &Tensor<i32>[N], y: &Tensor<u8>[N]) -> (Tensor<i64>[], Tensor<u8>[]) { (sum[N](x), max[N](y)) }",
    );
    let [sum, max] = &checked.kernel.roots[..] else { panic!("two roots") };
    assert_eq!(checked.kernel.graph.ty(sum.value), Ty::I64);
    assert_eq!(checked.kernel.graph.ty(max.value), Ty::U8);
}

#[test]
fn a_constant_is_negated_in_place() {
    let checked = kernel("fn f(x: &Tensor[N]) -> Tensor[N] { -x + -inf }");
    let graph = &checked.kernel.graph;
    let args = graph.args(checked.kernel.roots[0].value);
    assert_eq!(graph.op(args[0]), &Op::Unary(Unary::Neg));
    assert_eq!(graph.as_float(args[1]), Some(f64::NEG_INFINITY));
    assert_eq!(graph.op(checked.kernel.roots[0].value), &Op::Binary(Binary::Add));
}

#[test]
fn a_kernel_without_tensors_is_legal() {
    assert_eq!(value("fn ramp(n: usize, step: float) -> Tensor<f32>[N = n] { N * step }"), "Mul(N to F32, step)");
    assert_eq!(value("fn zero() -> Tensor<f32>[] { 0.0 }"), "0.0");
}

#[test]
fn conditions_may_be_values() {
    assert_eq!(
        value("fn f(a: bool, b: bool) -> Tensor<bool>[] { let c = a || !b; if c { a == b } else { true } }"),
        "Select(Or(a, Not(b)), Eq(a, b), true)"
    );
}

#[test]
fn a_random_number_counts_along_every_axis_in_scope() {
    let at = "Uniform0(seed to U64 at ";
    for (source, expected) in [
        ("fn f(x: &Tensor[], seed: i64) -> Tensor[] { x * uniform(seed) }", "0"),
        ("fn f(x: &Tensor[N], seed: i64) -> Tensor[N] { x * uniform(seed) }", "N"),
        ("fn f(x: &Tensor[.., C], seed: i64) -> Tensor[C, ..] { x * uniform(seed) }", "Add(Mul(C, #..), ..)"),
        // A reduction hides the axis of its name and adds those that the output lacks.
        ("fn f(x: &Tensor[N, C], seed: i64) -> Tensor[N, C] { sum[C](x * uniform(seed)) }", "Add(Mul(N, #C), C)"),
        ("fn f(x: &Tensor[N, C], seed: i64) -> Tensor[C] { sum[N](x * uniform(seed)) }", "Add(Mul(C, #N), N)"),
        ("fn f(y: &mut Tensor[N, C], seed: i64) { y += uniform(seed); }", "Add(Mul(N, #C), C)"),
        ("fn f(y: &mut Tensor[N], i: &Tensor<i64>[K], seed: i64) { y[i] += uniform(seed); }", "K"),
    ] {
        let found = values(source).remove(0);
        assert!(found.contains(&format!("{at}{expected})")), "{source}\n{found}");
    }
}

#[test]
fn each_call_of_a_random_function_has_its_own_stream() {
    assert_eq!(
        value(
            "fn f(x: &Tensor<f32>[N], seed: u64) -> Tensor<f32>[N] { let u = uniform(seed); u + u * normal(seed) + x }"
        ),
        "Add(Add(Uniform0(seed at N), Mul(Uniform0(seed at N), Normal1(seed at N))), x[N])"
    );
    // A helper that is called twice draws twice.
    assert_eq!(
        value("fn noise(s) { uniform(s) } fn f(seed: u64, n: usize) -> Tensor<f32>[N = n] { noise(seed) - noise(7) }"),
        "Sub(Uniform0(seed at N), Uniform1(7 to U64 at N))"
    );
}

/// Text, axes and condition of every assertion.
fn assertions(source: &str) -> Vec<String> {
    let kernel = kernel(source).kernel;
    let assertions = kernel.assertions.iter().map(|assertion| {
        let axes: Vec<&str> = assertion.axes.iter().map(|&axis| kernel.graph.axis(axis).name.as_str()).collect();
        format!("{} [{}] {}", assertion.text, axes.join(", "), show(&kernel, assertion.condition))
    });
    assertions.collect()
}

#[test]
fn an_assertion_is_checked_where_it_is_reached() {
    assert_eq!(
        assertions(
            "fn f(x: &Tensor[N, C], b: bool, n: usize) -> Tensor[C] {
                assert!(n > 0, \"n\",);
                if b { assert!(x > 1, \"branch\"); } else { { assert!(b, \"else\"); } }
                let y = { assert!(C < n, \"block\"); x };
                sum[N]({ assert!(b, \"body\"); if y > 0 { assert!(y < 9, \"both\") ; y } else { 0.0 } })
            }"
        ),
        [
            "n [] Gt(n, 0)",
            "branch [N, C] Or(Not(b), Gt(x[N, C], 1.0))",
            "else [] Or(Not(Not(b)), b)",
            "block [C] Lt(C, n)",
            "body [N] b",
            "both [N, C] Or(Not(Gt(x[N, C], 0.0)), Lt(x[N, C], 9.0))",
        ]
    );
}

#[test]
fn assertions_stand_in_helpers_and_at_the_end_of_a_body() {
    assert_eq!(
        assertions("fn checked(v) { assert!(v > 0, \"positive\"); v } fn f(x: &Tensor[N]) -> Tensor[N] { checked(x) }"),
        ["positive [N] Gt(x[N], 0.0)"]
    );
    // The new value is asserted about.
    assert_eq!(
        assertions("fn f(y: &mut Tensor[N]) { y += 1; assert!(y > 0, \"positive\") }"),
        ["positive [N] Gt(Add(y[N], 1.0), 0.0)"]
    );
}
