//! Random kernels against finite differences.

use super::differences::{Case, Numbers};

/// The axes of a kernel; a set of them is a bit mask over this list.
const AXES: [&str; 3] = ["N", "C", "K"];

/// An expression and its free axes.
struct Expression {
    text: String,
    axes: usize,
}

fn names(axes: usize) -> String {
    let names: Vec<&str> = (0..AXES.len()).filter(|axis| axes >> axis & 1 == 1).map(|axis| AXES[axis]).collect();
    names.join(", ")
}

/// A random expression. Functions are bounded, so that the values stay where difference quotients are exact.
fn expression(numbers: &mut Numbers, depth: usize) -> Expression {
    if depth == 0 {
        let (text, axes) = [
            ("x", 3),
            ("x", 3),
            ("y", 2),
            ("z", 5),
            ("w", 6),
            ("s[1, C]", 2),
            ("s[N, K]", 5),
            ("(C as float)", 2),
            ("0.5", 0),
            ("v", 1),
        ][numbers.below(10)];
        return Expression { text: text.to_owned(), axes };
    }
    let first = expression(numbers, depth - 1);
    let choice = numbers.below(20);
    if choice < 5 {
        let function = ["tanh", "sin", "sigmoid", "softplus", "-"][choice];
        return Expression { text: format!("{function}({})", first.text), ..first };
    }
    if choice == 10 {
        // The indices are part of the expression.
        let comparison = ["<=", "==", ">"][numbers.below(3)];
        let text = format!("(if C {comparison} N {{ {} }} else {{ 0.0 }})", first.text);
        return Expression { text, axes: first.axes | 3 };
    }
    if choice < 10 {
        if first.axes == 0 {
            return first;
        }
        // Any non-empty part of the free axes.
        let reduced = (1 + numbers.below(7)) & first.axes;
        let reduced = if reduced == 0 { first.axes } else { reduced };
        let reduction = ["sum", "mean", "max", "logsumexp", "mean"][choice - 5];
        return Expression {
            text: format!("{reduction}[{}](tanh({}))", names(reduced), first.text),
            axes: first.axes & !reduced,
        };
    }
    let remaining = numbers.below(depth);
    let second = expression(numbers, remaining);
    let axes = first.axes | second.axes;
    let (a, b) = (first.text, second.text);
    let text = match choice {
        11 => format!("({a} + {b})"),
        12 => format!("({a} - {b})"),
        13..=15 => format!("({a} * {b})"),
        16 => format!("({a} / (2.0 + {b} * {b}))"),
        17 => format!("max({a}, {b})"),
        18 => format!("(if {a} > {b} {{ {a} * {b} }} else {{ 0.0 }})"),
        _ => format!("(exp(tanh({a})) / sqrt(1.5 + sin({b})))"),
    };
    Expression { text, axes }
}

/// A kernel of a random expression, and of a second one that shares its parameters.
fn kernel(numbers: &mut Numbers) -> String {
    let mut outputs = vec![];
    let mut bodies = vec![];
    for _ in 0..1 + numbers.below(2) {
        let depth = 2 + numbers.below(4);
        let Expression { text, axes } = expression(numbers, depth);
        let kept = axes & numbers.below(8);
        let reduced = axes & !kept;
        bodies.push(if reduced == 0 { text } else { format!("sum[{}]({text})", names(reduced)) });
        outputs.push(format!("Tensor[{}]", names(kept)));
    }
    let (outputs, body) = match &bodies[..] {
        [body] => (outputs[0].clone(), body.clone()),
        _ => (format!("({})", outputs.join(", ")), format!("({})", bodies.join(", "))),
    };
    let params = "x: &Tensor[N, C], y: &Tensor[C], z: &Tensor[N, K], w: &Tensor[C, K], s: &Tensor[M, J], v: &Tensor[N]";
    format!("fn kernel({params}) -> {outputs} {{ {body} }}")
}

#[test]
fn gradients_of_random_kernels_agree_with_finite_differences() {
    let count = std::env::var("RANDOM_KERNELS").map_or(60, |count| count.parse().expect("a number of kernels"));
    let mut failures = vec![];
    let mut compared = 0;
    for seed in 0..count {
        let source = kernel(&mut Numbers::new(1000 + seed));
        let sizes: &[usize] = if seed % 4 == 0 { &[0, 1, 3] } else { &[2, 3] };
        match Case::new(&source).sizes(sizes).range(-1.5, 1.5).rough().compare_once(seed) {
            Ok(elements) => compared += usize::from(elements > 0),
            Err(failure) => failures.push(failure),
        }
    }
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
    assert!(compared * 2 > count as usize, "only {compared} of {count} kernels have a gradient");
}
