//! Wrong programs, and the first line of what is said.

use super::check;

/// The messages of a block, first lines only.
fn first_lines(source: &str) -> Vec<String> {
    let (_, errors) = check(source);
    errors.iter().map(|error| error.to_string().lines().next().unwrap_or_default().to_owned()).collect()
}

/// Compares each program's first message with the expected one, and reports all differences.
fn compare(cases: &[(&str, &str)], program: impl Fn(&str) -> String) {
    let differences: Vec<String> = cases
        .iter()
        .filter_map(|(case, expected)| {
            let found = first_lines(&program(case)).into_iter().next().unwrap_or_else(|| "no mistake".to_owned());
            (found != *expected).then(|| format!("{case}\n  expected {expected}\n  found    {found}"))
        })
        .collect();
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

/// A remedy that compiles and computes something else would be worse than none.
#[test]
fn remedies_say_what_computes_the_same() {
    let remedies = [
        ("x ** 2", "write `powi(x, 2)`, or `powf(x, y)` for other exponents"),
        ("sgn(x)", "write `sign`"),
        ("arcsin(x)", "write `asin`"),
        ("expit(x)", "write `sigmoid`"),
        ("sqr(x)", "write `x * x`"),
        ("swish(x)", "write `x * sigmoid(x)`"),
        ("elu(x)", "`elu` is a kernel of the library `tensor-rt-kernels`; call it outside, or write its formula here"),
        ("tahn(x)", "there is `tanh`"),
        ("x.mean(1)", "write `mean[N](x)`, with the name of the axis"),
        ("x.pow(2)", "write `powi(x, 2)`, or `powf(x, y)`"),
        (
            "x.softmax(1)",
            "`softmax` is a kernel of the library `tensor-rt-kernels`; call it outside, or write its formula here",
        ),
        ("x.shape", "the size of an axis is `size(N)`"),
        ("x.T", "operands meet by axis name; no view is needed"),
        ("x * PI", "constants are `inf`, `nan`, `pi`"),
    ];
    for (body, remedy) in remedies {
        let (_, errors) = check(&format!("fn f(x: &Tensor[N, K], b: bool, a: float) -> Tensor[N, K] {{ {body} }}"));
        let text = errors.iter().map(ToString::to_string).next().unwrap_or_default();
        assert_eq!(text.split_once("\nhelp: ").map(|(_, help)| help), Some(remedy), "{body}: {text}");
    }
    for quotient in ["1 / 2 * x", "x * (N / size(N))", "-(N / 2 + 1) * x", "if N / 2 == x { 1.0 } else { 0.0 }"] {
        let (_, errors) = check(&format!("fn f(x: &Tensor[N]) -> Tensor[N] {{ {quotient} }}"));
        let text = errors.iter().map(ToString::to_string).next().unwrap_or_default();
        assert!(
            text.starts_with("this quotient of integers is truncated before it meets a float"),
            "{quotient}: {text}"
        );
    }
    let (_, errors) = check("fn f(x: &Tensor[N]) -> Tensor[M = 2 * N] { x[M / 2] * (M / 2) as float + M % 2 }");
    assert_eq!(errors.len(), 0);
    let (_, errors) = check("fn f(x: &Tensor[N, K]) -> Tensor[N] { sum[K](x) / K }");
    let text = errors.iter().map(ToString::to_string).next().unwrap_or_default();
    assert!(text.ends_with("; its size is `size(K)`"), "{text}");
}

#[test]
fn a_wrong_body_is_refused_by_name() {
    compare(BODIES, |body| {
        let signature = "x: &Tensor[N, K], i: &Tensor<i64>[N], b: bool, n: usize, a: float";
        format!("fn f({signature}) -> Tensor[N, K] {{ {body} }}")
    });
}

#[test]
fn a_wrong_block_is_refused_by_name() {
    compare(BLOCKS, str::to_owned);
}

#[test]
fn every_mistake_is_reported() {
    let source =
        "fn f(x: &Tensor[N], i: &Tensor<i64>[N]) -> Tensor[N] { let d = x + i; let e = exp(i) + log(x); d + e + q }";
    assert_eq!(
        first_lines(source),
        [
            "`+` needs operands of one type, found `float` and `i64`",
            "`exp` needs a float element, found `i64`",
            "unknown function `log`",
            "unknown name `q`",
        ]
    );
    let blocks =
        "fn f(x: &Tensor[N], a, b: &f32) -> Tensor[N] { x } struct A; fn g(x: &Tensor[n, m]) -> Tensor[] { 0.0 }";
    assert_eq!(
        first_lines(blocks),
        [
            "a scalar is passed by value",
            "`a` has no type",
            "`struct` cannot stand in `tensor_fn!`",
            "`n` is no axis name",
            "`m` is no axis name",
        ]
    );
}

#[test]
fn a_free_axis_points_at_what_brings_it_in() {
    let source = "fn f(x: &Tensor[N], w: &Tensor[N, M]) -> Tensor[N] { let e = exp(w); x + e }";
    let (_, errors) = check(source);
    let span = errors.iter().next().expect("a mistake").span();
    assert_eq!(&source[span.start().column..span.end().column], "w");
}

#[test]
fn helpers_that_multiply_are_stopped() {
    let mut source = String::from("fn h0(x) { x + x } ");
    for level in 1..30 {
        source += &format!("fn h{level}(x) {{ h{0}(h{0}(x)) }} ", level - 1);
    }
    source += "fn f(x: &Tensor[N]) -> Tensor[N] { h29(x) }";
    assert_eq!(first_lines(&source), ["kernel `f` grows beyond 100000 expressions"]);
}

/// Bodies of `f(x: &Tensor[N, K], i: &Tensor<i64>[N], b: bool, n: usize, a: float) -> Tensor[N, K]`.
#[rustfmt::skip]
const BODIES: &[(&str, &str)] = &[
    ("", "the body has no value, but the kernel declares an output"),
    ("x;", "the body ends in `;` and has no value"),
    ("let d = x;", "the body has no value, but the kernel declares an output"),
    ("(x, x)", "a tuple stands only at the end of the body, as the outputs"),
    ("y", "unknown name `y`"),
    ("exp", "`exp` is a function"),
    ("q[N]", "unknown tensor `q`"),
    ("Q", "unknown axis `Q`"),
    ("kk + x", "unknown name `kk`"),
    ("xx", "unknown name `xx`"),
    ("x.exp()", "methods do not exist in a kernel"),
    ("x.sum()", "methods do not exist in a kernel"),
    ("x.clone()", "methods do not exist in a kernel"),
    ("x.frobnicate(1)", "methods do not exist in a kernel"),
    ("x.0", "structs do not exist in a kernel"),
    ("std::f32::consts::PI", "paths do not exist in a kernel"),
    ("f32::MAX", "paths do not exist in a kernel"),
    ("self", "unknown name `self`"),
    ("for j in 0..n { } x", "loops do not exist in a kernel"),
    ("while b { } x", "loops do not exist in a kernel"),
    ("loop { }", "loops do not exist in a kernel"),
    ("break", "loops do not exist in a kernel"),
    ("return x", "`return` does not exist in a kernel"),
    ("|x| x", "closures do not exist in a kernel"),
    ("match n { _ => x }", "`match` does not exist in a kernel"),
    ("if let 1 = n { x } else { x }", "patterns do not exist in a kernel"),
    ("Foo { a: 1 }", "structs do not exist in a kernel"),
    ("&x", "references do not exist in a kernel"),
    ("*x", "references do not exist in a kernel"),
    ("0..n", "ranges do not exist in a kernel"),
    ("..", "ranges do not exist in a kernel"),
    ("\"text\"", "text does not exist in a kernel"),
    ("'c'", "text does not exist in a kernel"),
    ("[x, x]", "arrays do not exist in a kernel"),
    ("[x; 3]", "arrays do not exist in a kernel"),
    ("x?", "`?` does not exist in a kernel"),
    ("async { x }", "only plain arithmetic exists in a kernel"),
    ("unsafe { x }", "only plain blocks exist in a kernel"),
    ("'a: { x }", "labels do not exist in a kernel"),
    ("_", "`_` is no value"),
    ("vec![1, 2]", "lists do not exist in a kernel: `vec!`"),
    ("println!(\"a\")", "nothing can be printed from a kernel: `println!`"),
    ("assert!(b); x", "`assert!` has no text"),
    ("assert!(); x", "`assert!` takes a condition"),
    ("assert!(x, \"text\"); x", "a condition is `bool`, found `float`"),
    ("assert!(b, n); x", "the text of `assert!` is one literal"),
    ("assert!(b, \"text\", n); x", "no values are put into the text of `assert!`"),
    ("assert!(b, \"{n}\"); x", "no values are put into the text of `assert!`"),
    ("assert!(b \"text\"); x", "expected `,`"),
    ("assert!(q > 0, \"text\"); x", "unknown name `q`"),
    ("assert!(b, \"text\")", "the body has no value, but the kernel declares an output"),
    ("let y = assert!(b, \"text\"); x", "`assert!` is a statement and has no value"),
    ("sum[W = { assert!(b, \"text\"); n }](x + W)", "an assertion stands in the body, not in a size"),
    ("assert_eq!(n, 1); x", "`assert_eq!` does not exist in a kernel"),
    ("debug_assert!(b, \"text\"); x", "`debug_assert!` does not exist in a kernel"),
    ("panic!()", "a kernel does not panic: `panic!`"),
    ("foo!(x)", "macros are not expanded in a kernel: `foo!`"),
    ("let (p, q) = x; x", "a `let` binds one name"),
    ("let mut d = x; d", "a `let` never changes"),
    ("let d; x", "a `let` has a value from the start"),
    ("let N = x; x", "`N` is an axis and cannot be a `let`"),
    ("let Some(d) = x else { x }; d", "a `let` binds one name"),
    ("let d: i32 = x; d", "the `let` needs `i32`, found `float`"),
    ("let d: Foo = x; d", "no kernel computes with `Foo`"),
    ("let d: f16 = x; d", "half elements are computed with as `f32`"),
    ("#[a] let d = x; d", "attributes cannot stand within a kernel's body"),
    ("#[a] x", "attributes cannot stand within a kernel's body"),
    ("fn g() {} x", "a function cannot stand within a body"),
    ("const A: f32 = 1.0; x", "an item cannot stand within a body"),
    ("x + 1; x", "the value of this expression is not used"),
    ("x + i", "`+` needs operands of one type, found `float` and `i64`"),
    ("i + 0.5", "`+` needs operands of one type, found `i64` and `float`"),
    ("x + b", "`+` needs operands of one type, found `float` and `bool`"),
    ("b + 1", "`+` needs operands of one type, found `bool` and an integer literal"),
    ("b + b", "`+` needs numbers, found `bool`"),
    ("x + n", "`+` needs operands of one type, found `float` and `i64`"),
    ("i & i", "`&` does not exist in a kernel"),
    ("i << 1", "`<<` does not exist in a kernel"),
    ("i ^ 2", "`^` does not exist in a kernel"),
    ("!x", "`!` needs a `bool`, found `float`"),
    ("-b", "`-` needs a signed number, found `bool`"),
    ("x && b", "a condition is `bool`, found `float`"),
    ("x < b", "`<` needs operands of one type, found `float` and `bool`"),
    ("b < b", "`<` needs numbers, found `bool`"),
    ("x == i", "`==` needs operands of one type, found `float` and `i64`"),
    ("1 / 0", "division by zero"),
    ("i / 0", "division by zero"),
    ("1 + 9223372036854775807", "this is too large for `i64`"),
    ("99999999999999999999", "`99999999999999999999` is too large for `i64`"),
    ("1e999", "`1e999` is too large for a float"),
    ("1.0f16", "no kernel computes with `f16`"),
    ("3u64", "no kernel computes with `u64`"),
    ("300u8", "`300` does not fit `u8`"),
    ("x as usize", "no kernel computes with `usize`"),
    ("x as Foo", "no kernel computes with `Foo`"),
    ("x as bool", "a number is not cast to `bool`"),
    ("x as &f32", "no kernel computes with this type"),
    ("exp(i)", "`exp` needs a float element, found `i64`"),
    ("exp(b)", "`exp` needs a float element, found `bool`"),
    ("exp(x, x)", "`exp` takes 1 argument, found 2"),
    ("exp()", "`exp` takes 1 argument, found 0"),
    ("exp[N](x)", "`exp` is no reduction"),
    ("log(x)", "unknown function `log`"),
    ("pow(x, 2)", "unknown function `pow`"),
    ("tahn(x)", "unknown function `tahn`"),
    ("frob(x)", "unknown function `frob`"),
    ("powi(x, 2.0)", "the exponent of `powi` is an integer, found `float`"),
    ("abs(b)", "`abs` needs a signed number, found `bool`"),
    ("min(x, i)", "`min` needs arguments of one type, found `float` and `i64`"),
    ("min(b, b)", "`min` needs numbers, found `bool`"),
    ("clamp(x, 0, i)", "`clamp` needs arguments of one type, found `float` and `i64`"),
    ("select(x, x, x)", "the first argument of `select` is `bool`, found `float`"),
    ("select(b, x, i)", "`select` needs arguments of one type, found `float` and `i64`"),
    ("fma(x, i, x)", "`fma` needs a float element, found `i64`"),
    ("size(x)", "`size` takes an axis, and `x` is a parameter"),
    ("size(3)", "`size` takes an axis"),
    ("size(Q)", "unknown axis `Q`"),
    ("size(..)", "no parameter has the axes `..`"),
    ("f(x)", "`f` is a kernel and cannot be called in a kernel"),
    ("let d = x; d(1)", "`d` is a `let`, not a function, and cannot be called in a kernel"),
    ("x(1)", "`x` is a parameter, not a function, and cannot be called in a kernel"),
    ("(x)(1)", "`x` is a parameter, not a function, and cannot be called in a kernel"),
    ("a.b(1)", "methods do not exist in a kernel"),
    ("uniform(a)", "the seed of `uniform` is an integer, found `float`"),
    ("normal(b)", "the seed of `normal` is an integer, found `bool`"),
    ("uniform(N)", "the seed of `uniform` is one number for the whole call, found `i64` that varies"),
    ("normal(i)", "the seed of `normal` is one number for the whole call, found `i64` that varies"),
    ("uniform()", "`uniform` takes 1 argument, found 0"),
    ("sum[W = uniform(n)](x)", "a size cannot depend on `uniform`"),
    ("pad_with(x[N - 1, K])", "`pad_with` takes 2 arguments, found 1"),
    ("pad_with(x, 0.0)", "`pad_with` takes an indexed tensor"),
    ("pad_with(exp(x[N - 1, K]), 0.0)", "`pad_with` takes an indexed tensor"),
    ("pad_with(x[N - 1, K], i)", "the default of `pad_with` needs `float`, found `i64`"),
    ("pad_with(i[N - 1], 0.5) as float", "the default of `pad_with` needs `i64`, found `float`"),
    ("sum(x)", "`sum` names the axes it reduces"),
    ("sum()", "`sum` names the axes it reduces"),
    ("sum[](x)", "`sum[]` names no axis"),
    ("sum[Q](x)", "unknown axis `Q`"),
    ("sum[..](x)", "no parameter has the axes `..`"),
    ("sum[N, N](x)", "axis `N` is reduced twice"),
    ("sum[x](x)", "`x` is a parameter, and `sum[..]` names axes"),
    ("sum[3](x)", "`sum[..]` names axes"),
    ("sum[N](x, x)", "`sum[..]` takes 1 argument, found 2"),
    ("sum[N](1.0)", "the body of `sum` does not vary along the reduced axis `N`"),
    ("sum[N](a)", "the body of `sum` does not vary along the reduced axis `N`"),
    ("mean[N](i)", "`mean` needs a float element, found `i64`"),
    ("any[N](x)", "`any` needs a `bool`, found `float`"),
    ("sum[N](b)", "`sum` needs numbers, found `bool`"),
    ("max[N](i > 0)", "`max` needs numbers, found `bool`"),
    ("min[N](i > 0)", "`min` needs numbers, found `bool`"),
    ("sun[N](x)", "unknown reduction `sun`"),
    ("frobnicate[N](x)", "unknown reduction `frobnicate`"),
    ("x[N](x)", "unknown reduction `x`"),
    ("max[K = 3](x)", "axis `K` exists already"),
    ("max[W = a](x[N, W])", "a size is an integer, found `float`"),
    ("max[w = 3](x)", "`w` is no axis name"),
    ("max[3 = W](x)", "unknown axis `W`"),
    ("max[W = 3](max[W = 3](x[N, W]))", "axis `W` exists already"),
    ("sum[N]", "`sum[..]` has no argument"),
    ("argmax[K](x)", "the output needs `float`, found `i64`"),
    ("x[N]", "`x` has 2 axes, found 1 in the index"),
    ("x[N, K, 0]", "`x` has 2 axes, found 3 in the index"),
    ("x[]", "`x` has 2 axes, found 0 in the index"),
    ("x[.., K]", "`..` stands where `x` declares `N`"),
    ("x[N, 0.5]", "an index is an integer, found `float`"),
    ("x[N, b]", "an index is an integer, found `bool`"),
    ("x[N, -1]", "an index counts from 0"),
    ("x[N, 0..2]", "slices do not exist in a kernel: an index names one element"),
    ("x[N, x]", "an index is an integer, found `float`"),
    ("n[0]", "`n` is a scalar and has no elements"),
    ("let d = x; d[N, K]", "`d` is a number here, and only a tensor parameter can be indexed"),
    ("exp(x)[0]", "only a tensor parameter can be indexed"),
    ("x[N][K]", "only a tensor parameter can be indexed"),
    ("x[N, Q]", "unknown axis `Q`"),
    ("x[Nn, K]", "unknown axis `Nn`"),
    ("if b { x }", "an `if` without `else` has no value"),
    ("if x { x } else { x }", "a condition is `bool`, found `float`"),
    ("if b { x } else { i }", "both branches of `if` need one type, found `float` and `i64`"),
    ("if b { } else { x }", "this block has no value"),
    ("if b { x; } else { x }", "this block ends in `;` and has no value"),
    ("if b { 1 } else { 0.5 }; x", "the value of this expression is not used"),
    ("x = 1.0; x", "`x` is passed by `&` and cannot be assigned"),
    ("n = 3; x", "`n` is a scalar and never changes"),
    ("q = 3; x", "unknown name `q`"),
    ("x += 1; x", "`x` is passed by `&` and cannot be assigned"),
    ("let d = x; d = 2; x", "`d` is a `let` and never changes"),
    ("let d = (x = 1.0); x", "an assignment cannot stand within an expression"),
    ("3 = 4; x", "only a `&mut` parameter can be assigned"),
    ("{ x = 1; x }", "an assignment cannot stand within an expression"),
];

/// Whole blocks.
#[rustfmt::skip]
const BLOCKS: &[(&str, &str)] = &[
    ("struct A;", "`struct` cannot stand in `tensor_fn!`"),
    ("use a::{b, c};", "`use` cannot stand in `tensor_fn!`"),
    ("async fn f(x: &Tensor[N]) -> Tensor[N] { x }", "a kernel is a plain `fn`, found `async fn`"),
    ("unsafe extern \"C\" fn f() {}", "a kernel is a plain `fn`, found `unsafe fn`"),
    ("fn f(x: &Tensor[N]) -> Tensor[N]", "expected a function with a body"),
    ("#![allow(x)] fn f(x: &Tensor[N]) -> Tensor[N] { x }", "an inner attribute cannot stand in `tensor_fn!`"),
    ("42", "expected a function with a body"),
    ("macro_rules! a { () => {} }", "`macro_rules` cannot stand in `tensor_fn!`"),
    ("impl Foo { }", "`impl` cannot stand in `tensor_fn!`"),
    ("fn f(x: &Tensor) -> Tensor[N] { x }", "`Tensor` needs its axes"),
    ("fn f(x: &Tensor[N]<f32>) -> Tensor[N] { x }", "the element stands before the axes"),
    ("fn f(x: &Tensor[n]) -> Tensor[] { 0.0 }", "`n` is no axis name"),
    ("fn f(x: &Tensor[N M]) -> Tensor[] { 0.0 }", "expected `,` or `=` after axis `N`"),
    ("fn f(x: &Tensor[N,,M]) -> Tensor[] { 0.0 }", "expected an axis before `,`"),
    ("fn f(x: &Tensor[3.5]) -> Tensor[] { 0.0 }", "`3.5` is no size"),
    ("fn f(x: &Tensor[N = ]) -> Tensor[] { 0.0 }", "axis `N` has no size after `=`"),
    ("fn f(x: &Tensor[N + 1]) -> Tensor[] { 0.0 }", "expected `,` or `=` after axis `N`"),
    ("fn f(x: &Tensor[\"N\"]) -> Tensor[] { 0.0 }", "`\"N\"` is no size"),
    ("fn f(x: &Tensor[-1]) -> Tensor[] { 0.0 }", "expected an axis"),
    ("fn f(x: &Tensor[_]) -> Tensor[] { 0.0 }", "`_` is no axis name"),
    ("fn f(x: &Tensor<Foo>[N]) -> Tensor[N] { x }", "`Foo` is neither a device, a grad mode nor an element"),
    ("fn f(x: &Tensor<f32, f64>[N]) -> Tensor[N] { x }", "`f64` is a second argument of its kind"),
    ("fn f<T>(x: &Tensor<T>[N]) -> Tensor[N] { x }", "a kernel cannot compute with `T`"),
    ("fn f<T: Element>(x: &Tensor<T>[N]) -> Tensor[N] { x }", "a kernel cannot compute with `T`"),
    ("fn f(x: &Tensor<(f32)>[N]) -> Tensor[N] { x }", "this is neither a device, a grad mode nor an element"),
    ("fn f(x: &'a Tensor[N]) -> Tensor[N] { x }", "a kernel's parameter needs no lifetime"),
    ("fn f(x: &uniq Tensor[N]) -> Tensor[N] { x }", "expected `Tensor`, `mut` or `atomic`, found `uniq`"),
    ("fn f(x: &Tensor[N]) -> &Tensor[N] { x }", "an output is owned"),
    ("fn f(x: &Tensor[N]) -> Result<Tensor> { x }", "a kernel returns tensors"),
    ("fn f(x: &Tensor[N]) -> f32 { x }", "a kernel returns tensors"),
    ("fn f(x: &Tensor[N]) -> Tensor<Grad>[N] { x }", "the grad mode of an output follows from the inputs"),
    ("fn f(x: &Tensor[N], a: i32) -> Tensor[N] { x }", "`i32` is neither a tensor nor a scalar of kernels"),
    ("fn f(x: &Tensor[N], a: &f32) -> Tensor[N] { x }", "a scalar is passed by value"),
    ("fn f(x: &Tensor[N], a: &[f32]) -> Tensor[N] { x }", "this type is neither a tensor nor a scalar"),
    ("fn f(x: Vec<f32>) -> Tensor[N] { x }", "this type is neither a tensor nor a scalar"),
    ("fn f(x: &Tensor[N], a) -> Tensor[N] { x }", "`a` has no type"),
    ("fn f(x, y) -> Tensor[N] { x }", "`x` has no type"),
    ("fn f(&self) -> Tensor[N] { x }", "a kernel is a free function: expected `name: type`"),
    ("fn f(mut x: &Tensor[N]) -> Tensor[N] { x }", "a parameter is not `mut`"),
    ("fn f(#[a] x: &Tensor[N]) -> Tensor[N] { x }", "attributes cannot stand on a parameter"),
    ("fn f((x, y): &Tensor[N]) -> Tensor[N] { x }", "expected identifier"),
    ("fn f(x: &Tensor[N] y: &Tensor[N]) -> Tensor[N] { x }", "expected `,`"),
    ("fn f(x: &mut f32) -> Tensor[N] { x }", "a scalar is passed by value"),
    ("#[no_grad(x)] fn f(x: &Tensor[N]) -> Tensor[N] { x }", "`#[no_grad]` takes no arguments"),
    ("fn f(x: &Tensor[N]) -> Tensor[N] { x + }", "unexpected end of input, expected an expression"),
    ("fn f(x: &Tensor[N]) -> Tensor[N] { let = 3; x }", "expected one of: identifier, `::`, `<`, `_`, literal, `const`, `ref`, `mut`, `&`, parentheses, square brackets, `..`, `const`"),
    ("fn f(x: &Tensor[N]) -> Tensor[N] { a < b < c }", "comparison operators cannot be chained"),
    ("fn f(x: &Tensor[N]) -> Tensor[N] { x[0; 3] }", "expected `,`"),
    ("pub fn sq(x) { x }", "helper `sq` is private to its block"),
    ("fn g(x: &Tensor[N]) -> Tensor[N] { f(x) } fn f(x: &Tensor[N]) -> Tensor[N] { x }", "`f` is a kernel and cannot be called in a kernel"),
    ("fn sq(x, x) { x }", "`x` is declared twice"),
    ("fn sq<T>(x) { x }", "helper `sq` cannot be generic"),
    ("#[cfg(a)] fn sq(x) { x }", "helper `sq` is inlined and takes no such attribute"),
    ("fn sq(x) { x } fn sq(x) { x }", "helper `sq` is defined twice"),
    ("fn sq(x);", "helper `sq` has no body"),
    ("fn f(x: &Tensor[N]) -> (Tensor[N] Tensor[N]) { x }", "expected `,`"),
    ("fn f(x: &Tensor[N], ..) -> Tensor[N] { x }", "expected identifier"),
    ("fn 3() {}", "expected identifier"),
    ("fn fn() {}", "expected identifier, found keyword `fn`"),
    ("fn f", "expected a function with a body"),
    ("fn f(x: &Tensor[N]) -> Tensor[N];", "kernel `f` has no body"),
    (r#"#[cuda(file = "a", entry = "b", grid = 1, block = 1)] fn f(x: &Tensor[N]) -> Tensor[N];"#, "kernel `f` is written for CUDA alone"),
    ("#[cpu(g)] fn f(x: &Tensor[N]);", "kernel `f` has no effect"),
    ("#[cpu(g)] fn f(x: &Tensor[N]) -> Tensor[N] { x }", "`#[cpu]` stands on a kernel without a body, and `f` has one"),
    ("#[cpu] fn f(x: &Tensor[N]) -> Tensor[N];", "`#[cpu]` names a function"),
    ("#[cpu(g, h)] fn f(x: &Tensor[N]) -> Tensor[N];", "`#[cpu]` names a function"),
    ("#[cpu(g)] #[cpu(h)] fn f(x: &Tensor[N]) -> Tensor[N];", "`#[cpu]` stands twice on `f`"),
    ("#[cpu(g)] fn f(x: &atomic Tensor[N]);", "a hand-written kernel takes no tensor as `&atomic`: functions of the user have no atomic view of a tensor"),
    ("#[cpu(g)] fn f(x: Tensor[N]) -> Tensor[N];", "a hand-written kernel takes no tensor by value: an output cannot take the storage of what may still be read"),
    ("#[cpu(g)] #[backward(h)] fn f(x: &mut Tensor[N]);", "`#[backward]` has nothing to compute: a kernel that edits `x` in place has no gradient"),
    ("#[cpu(g)] #[backward(h)] #[no_grad] fn f(x: &Tensor[N]) -> Tensor[N];", "`#[backward]` has nothing to compute: the kernel is `#[no_grad]`"),
    ("#[cpu(g)] #[backward(h)] fn f(x: &Tensor<i64>[N]) -> Tensor<f32>[N];", "`#[backward]` has nothing to compute: no input is a float tensor"),
    ("#[cpu(g)] #[backward(h)] fn f(x: &Tensor[N]) -> Tensor<i64>[N];", "`#[backward]` has nothing to compute: no output is a float tensor"),
    ("#[cpu(g)] fn f(x: &Tensor<Grad>[N]) -> Tensor[N];", "`x` is `Grad`, but kernel `f` has no gradient"),
    (r#"#[cpu(g)] #[cuda(file = "a")] fn f(x: &Tensor[N]) -> Tensor[N];"#, "`#[cuda]` has no `entry`, `grid`, `block`"),
    (r#"#[cpu(g)] #[cuda(file = a, entry = "b", grid = 1, block = 1)] fn f(x: &Tensor[N]) -> Tensor[N];"#, "`file` is text"),
    (r#"#[cpu(g)] #[cuda(path = "a")] fn f(x: &Tensor[N]) -> Tensor[N];"#, "`#[cuda]` has no value `path`"),
    (r#"#[cpu(g)] #[cuda(file = "a", file = "a", entry = "b", grid = 1, block = 1)] fn f(x: &Tensor[N]) -> Tensor[N];"#, "`file` stands twice in `#[cuda]`"),
    (r#"#[cpu(g)] #[cuda(file = "a", entry = "b", grid = (1, 1, 1, 1), block = 1)] fn f(x: &Tensor[N]) -> Tensor[N];"#, "`grid` has one to three dimensions, found 4"),
    (r#"#[cpu(g)] #[cuda(file = "a", entry = "b", grid = M, block = 1)] fn f(x: &Tensor[N]) -> Tensor[N];"#, "unknown axis `M`"),
    (r#"#[cpu(g)] #[cuda(file = "a", entry = "b", grid = N, block = 0.5)] fn f(x: &Tensor[N]) -> Tensor[N];"#, "a size is an integer, found `float`"),
    (r#"#[cpu(g)] #[cuda(file = "a", entry = "b", grid = x, block = 1)] fn f(x: &Tensor[N]) -> Tensor[N];"#, "a size cannot depend on the data of `x`"),
    ("#[cpu(g)] fn h(x) { x }", "helper `h` is inlined and takes no such attribute"),
    ("fn f(x: &Tensor[N], x: float) -> Tensor[N] { x }", "`x` is declared twice"),
    ("fn f(N: &Tensor[N]) -> Tensor[N] { 0.0 }", "`N` is an axis and a parameter"),
    ("fn f(x: Tensor[N]) -> Tensor[N] { x = 2 * x; x }", "`x` is passed by value and cannot be assigned"),
    ("fn f(x: &atomic Tensor[N]) { x = 1; }", "`x` is `&atomic`: other threads may be changing it, so it is only accumulated into"),
    ("fn f(x: &atomic Tensor[N]) { x *= 2; }", "`x` is `&atomic`: other threads may be changing it, so it is only accumulated into"),
    ("fn f(x: &atomic Tensor[N]) { x = max(x[0], 1.0); }", "`x` is `&atomic`: other threads may be changing it, so it is only accumulated into"),
    ("fn f(x: &atomic Tensor[N]) { x = x + 1; }", "`x` is `&atomic`: other threads may be changing it, so it is only accumulated into"),
    ("fn f(x: &atomic Tensor[N]) { x += x; }", "`x` is `&atomic`: other threads may be changing it, so it cannot be read"),
    ("fn f(x: &atomic Tensor[N]) { x[0] = max(x[0], x[1]); }", "`x` is `&atomic`: other threads may be changing it, so it cannot be read"),
    ("fn f(x: &atomic Tensor[N]) { x += 1; x = min(x, 2.0); }", "`x` is added into and is lowered by `min` in one kernel, so the result would depend on the order of the threads"),
    ("fn f(x: &atomic Tensor[N]) { }", "`x` is `&atomic` but nothing is accumulated into it"),
    ("fn f(x: &atomic Tensor[N], y: &Tensor[N, M]) { x += y; }", "axis `M` is neither iterated by the index of `x` nor reduced"),
    ("fn f(x: &atomic Tensor<bool>[N]) { x += true; }", "`+=` needs numbers, found `bool`"),
    ("fn f(x: &atomic Tensor[N], y: &Tensor<Grad>[N]) { x += y; }", "`y` is `Grad`, but a kernel that accumulates into an `&atomic` tensor has no gradient"),
    ("fn f(x: &Tensor[N, N]) -> Tensor[] { 0.0 }", "axis `N` stands twice in `x`"),
    ("fn f(x: &Tensor[.., ..]) -> Tensor[] { 0.0 }", "axis `..` stands twice in `x`"),
    ("fn f(x: &Tensor[N]) -> Tensor[N, N] { x }", "axis `N` stands twice in the output"),
    ("fn f(x: &Tensor[N]) -> Tensor[..] { x }", "no parameter has the axes `..`"),
    ("fn f(x: &Tensor[N]) -> Tensor[C] { 0.0 }", "axis `C` of the output has no size"),
    ("fn f(x: &Tensor[N]) -> Tensor[N, 3] { x }", "an axis of an output needs a name"),
    ("fn f(x: &Tensor[N], n: usize) -> Tensor[N = n] { x }", "axis `N` has a size already"),
    ("fn f(x: &Tensor[N], a: float) -> Tensor[M = a] { 0.0 }", "a size is an integer, found `float`"),
    ("fn f(x: &Tensor[N]) -> Tensor[M = x] { 0.0 }", "a size cannot depend on the data of `x`"),
    ("fn f(x: &Tensor[N]) -> Tensor[M = sum[N](N)] { 0.0 }", "a size cannot depend on data"),
    ("fn f(x: &Tensor[N]) -> Tensor[M = 1 - 2] { 0.0 }", "a size is not negative"),
    ("fn f(x: &Tensor[N]) -> Tensor[M = Q] { 0.0 }", "unknown axis `Q`"),
    ("fn f(x: &Tensor[N]) -> Tensor[M = N / 0] { 0.0 }", "division by zero"),
    ("fn f(x: &Tensor[M = N + 1], y: &Tensor[N]) -> Tensor[] { 0.0 }", "axis `M` of a parameter has a computed size"),
    ("fn f(x: &Tensor[M = Q]) -> Tensor[] { 0.0 }", "unknown axis `Q`"),
    ("fn f(x: &Tensor[M = M]) -> Tensor[] { 0.0 }", "the size of axis `M` depends on itself"),
    ("fn f(x: &Tensor[A = B], y: &Tensor[B = A]) -> Tensor[] { 0.0 }", "the size of axis `A` depends on itself"),
    ("fn f(x: &Tensor[M = N, N], y: &Tensor[M = 3]) -> Tensor[] { 0.0 }", "axis `M` has two sizes"),
    ("fn f(x: &Tensor<Cpu>[N], y: &Tensor<Cuda<1>>[N]) -> Tensor[N] { x + y }", "two devices in one kernel: `Cpu` for `x`, `Cuda<1>` for `y`"),
    ("fn f<T: Float, U: Float>(x: &Tensor<T>[N], y: &Tensor<U>[N]) -> Tensor<T>[N] { x }", "two generic elements in one kernel: `T` and `U`"),
    ("fn f(y: &mut Tensor[N], x: &Tensor<Grad>[N]) { y += x; }", "`x` is `Grad`, but a kernel that edits in place has no gradient"),
    ("#[no_grad] fn f(x: &Tensor<Grad>[N]) -> Tensor[N] { x }", "`x` is `Grad`, but the kernel is `#[no_grad]`"),
    ("fn f(x: &Tensor<Grad, i64>[N]) -> Tensor<i64>[N] { x }", "`x` has no gradient: its element is an integer or `bool`"),
    ("fn f(x: &Tensor<i64>[N]) -> Tensor[N] { 0.0 }", "the element of the output is not known: no input has the kernel's own float element"),
    ("fn f(n: usize) -> Tensor[N = n] { 0.0 }", "the element of the output is not known: no input has the kernel's own float element"),
    ("fn f(x: &Tensor[N]) { }", "kernel `f` has no effect"),
    ("fn f(y: &mut Tensor[N], x: &Tensor[N]) -> Tensor[N] { x }", "`y` is `&mut` but is never written"),
    ("fn f(x: &Tensor[N, K]) -> Tensor[N] { x }", "axis `K` is neither in the output nor reduced"),
    ("fn f(x: &Tensor[N, K]) -> Tensor[] { let y = exp(x); mean[K](y) * 2 }", "axis `N` is neither in the output nor reduced"),
    ("fn f(x: &Tensor[N], w: &Tensor[N, M]) -> Tensor[N] { x + sum[N](w) }", "axis `M` is neither in the output nor reduced"),
    ("fn f(x: &Tensor[N]) -> (Tensor[N], Tensor[N]) { x }", "the kernel has 2 outputs, the body ends in one value"),
    ("fn f(x: &Tensor[N]) -> (Tensor[N], Tensor[N]) { (x, x, x) }", "the kernel has 2 outputs, the body ends in 3 values"),
    ("fn f(x: &Tensor[N]) -> (Tensor[N], Tensor[]) { (x, x) }", "axis `N` is neither in the second output nor reduced"),
    ("fn f(x: &Tensor[N]) -> Tensor<i64>[N] { x }", "the output needs `i64`, found `float`"),
    ("fn f(x: &Tensor[N]) -> Tensor<u8>[N] { 300 }", "`300` does not fit `u8`"),
    ("fn f(x: &Tensor[N]) -> Tensor<bool>[N] { x }", "the output needs `bool`, found `float`"),
    ("fn f(x: &Tensor[N]) -> Tensor[N] { x > 0 }", "the output needs `float`, found `bool`"),
    ("fn f(x: &Tensor<i64>[N]) -> Tensor<f32>[N] { x }", "the output needs `f32`, found `i64`"),
    ("fn f(x: &Tensor[N, 3]) -> Tensor[N] { x }", "`x` has an axis of size 3 without a name"),
    ("fn f(x: &Tensor[N]) -> Tensor[N] { if N > 0 { (x, x) } else { x } }", "a tuple stands only at the end of the body, as the outputs"),
    ("fn f(y: &mut Tensor[N]) { y }", "the body ends in a value, but the kernel declares no output"),
    ("fn f(y: &mut Tensor[N]) { }", "`y` is `&mut` but is never written"),
    ("fn f(y: &mut Tensor[N]) { y + 1; }", "the value of this expression is not used"),
    ("fn f(y: &mut Tensor[N], x: &Tensor[M]) { y += x; }", "axis `M` is neither in `y` nor reduced"),
    ("fn f(y: &mut Tensor[N], x: &Tensor[M]) { if x > 0 { y = 1; } }", "axis `M` is neither in `y` nor reduced"),
    ("fn f(y: &mut Tensor[N]) { y = 1; y = y[0]; }", "`y` was assigned, and another element of it cannot be read after"),
    ("fn f(y: &mut Tensor[N], i: &Tensor<i64>[K]) { y[i] = 1; }", "only `+=` and `-=` write `y` at a computed index"),
    ("fn f(y: &mut Tensor[N], i: &Tensor<i64>[K]) { y[i] *= 2; }", "only `+=` and `-=` write `y` at a computed index"),
    ("fn f(y: &mut Tensor[N], i: &Tensor<i64>[K], x: &Tensor[M]) { y[i] += x; }", "axis `M` is neither iterated by the index of `y` nor reduced"),
    ("fn f(y: &mut Tensor[N], i: &Tensor<i64>[K]) { y[i] += 1; y = 0; }", "`y` was added into at computed indices and cannot be assigned after"),
    ("fn f(y: &mut Tensor[N], i: &Tensor<i64>[K]) -> Tensor[N] { y[i] += 1; y }", "`y` was added into at computed indices and cannot be read after"),
    ("fn f(y: &mut Tensor<bool>[N]) { y += true; }", "`+` needs numbers, found `bool`"),
    ("fn f(y: &mut Tensor[N]) { y &= 1; }", "`&=` does not exist in a kernel"),
    ("fn f(y: &mut Tensor<i64>[N]) { y = 0.5; }", "`y` needs `i64`, found `f64`"),
    ("fn f(y: &mut Tensor[N]) { sum[N]({ y = 1; y }); }", "an assignment cannot stand within an expression"),
    ("fn f(y: &mut Tensor[N]) { y[0.5] += 1; }", "an index is an integer, found `float`"),
    ("fn f(y: &mut Tensor<i64>[N]) { y /= 0; }", "division by zero"),
    ("fn g(v) { v + x } fn f(x: &Tensor[N]) -> Tensor[N] { g(x) }", "helper `g` sees only its own parameters"),
    ("fn g(v) { sum[N](v) } fn f(x: &Tensor[N]) -> Tensor[] { g(x) }", "helper `g` cannot reduce: it sees only its own parameters"),
    ("fn g(v) { g(v) } fn f(x: &Tensor[N]) -> Tensor[N] { g(x) }", "helper `g` calls itself"),
    ("fn g(v) { v } fn f(x: &Tensor[N]) -> Tensor[N] { g(x, x) }", "helper `g` takes 1 argument, found 2"),
    ("fn g(v) { v[0] } fn f(x: &Tensor[N]) -> Tensor[N] { g(x) }", "`v` is a number here, and only a tensor parameter can be indexed"),
    ("fn g(v) { v; } fn f(x: &Tensor[N]) -> Tensor[N] { g(x) }", "this block ends in `;` and has no value"),
    ("fn g(v) { v = 1; v } fn f(x: &Tensor[N]) -> Tensor[N] { g(x) }", "an assignment cannot stand within an expression"),
    ("fn g(v) { v } fn f(x: &Tensor[N]) -> Tensor[N] { g }", "`g` is a function"),
    ("fn f<'a>(x: &Tensor[N]) -> Tensor[N] { x }", "a kernel is generic over devices, grad modes and elements only"),
    ("fn f<const K: usize>(x: &Tensor[N]) -> Tensor[N] { x }", "a kernel is generic over devices, grad modes and elements only"),
    ("fn f(x: &Tensor[N], s: f32) -> Tensor[N] { x * s }", "`*` needs operands of one type, found `float` and `f32`"),
    ("fn f(x: &Tensor<f32>[N], y: &Tensor<f64>[N]) -> Tensor<f64>[N] { x * y }", "`*` needs operands of one type, found `f32` and `f64`"),
    ("fn f(x: &Tensor[N], i: &Tensor<i32>[N]) -> Tensor[N] { if N == i { x } else { 0 } }", "`==` needs operands of one type, found an index (`i64`) and `i32`"),
];
