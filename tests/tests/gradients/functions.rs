//! Every function of the language that has a gradient, at points where it is smooth.

use tensor_rt::prelude::*;

use crate::check::{Case, cases};

/// Functions whose results carry no gradient: integers, conditions, steps, what says so, and what takes no tensor.
pub const WITHOUT_GRADIENT: [&str; 13] = [
    "floor",
    "ceil",
    "round",
    "trunc",
    "sign",
    "is_nan",
    "is_finite",
    "size",
    "detach",
    "pad_with",
    "uniform",
    "normal",
    "assert",
];

/// One kernel for each function of floats.
macro_rules! kernels {
    ($($name:ident($($x:ident),+);)*) => {
        mod kernels {
            $(pub mod $name {
                tensor_rt::tensor_fn! {
                    pub fn $name($($x: &Tensor[..]),+) -> Tensor[..] { $name($($x),+) }
                }
            })*
        }
    };
}

kernels! {
    exp(x); exp2(x); ln(x); log2(x); log10(x); log1p(x); expm1(x); sqrt(x); rsqrt(x); cbrt(x); sin(x); cos(x); tan(x);
    asin(x); acos(x); atan(x); sinh(x); cosh(x); tanh(x); sigmoid(x); softplus(x); erf(x); erfc(x); abs(x); relu(x);
    recip(x); fract(x); atan2(x, y); powf(x, y); xlogy(x, y); min(x, y); max(x, y); clamp(x, low, high); fma(x, y, z);
}

tensor_fn! {
    fn cubed(x: &Tensor[..]) -> Tensor[..] { powi(x, 3) }

    fn inverse_square(x: &Tensor[..]) -> Tensor[..] { powi(x, -2) }

    fn chosen(x: &Tensor[..], y: &Tensor[..]) -> Tensor[..] { select(x > y, x * y, x - y) }

    fn shifted(x: &Tensor[N, C]) -> Tensor[N, C] { pad_with(x[N - 1, C], 0.5) }

    fn added(x: &Tensor[..], y: &Tensor[..]) -> Tensor[..] { x + y }

    fn subtracted(x: &Tensor[..], y: &Tensor[..]) -> Tensor[..] { x - y }

    fn multiplied(x: &Tensor[..], y: &Tensor[..]) -> Tensor[..] { x * y }

    fn divided(x: &Tensor[..], y: &Tensor[..]) -> Tensor[..] { x / y }

    fn remainder(x: &Tensor[..], y: &Tensor[..]) -> Tensor[..] { x % y }

    fn negated(x: &Tensor[..]) -> Tensor[..] { -x }

    fn half_detached(x: &Tensor[..]) -> Tensor[..] { x * detach(x) }
}

