//! Elementary functions in `f64`.

use crate::isa::Isa;

#[inline(always)]
pub(crate) fn exp<I: Isa>(x: f64) -> f64 {
    x.exp()
}

#[inline(always)]
pub(crate) fn exp2<I: Isa>(x: f64) -> f64 {
    x.exp2()
}

#[inline(always)]
pub(crate) fn ln<I: Isa>(x: f64) -> f64 {
    x.ln()
}

#[inline(always)]
pub(crate) fn log2<I: Isa>(x: f64) -> f64 {
    x.log2()
}

#[inline(always)]
pub(crate) fn log10<I: Isa>(x: f64) -> f64 {
    x.log10()
}

#[inline(always)]
pub(crate) fn sqrt<I: Isa>(x: f64) -> f64 {
    x.sqrt()
}

#[inline(always)]
pub(crate) fn cbrt<I: Isa>(x: f64) -> f64 {
    x.cbrt()
}

#[inline(always)]
pub(crate) fn sin<I: Isa>(x: f64) -> f64 {
    x.sin()
}

#[inline(always)]
pub(crate) fn cos<I: Isa>(x: f64) -> f64 {
    x.cos()
}

#[inline(always)]
pub(crate) fn tan<I: Isa>(x: f64) -> f64 {
    x.tan()
}

#[inline(always)]
pub(crate) fn asin<I: Isa>(x: f64) -> f64 {
    x.asin()
}

#[inline(always)]
pub(crate) fn acos<I: Isa>(x: f64) -> f64 {
    x.acos()
}

#[inline(always)]
pub(crate) fn atan<I: Isa>(x: f64) -> f64 {
    x.atan()
}

#[inline(always)]
pub(crate) fn sinh<I: Isa>(x: f64) -> f64 {
    x.sinh()
}

#[inline(always)]
pub(crate) fn cosh<I: Isa>(x: f64) -> f64 {
    x.cosh()
}

#[inline(always)]
pub(crate) fn tanh<I: Isa>(x: f64) -> f64 {
    x.tanh()
}

#[inline(always)]
pub(crate) fn abs<I: Isa>(x: f64) -> f64 {
    x.abs()
}

#[inline(always)]
pub(crate) fn floor<I: Isa>(x: f64) -> f64 {
    x.floor()
}

#[inline(always)]
pub(crate) fn ceil<I: Isa>(x: f64) -> f64 {
    x.ceil()
}

#[inline(always)]
pub(crate) fn round<I: Isa>(x: f64) -> f64 {
    x.round()
}

#[inline(always)]
pub(crate) fn trunc<I: Isa>(x: f64) -> f64 {
    x.trunc()
}

#[inline(always)]
pub(crate) fn log1p<I: Isa>(x: f64) -> f64 {
    x.ln_1p()
}

#[inline(always)]
pub(crate) fn expm1<I: Isa>(x: f64) -> f64 {
    x.exp_m1()
}

#[inline(always)]
pub(crate) fn rsqrt<I: Isa>(x: f64) -> f64 {
    1.0 / x.sqrt()
}

#[inline(always)]
pub(crate) fn sigmoid<I: Isa>(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

#[inline(always)]
pub(crate) fn softplus<I: Isa>(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

#[inline(always)]
pub(crate) fn erf<I: Isa>(x: f64) -> f64 {
    1.0 - erfc::<I>(x)
}

#[inline(always)]
pub(crate) fn erfc<I: Isa>(x: f64) -> f64 {
    // Chebyshev fit of relative error 1.2e-7, to be replaced.
    let t = 1.0 / (1.0 + 0.5 * x.abs());
    let c = [
        0.17087277,
        -0.82215223,
        1.48851587,
        -1.13520398,
        0.27886807,
        -0.18628806,
        0.09678418,
        0.37409196,
        1.00002368,
        -1.26551223,
    ];
    let y = t * (-x * x + c.iter().fold(0.0, |sum: f64, c: &f64| sum * t + c)).exp();
    if x < 0.0 { 2.0 - y } else { y }
}

#[inline(always)]
pub(crate) fn sign<I: Isa>(x: f64) -> f64 {
    if x > 0.0 {
        1.0
    } else if x < 0.0 {
        -1.0
    } else {
        x
    }
}

#[inline(always)]
pub(crate) fn powf<I: Isa>(x: f64, y: f64) -> f64 {
    x.powf(y)
}

#[inline(always)]
pub(crate) fn atan2<I: Isa>(y: f64, x: f64) -> f64 {
    y.atan2(x)
}

#[inline(always)]
pub(crate) fn xlogy<I: Isa>(x: f64, y: f64) -> f64 {
    if x == 0.0 && y == y { 0.0 } else { x * y.ln() }
}

#[inline(always)]
pub(crate) fn rem<I: Isa>(x: f64, y: f64) -> f64 {
    x % y
}

#[inline(always)]
pub(crate) fn nan_max<I: Isa>(x: f64, y: f64) -> f64 {
    if x > y || x != x { x } else { y }
}

#[inline(always)]
pub(crate) fn nan_min<I: Isa>(x: f64, y: f64) -> f64 {
    if x < y || x != x { x } else { y }
}

#[inline(always)]
pub(crate) fn powi<I: Isa>(x: f64, exponent: i64) -> f64 {
    x.powf(exponent as f64)
}
