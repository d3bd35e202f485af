//! Elementary functions in `f64`. The rarely used ones are the standard library's.

#![expect(clippy::extra_unused_type_parameters, reason = "all functions have the form that `Compute` calls")]

use std::f64::consts::LOG2_E;

use crate::isa::{Isa, mul_add};

/// 1.5 * 2^52: adding it leaves the nearest integer in the low bits.
const SHIFT: f64 = 6_755_399_441_055_744.0;
/// 2^52: from here on every `f64` is an integer; integers below it, or-ed into its bits, are added.
const INTEGERS: f64 = 4_503_599_627_370_496.0;
/// The bits of the square root of 1/2, where the fraction of a logarithm's argument begins.
const SQRT_HALF_BITS: u64 = 0x3fe6_a09e_667f_3bcd;
const FRACTION: u64 = (1 << 52) - 1;
/// ln 2 in two parts; the first has 32 bits, so that its product with an exponent is exact.
const LN_2_HIGH: f64 = 0.693_147_180_369_123_8;
const LN_2_LOW: f64 = 1.908_214_929_270_587_7e-10;

/// The nearest integer, as a float and as an integer; for `|x| < 2^51`.
#[inline(always)]
fn nearest(x: f64) -> (f64, i64) {
    let shifted = x + SHIFT;
    (shifted - SHIFT, shifted.to_bits().wrapping_sub(SHIFT.to_bits()) as i64)
}

/// `2^n` for `-1022 <= n <= 1023`.
#[inline(always)]
fn power_of_two(n: i64) -> f64 {
    f64::from_bits((n.wrapping_add(1023) as u64) << 52)
}

/// `x * 2^n` for `-2000 < n < 2000`, rounded once.
#[inline(always)]
fn scale(x: f64, n: i64) -> f64 {
    // An arithmetic shift of 64-bit lanes is slow before AVX-512; the sum is positive, so a logical one will do.
    let half = ((n.wrapping_add(4096) as u64) >> 1) as i64 - 2048;
    x * power_of_two(half) * power_of_two(n.wrapping_sub(half))
}

/// NaN passes.
#[inline(always)]
fn clamp(x: f64, low: f64, high: f64) -> f64 {
    let x = if x > high { high } else { x };
    if x < low { low } else { x }
}

/// `(p, n)` with `e^x = (1 + p) 2^n` and `p` accurate near 0, for moderate `x`.
#[inline(always)]
fn exp_parts<I: Isa>(x: f64) -> (f64, i64) {
    let (n, integer) = nearest(x * LOG2_E);
    let rest = mul_add::<I, f64>(n, -LN_2_LOW, mul_add::<I, f64>(n, -LN_2_HIGH, x));
    let series = horner!(I, rest;
        2.0914686968086876e-09, 2.5105217004720745e-08, 2.75572736431103e-07, 2.7557255400206422e-06,
        2.4801587325547743e-05, 0.00019841269874820627, 0.0013888888888883748, 0.008333333333326136,
        0.04166666666666667, 0.1666666666666667, 0.5);
    (mul_add::<I, f64>(rest * rest, series, rest), integer)
}

#[inline(always)]
pub(crate) fn exp<I: Isa>(x: f64) -> f64 {
    let (p, n) = exp_parts::<I>(clamp(x, -746.0, 710.0));
    scale(1.0 + p, n)
}

#[inline(always)]
pub(crate) fn exp2<I: Isa>(x: f64) -> f64 {
    let x = clamp(x, -1076.0, 1025.0);
    let (n, integer) = nearest(x);
    let rest = x - n;
    let series = horner!(I, rest;
        2.5729344553786755e-11, 4.455822025014915e-10, 7.054897292691627e-09, 1.0178057064573359e-07,
        1.3215486808727859e-06, 1.5252733841601815e-05, 0.00015403530393370715, 0.0013333558146406436,
        0.00961812910762848, 0.055504108664821625, 0.24022650695910072, std::f64::consts::LN_2);
    scale(mul_add::<I, f64>(rest, series, 1.0), integer)
}

#[inline(always)]
pub(crate) fn expm1<I: Isa>(x: f64) -> f64 {
    let (p, n) = exp_parts::<I>(clamp(x, -40.0, 710.0));
    // Half of it, since 2^1024 is not finite although the result may be.
    let half = power_of_two(n.wrapping_sub(1));
    let value = 2.0 * mul_add::<I, f64>(half, p, half - 0.5);
    value.copysign(x)
}

/// `(e, f)` with `x = (1 + f) 2^e` and `1 + f` from the square root of 1/2 to that of 2; for positive finite `x`.
#[inline(always)]
fn log_parts(x: f64) -> (f64, f64) {
    let subnormal = x < f64::MIN_POSITIVE;
    let normal = if subnormal { x * INTEGERS } else { x };
    let bits = normal.to_bits().wrapping_add((1023 << 52) - SQRT_HALF_BITS);
    let biased = f64::from_bits((bits >> 52) | INTEGERS.to_bits());
    let exponent = biased - if subnormal { INTEGERS + 1075.0 } else { INTEGERS + 1023.0 };
    (exponent, f64::from_bits((bits & FRACTION).wrapping_add(SQRT_HALF_BITS)) - 1.0)
}