/// Cases of every function with a gradient, and of the operators.
pub fn cases<D: Device>() -> Vec<Case<D>> {
    use kernels::*;
    let mut cases = cases! {
        exp: |x: [3, 4] in -2.0..2.0| exp::exp(x);
        exp2: |x: [3, 4] in -2.0..2.0| exp2::exp2(x);
        ln: |x: [3, 4] in 0.3..3.0| ln::ln(x);
        log2: |x: [3, 4] in 0.3..3.0| log2::log2(x);
        log10: |x: [3, 4] in 0.3..3.0| log10::log10(x);
        log1p: |x: [3, 4] in -0.6..2.0| log1p::log1p(x);
        expm1: |x: [3, 4] in -2.0..2.0| expm1::expm1(x);
        sqrt: |x: [3, 4] in 0.3..3.0| sqrt::sqrt(x);
        rsqrt: |x: [3, 4] in 0.4..3.0| rsqrt::rsqrt(x);
        cbrt: |x: [3, 4] in 0.3..3.0| cbrt::cbrt(x);
        cbrt: |x: [3, 4] in -3.0..-0.3| cbrt::cbrt(x);
        sin: |x: [3, 4] in -4.0..4.0| sin::sin(x);
        cos: |x: [3, 4] in -4.0..4.0| cos::cos(x);
        tan: |x: [3, 4] in -1.2..1.2| tan::tan(x);
        asin: |x: [3, 4] in -0.8..0.8| asin::asin(x);
        acos: |x: [3, 4] in -0.8..0.8| acos::acos(x);
        atan: |x: [3, 4] in -3.0..3.0| atan::atan(x);
        sinh: |x: [3, 4] in -2.0..2.0| sinh::sinh(x);
        cosh: |x: [3, 4] in -2.0..2.0| cosh::cosh(x);
        tanh: |x: [3, 4] in -2.0..2.0| tanh::tanh(x);
        sigmoid: |x: [3, 4] in -3.0..3.0| sigmoid::sigmoid(x);
        softplus: |x: [3, 4] in -3.0..3.0| softplus::softplus(x);
        erf: |x: [3, 4] in -2.0..2.0| erf::erf(x);
        erfc: |x: [3, 4] in -2.0..2.0| erfc::erfc(x);
        abs: |x: [3, 4] in -2.0..2.0| abs::abs(x);
        relu: |x: [3, 4] in -2.0..2.0| relu::relu(x);
        recip: |x: [3, 4] in 0.5..2.0| recip::recip(x);
        fract: |x: [3, 4] in 0.1..0.9| fract::fract(x);
        fract: |x: [3, 4] in -1.9..-1.1| fract::fract(x);
        atan2: |x: [3, 4] in -2.0..2.0, y: [3, 4] in 0.3..2.0| atan2::atan2(x, y);
        atan2: |x: [3, 4] in 0.3..2.0, y: [3, 4] in -2.0..-0.3| atan2::atan2(x, y);
        powf: |x: [3, 4] in 0.3..2.0, y: [3, 4] in -2.0..2.0| powf::powf(x, y);
        xlogy: |x: [3, 4] in -2.0..2.0, y: [3, 4] in 0.3..3.0| xlogy::xlogy(x, y);
        min: |x: [3, 4] in -2.0..2.0, y: [3, 4] in -1.0..1.0| min::min(x, y);
        max: |x: [3, 4] in -2.0..2.0, y: [3, 4] in -1.0..1.0| max::max(x, y);
        clamp: |x: [3, 4] in -2.0..2.0, low: [3, 4] in -1.0..-0.5, high: [3, 4] in 0.5..1.0| clamp::clamp(x, low, high);
        fma: |x: [3, 4] in -2.0..2.0, y: [3, 4] in -2.0..2.0, z: [3, 4] in -2.0..2.0| fma::fma(x, y, z);
    };
    cases.extend(cases! {
        powi: |x: [3, 4] in -2.0..2.0| cubed(x);
        powi: |x: [3, 4] in 0.5..2.0| inverse_square(x);
        select: |x: [3, 4] in -2.0..2.0, y: [3, 4] in -1.0..1.0| chosen(x, y);
        pad_with: |x: [3, 4] in -2.0..2.0| shifted(x);
        add: |x: [3, 4] in -2.0..2.0, y: [3, 4] in -2.0..2.0| added(x, y);
        sub: |x: [3, 4] in -2.0..2.0, y: [3, 4] in -2.0..2.0| subtracted(x, y);
        mul: |x: [3, 4] in -2.0..2.0, y: [3, 4] in -2.0..2.0| multiplied(x, y);
        div: |x: [3, 4] in -2.0..2.0, y: [3, 4] in 0.5..2.0| divided(x, y);
        rem: |x: [3, 4] in 2.1..2.9, y: [3, 4] in 0.9..1.03| remainder(x, y);
        neg: |x: [3, 4] in -2.0..2.0| negated(x);
    });
    cases
}

/// Kernels whose gradient is not that of their value.
pub fn wrong<D: Device>() -> Vec<Case<D>> {
    cases! { half_detached: |x: [3] in 0.5..1.0| half_detached(x); }
}
