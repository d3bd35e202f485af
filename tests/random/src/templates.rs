//! The functions of the language as templates of floats.
//!
//! A *smooth* template has a gradient that difference quotients confirm; a *rough* one has kinks or steps, or rounds. What
//! grows without bound, or has poles, is given arguments in a bounded range.

/// Smooth functions of one operand.
pub(crate) const SMOOTH: &[&str] = &[
    "exp(tanh({0}))",
    "exp2(tanh({0}))",
    "ln(2.0 + sin({0}))",
    "log2(2.0 + sin({0}))",
    "log10(2.0 + sin({0}))",
    "log1p(0.5 * sin({0}))",
    "expm1(tanh({0}))",
    "sqrt(1.5 + sin({0}))",
    "rsqrt(1.5 + sin({0}))",
    "cbrt(1.5 + sin({0}))",
    "sin({0})",
    "cos({0})",
    "tan(tanh({0}))",
    "asin(0.9 * tanh({0}))",
    "acos(0.9 * tanh({0}))",
    "atan({0})",
    "sinh(tanh({0}))",
    "cosh(tanh({0}))",
    "tanh({0})",
    "sigmoid({0})",
    "softplus({0})",
    "erf({0})",
    "erfc({0})",
    "recip(2.0 + sin({0}))",
    "powi(tanh({0}), 3)",
    "powi(2.0 + sin({0}), -2)",
    "(-{0})",
    "(0.5 * {0})",
];

/// Other functions of one operand. Steps are not at zero, which another order of rounding reaches from either side.
pub(crate) const ROUGH: &[&str] = &[
    "relu({0})",
    "abs({0})",
    "sign({0} + 0.1)",
    "floor(2.0 * {0} + 0.1)",
    "ceil(2.0 * {0} + 0.1)",
    "round(2.0 * {0} + 0.1)",
    "trunc(2.0 * {0} + 0.1)",
    "ceil({0} - 0.1)",
    "round(3.0 * {0} - 0.1)",
    "fract({0} + 0.1)",
    "clamp({0}, -0.75, 0.5)",
    "max({0}, 0.25)",
    "min(0.25, {0})",
    "(({0} + 0.1) % 0.75)",
    "detach({0})",
    "((100.0 * {0} + 0.1) as i32 as float)",
];

/// Conversions that round.
pub(crate) const ROUNDING: &[&str] = &["({0} as f32 as float)", "({0} as f16 as float)", "({0} as bf16 as float)"];

/// Smooth functions of two operands.
pub(crate) const SMOOTH_PAIRS: &[&str] = &[
    "({0} + {1})",
    "({0} + {1})",
    "({0} - {1})",
    "({0} - {1})",
    "({0} * {1})",
    "({0} * {1})",
    "({0} * {1})",
    "({0} / (2.0 + sin({1})))",
    "atan2({0}, 2.0 + sin({1}))",
    "powf(1.5 + sin({0}), tanh({1}))",
    "xlogy({0}, 1.5 + sin({1}))",
];

/// Other functions of two operands.
pub(crate) const ROUGH_PAIRS: &[&str] =
    &["max({0}, {1})", "min({0}, {1})", "({0} % (1.5 + sin({1})))", "clamp({0}, -1.0, {1})"];

/// Reductions of floats whose gradient is smooth.
pub(crate) const SMOOTH_REDUCTIONS: &[&str] = &[
    "sum[{}]({0})",
    "sum[{}]({0})",
    "sum[{}]({0})",
    "mean[{}]({0})",
    "var[{}]({0})",
    "logsumexp[{}]({0})",
    "prod[{}](1.0 + 0.05 * sin({0}))",
];

/// The other reductions of floats.
pub(crate) const ROUGH_REDUCTIONS: &[&str] = &["max[{}]({0})", "min[{}]({0})"];

pub(crate) const COMPARISONS: &[&str] = &["<", "<=", ">", ">=", "==", "!="];
