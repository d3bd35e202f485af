//! What users of other languages and libraries write, and what it is here.

/// What a name of elsewhere is here.
#[derive(Clone, Copy)]
pub(super) enum Other {
    /// A function of the language.
    Function(&'static str),
    /// A formula; `x` and `y` are the arguments.
    Formula(&'static str),
    /// A kernel of the library.
    Library,
}

use Other::{Formula, Function, Library};

/// The other names of functions.
const OTHER_NAMES: &[(&str, Other)] = &[
    ("log", Function("ln")),
    ("pow", Function("powf` or `powi")),
    ("power", Function("powf` or `powi")),
    ("fabs", Function("abs")),
    ("absolute", Function("abs")),
    ("logistic", Function("sigmoid")),
    ("expit", Function("sigmoid")),
    ("maximum", Function("max")),
    ("fmax", Function("max")),
    ("minimum", Function("min")),
    ("fmin", Function("min")),
    ("clip", Function("clamp")),
    ("isnan", Function("is_nan")),
    ("isfinite", Function("is_finite")),
    ("mul_add", Function("fma")),
    ("signum", Function("sign")),
    ("sgn", Function("sign")),
    ("reciprocal", Function("recip")),
    ("rint", Function("round")),
    ("arcsin", Function("asin")),
    ("arccos", Function("acos")),
    ("arctan", Function("atan")),
    ("arctan2", Function("atan2")),
    ("len", Function("size")),
    ("rand", Function("uniform")),
    ("randn", Function("normal")),
    ("isinf", Formula("!is_finite(x) && !is_nan(x)")),
    ("sqr", Formula("x * x")),
    ("square", Formula("x * x")),
    ("fmod", Formula("x % y")),
    ("hypot", Formula("sqrt(x * x + y * y)")),
    ("exp10", Formula("powf(10.0, x)")),
    ("asinh", Formula("ln(x + sqrt(x * x + 1.0))")),
    ("acosh", Formula("ln(x + sqrt(x * x - 1.0))")),
    ("atanh", Formula("0.5 * (log1p(x) - log1p(-x))")),
    ("logit", Formula("ln(x) - log1p(-x)")),
    ("sinc", Formula("if x != 0 { sin(x) / x } else { 1.0 }")),
    ("heaviside", Formula("if x > 0 { 1.0 } else { 0.0 }")),
    ("swish", Formula("x * sigmoid(x)")),
    ("relu6", Formula("clamp(x, 0.0, 6.0)")),
    ("gelu", Library),
    ("silu", Library),
    ("elu", Library),
    ("selu", Library),
    ("mish", Library),
    ("prelu", Library),
    ("leaky_relu", Library),
    ("hardswish", Library),
    ("softmax", Library),
    ("log_softmax", Library),
    ("layer_norm", Library),
    ("dropout", Library),
    ("cumsum", Library),
    ("matmul", Library),
    ("cross_entropy", Library),
];

/// What a function of elsewhere is here, as a remedy.
pub(super) fn remedy(name: &str) -> Option<String> {
    if name == "arange" {
        return Some("the index along an axis is its name: `N`".to_owned());
    }
    let (_, other) = OTHER_NAMES.iter().find(|(other, _)| *other == name)?;
    Some(match other {
        Function(ours) => format!("write `{ours}`"),
        Formula(formula) => format!("write `{formula}`"),
        Library => format!(
            "`{name}` is a kernel of the library `tensor-rt-kernels`; call it outside, or write its formula here"
        ),
    })
}