/// `ln(1 + f) - f`, plus `small` before the largest term is added.
#[inline(always)]
fn log_tail<I: Isa>(f: f64, small: f64) -> f64 {
    let ratio = f / (2.0 + f);
    let square = ratio * ratio;
    let series = square
        * horner!(I, square;
            0.1308723619665962, 0.13268714792348096, 0.15386241881938595, 0.18181795600060793, 0.22222222392089008,
            0.28571428570801954, 0.4000000000000088, 0.6666666666666666);
    // ln(1 + f) = 2 ratio + ratio series, and 2 ratio = f - ratio f = f - f^2/2 + ratio f^2/2.
    let half_square = 0.5 * f * f;
    mul_add::<I, f64>(ratio, half_square + series, small) - half_square
}

/// Puts in the logarithm's values for arguments that are not positive and finite.
#[inline(always)]
fn log_special(x: f64, value: f64) -> f64 {
    let value = if x > 0.0 { value } else { f64::NAN };
    let value = if x == 0.0 { f64::NEG_INFINITY } else { value };
    if x == f64::INFINITY { x } else { value }
}

#[inline(always)]
pub(crate) fn ln<I: Isa>(x: f64) -> f64 {
    let (exponent, f) = log_parts(x);
    let tail = log_tail::<I>(f, exponent * LN_2_LOW);
    log_special(x, mul_add::<I, f64>(exponent, LN_2_HIGH, f + tail))
}

#[inline(always)]
pub(crate) fn log2<I: Isa>(x: f64) -> f64 {
    let (exponent, f) = log_parts(x);
    let value = f + log_tail::<I>(f, 0.0);
    log_special(x, mul_add::<I, f64>(value, LOG2_E, exponent))
}

#[inline(always)]
pub(crate) fn log10<I: Isa>(x: f64) -> f64 {
    x.log10()
}

#[inline(always)]
pub(crate) fn log1p<I: Isa>(x: f64) -> f64 {
    let sum = 1.0 + x;
    let lost = if x >= 1.0 { 1.0 - (sum - x) } else { x - (sum - 1.0) };
    let (exponent, f) = log_parts(sum);
    // Where the exponent is large the lost part is below the last place.
    let cut = if exponent > 64.0 { 64.0 } else { exponent };
    let f = mul_add::<I, f64>(lost, power_of_two(nearest(-cut).1), f);
    let tail = log_tail::<I>(f, exponent * LN_2_LOW);
    log_special(sum, mul_add::<I, f64>(exponent, LN_2_HIGH, f + tail)).copysign(x)
}

#[inline(always)]
pub(crate) fn sqrt<I: Isa>(x: f64) -> f64 {
    x.sqrt()
}

