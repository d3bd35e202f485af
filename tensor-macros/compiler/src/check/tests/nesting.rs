//! Nesting of expressions: what is not refused fits the stack.

/// Bodies that nest as deeply as the bound allows are checked on the stack of a test's thread (2 MiB), a quarter of what
/// rustc gives a macro.
#[test]
fn nesting_within_the_bound_fits_the_stack() {
    let wrap = |open: &str, count: usize, middle: &str, close: &str| {
        format!("{}{middle}{}", open.repeat(count), close.repeat(count))
    };
    let shapes: [(&str, &str, &str); 9] = [
        ("(", "x", ")"),
        ("{", "x", "}"),
        ("exp(", "x", ")"),
        ("sq(", "x", ")"),
        ("- ", "x", ""),
        ("x + ", "x", ""),
        ("if x > 0 { x } else ", "{ x }", ""),
        ("if true || { ", "true", "} { x } else { x }"),
        ("", "x", " as f32 as float"),
    ];
    let mut compiled = 0;
    for (open, middle, close) in shapes {
        // The deepest nesting that is not refused.
        let accepted = |count: usize| {
            let body = wrap(open, count, middle, close);
            let source = format!("fn sq(x) {{ x * x }} fn f(x: &Tensor[N]) -> Tensor[N] {{ {body} }}");
            let (checked, errors) = super::check(&source);
            compiled += checked.len();
            !errors.iter().any(|error| error.to_string().starts_with("this expression nests too deeply"))
        };
        let counts: Vec<usize> = (1..1100).step_by(9).collect();
        let first_refused = counts.partition_point({
            let mut accepted = accepted;
            move |&count| accepted(count)
        });
        assert!(first_refused > 1 && first_refused < counts.len(), "`{open}`: {first_refused}");
    }
    assert!(compiled > 20, "{compiled}");
}