#[inline(always)]
pub(crate) fn rsqrt<I: Isa>(x: f64) -> f64 {
    1.0 / x.sqrt()
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
pub(crate) fn atan2<I: Isa>(y: f64, x: f64) -> f64 {
    y.atan2(x)
}

#[inline(always)]
pub(crate) fn sinh<I: Isa>(x: f64) -> f64 {
    let size = x.abs();
    let p = expm1::<I>(clamp(size, 0.0, 1.0));
    let small = 0.5 * (p + p / (p + 1.0));
    let half = half_exp::<I>(size);
    let large = half - 0.25 / half;
    (if size > 1.0 { large } else { small }).copysign(x)
}

#[inline(always)]
pub(crate) fn cosh<I: Isa>(x: f64) -> f64 {
    let half = half_exp::<I>(x.abs());
    half + 0.25 / half
}

/// `e^x / 2` for nonnegative `x`; overflows only where it is itself too large.
#[inline(always)]
fn half_exp<I: Isa>(x: f64) -> f64 {
    let (p, n) = exp_parts::<I>(clamp(x, 0.0, 712.0));
    scale(1.0 + p, n.wrapping_sub(1))
}

#[inline(always)]
pub(crate) fn tanh<I: Isa>(x: f64) -> f64 {
    let p = expm1::<I>(-2.0 * x.abs());
    (p / (2.0 + p)).copysign(x)
}

#[inline(always)]
pub(crate) fn sigmoid<I: Isa>(x: f64) -> f64 {
    let exponential = exp::<I>(-x.abs());
    let value = 1.0 / (1.0 + exponential);
    if x < 0.0 { exponential * value } else { value }
}

#[inline(always)]
pub(crate) fn softplus<I: Isa>(x: f64) -> f64 {
    let positive = if x > 0.0 { x } else { 0.0 };
    positive + log1p::<I>(exp::<I>(-x.abs()))
}

#[inline(always)]
pub(crate) fn erf<I: Isa>(x: f64) -> f64 {
    let series = horner!(I, x * x;
        2.8054220986137053e-13, -6.195864282997604e-12, 9.323460781924857e-11, -1.227768795002617e-09,
        1.4806021764755666e-08, -1.636576822227565e-07, 1.6462110758341477e-06, -1.492565023604373e-05,
        0.00012055332978854427, -0.000854832702340254, 0.005223977625441668, -0.026866170645131218,
        0.11283791670955126, -0.37612638903183754, 0.12837916709551257);
    let small = mul_add::<I, f64>(x, series, x);
    let large = (1.0 - erfc_tail::<I>(x.abs())).copysign(x);
    if x.abs() > 1.0 { large } else { small }
}

#[inline(always)]
pub(crate) fn erfc<I: Isa>(x: f64) -> f64 {
    let tail = erfc_tail::<I>(x.abs());
    if x < 0.0 { 2.0 - tail } else { tail }
}

/// `1 - erf(x)` for nonnegative `x`: `e^(-x^2) / (1 + 2x)` times a polynomial in `(x - 4) / (x + 4)`, fitted on 0 to 27.5.
#[inline(always)]
fn erfc_tail<I: Isa>(x: f64) -> f64 {
    let x = if x > 27.5 { 27.5 } else { x };
    let series = horner!(I, (x - 4.0) / (x + 4.0);
        -1.8822551750393533e-09, -1.387063343675277e-08, -7.770852409868655e-09, 1.1579545491817747e-07,
        6.309931892048124e-08, -8.355403600708081e-07, 3.00822697160671e-07, 5.718019430428633e-06,
        -1.1224436722701745e-05, -2.440316536962711e-05, 0.00015062210715057866, -0.00019925552619520982,
        -0.0007577733091379332, 0.005031969762284736, -0.016197734063710445, 0.03716751556148306,
        -0.06633036581115447, 0.0937328349968727, -0.10103906603636773, 0.06809705425473468, 0.015379652102620996,
        -0.13962111684056286, 1.2329951186255526);
    // The square's rounding error would be multiplied by itself: e^(-x^2) in two exact parts.
    let rough = f64::from_bits(x.to_bits() & !0x07ff_ffff);
    let exponential = exp::<I>(-rough * rough) * exp::<I>((rough - x) * (rough + x));
    exponential * series / (1.0 + 2.0 * x)
}

#[inline(always)]
pub(crate) fn abs<I: Isa>(x: f64) -> f64 {
    x.abs()
}

#[inline(always)]
pub(crate) fn sign<I: Isa>(x: f64) -> f64 {
    let one = 1f64.copysign(x);
    if x == 0.0 || x.is_nan() { x } else { one }
}

#[inline(always)]
pub(crate) fn trunc<I: Isa>(x: f64) -> f64 {
    if I::FMA {
        return x.trunc();
    }
    let size = x.abs();
    let rounded = (size + INTEGERS) - INTEGERS;
    let below = if rounded > size { rounded - 1.0 } else { rounded };
    if size < INTEGERS { below.copysign(x) } else { x }
}

#[inline(always)]
pub(crate) fn floor<I: Isa>(x: f64) -> f64 {
    if I::FMA {
        return x.floor();
    }
    let below = trunc::<I>(x);
    if below > x { below - 1.0 } else { below }
}

#[inline(always)]
pub(crate) fn ceil<I: Isa>(x: f64) -> f64 {
    if I::FMA {
        return x.ceil();
    }
    let above = trunc::<I>(x);
    if above < x { above + 1.0 } else { above }
}

#[inline(always)]
pub(crate) fn round<I: Isa>(x: f64) -> f64 {
    let whole = trunc::<I>(x);
    // The fraction is exact; of an infinity it is NaN, and the infinity stays.
    let away = whole + 1f64.copysign(x);
    if (x - whole).abs() >= 0.5 { away } else { whole }
}

#[inline(always)]
pub(crate) fn powf<I: Isa>(x: f64, y: f64) -> f64 {
    x.powf(y)
}

#[inline(always)]
pub(crate) fn powi<I: Isa>(x: f64, exponent: i64) -> f64 {
    // The parity is taken from the integer: above 2^53 the exponent as a float is always even.
    let size = x.abs().powf(exponent as f64);
    if exponent & 1 == 1 { size.copysign(x) } else { size }
}

#[inline(always)]
pub(crate) fn xlogy<I: Isa>(x: f64, y: f64) -> f64 {
    let value = x * ln::<I>(y);
    if x == 0.0 && !y.is_nan() { 0.0 } else { value }
}

#[inline(always)]
pub(crate) fn rem<I: Isa>(x: f64, y: f64) -> f64 {
    x % y
}

#[inline(always)]
pub(crate) fn nan_max<I: Isa>(x: f64, y: f64) -> f64 {
    if x > y || x.is_nan() { x } else { y }
}

#[inline(always)]
pub(crate) fn nan_min<I: Isa>(x: f64, y: f64) -> f64 {
    if x < y || x.is_nan() { x } else { y }
}
