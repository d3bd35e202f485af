//! Elementary functions in `f32`.

#![expect(clippy::extra_unused_type_parameters, reason = "all functions have the form that `Compute` calls")]

use std::f32::consts::LOG2_E;
use std::f64::consts::{FRAC_PI_2, LOG10_2, PI};

use super::{quadrant, wide};
use crate::isa::{Isa, mul_add};

/// 1.5 * 2^23: adding it leaves the nearest integer in the low bits.
const SHIFT: f32 = 12_582_912.0;
/// From here on every `f32` is an integer.
const INTEGERS: f32 = 8_388_608.0;
/// The bits of the square root of 1/2, where the fraction of a logarithm's argument begins.
pub(super) const SQRT_HALF_BITS: u32 = 0x3f35_04f3;
/// ln 2 in two parts; the first has 15 bits, so that its product with an exponent is exact.
const LN_2_HIGH: f32 = 0.693_145_75;
const LN_2_LOW: f32 = 1.428_606_8e-6;

/// The nearest integer, as a float and as an integer; for `|x| < 2^22`.
#[inline(always)]
fn nearest(x: f32) -> (f32, i32) {
    let shifted = x + SHIFT;
    (shifted - SHIFT, shifted.to_bits().wrapping_sub(SHIFT.to_bits()) as i32)
}

/// `2^n` for `-126 <= n <= 127`.
#[inline(always)]
fn power_of_two(n: i32) -> f32 {
    f32::from_bits((n.wrapping_add(127) << 23) as u32)
}

/// `x * 2^n` for `-252 <= n <= 254`, rounded once.
#[inline(always)]
fn scale(x: f32, n: i32) -> f32 {
    let half = n >> 1;
    x * power_of_two(half) * power_of_two(n.wrapping_sub(half))
}

/// `(p, n)` with `e^x = (1 + p) 2^n` and `p` accurate near 0, for moderate `x`.
#[inline(always)]
fn exp_parts<I: Isa>(x: f32) -> (f32, i32) {
    let (n, integer) = nearest(x * LOG2_E);
    let rest = mul_add::<I, f32>(n, -LN_2_LOW, mul_add::<I, f32>(n, -LN_2_HIGH, x));
    let series = horner!(I, rest; 0.001_392_618_4, 0.008_363_179, 0.041_666_556, 0.166_665_76, 0.5);
    (mul_add::<I, f32>(rest * rest, series, rest), integer)
}

/// NaN passes.
#[inline(always)]
fn clamp(x: f32, low: f32, high: f32) -> f32 {
    let x = if x > high { high } else { x };
    if x < low { low } else { x }
}

#[inline(always)]
pub(crate) fn exp<I: Isa>(x: f32) -> f32 {
    let (p, n) = exp_parts::<I>(clamp(x, -104.0, 89.0));
    scale(1.0 + p, n)
}

#[inline(always)]
pub(crate) fn exp2<I: Isa>(x: f32) -> f32 {
    let x = clamp(x, -151.0, 129.0);
    let (n, integer) = nearest(x);
    let rest = x - n;
    let series = horner!(I, rest;
        0.000_154_531_82, 0.001_339_088_7, 0.009_618_082, 0.055_503_57, 0.240_226_5, std::f32::consts::LN_2);
    scale(mul_add::<I, f32>(rest, series, 1.0), integer)
}

#[inline(always)]
pub(crate) fn expm1<I: Isa>(x: f32) -> f32 {
    let (p, n) = exp_parts::<I>(clamp(x, -18.0, 89.0));
    // Half of it, since 2^128 is not finite although the result may be.
    let half = power_of_two(n.wrapping_sub(1));
    let value = 2.0 * mul_add::<I, f32>(half, p, half - 0.5);
    value.copysign(x)
}

/// `(e, f)` with `x = (1 + f) 2^e` and `1 + f` from the square root of 1/2 to that of 2; for positive finite `x`.
#[inline(always)]
fn log_parts(x: f32) -> (i32, f32) {
    let subnormal = x < f32::MIN_POSITIVE;
    let normal = if subnormal { x * INTEGERS } else { x };
    let bits = normal.to_bits().wrapping_sub(SQRT_HALF_BITS) as i32;
    let exponent = (bits >> 23) - if subnormal { 23 } else { 0 };
    (exponent, f32::from_bits((bits & 0x007f_ffff) as u32 + SQRT_HALF_BITS) - 1.0)
}

/// `ln(1 + f) - f`, plus `small` before the largest term is added.
#[inline(always)]
fn log_tail<I: Isa>(f: f32, small: f32) -> f32 {
    let square = f * f;
    let series = horner!(I, f;
        0.069_716_12, -0.114_797_34, 0.116_854_2, -0.124_256_87, 0.142_490_58, -0.166_678_03, 0.200_007_16,
        -0.249_999_97, 0.333_333_3);
    mul_add::<I, f32>(-0.5, square, mul_add::<I, f32>(f * square, series, small))
}

/// Puts in the logarithm's values for arguments that are not positive and finite.
#[inline(always)]
fn log_special(x: f32, value: f32) -> f32 {
    let value = if x > 0.0 { value } else { f32::NAN };
    let value = if x == 0.0 { f32::NEG_INFINITY } else { value };
    if x == f32::INFINITY { x } else { value }
}

#[inline(always)]
pub(crate) fn ln<I: Isa>(x: f32) -> f32 {
    let (exponent, f) = log_parts(x);
    let exponent = exponent as f32;
    let tail = log_tail::<I>(f, exponent * LN_2_LOW);
    log_special(x, mul_add::<I, f32>(exponent, LN_2_HIGH, f + tail))
}

#[inline(always)]
pub(crate) fn log2<I: Isa>(x: f32) -> f32 {
    let (exponent, f) = log_parts(x);
    let value = f + log_tail::<I>(f, 0.0);
    log_special(x, mul_add::<I, f32>(value, LOG2_E, exponent as f32))
}

#[inline(always)]
pub(crate) fn log10<I: Isa>(x: f32) -> f32 {
    log_special(x, (wide::log2::<I>(x) * LOG10_2) as f32)
}

#[inline(always)]
pub(crate) fn log1p<I: Isa>(x: f32) -> f32 {
    let sum = 1.0 + x;
    let lost = if x >= 1.0 { 1.0 - (sum - x) } else { x - (sum - 1.0) };
    let (exponent, f) = log_parts(sum);
    // Where the exponent is large the lost part is below the last place.
    let cut = if exponent > 64 { 64 } else { exponent };
    let f = mul_add::<I, f32>(lost, power_of_two(0i32.wrapping_sub(cut)), f);
    let exponent = exponent as f32;
    let tail = log_tail::<I>(f, exponent * LN_2_LOW);
    log_special(sum, mul_add::<I, f32>(exponent, LN_2_HIGH, f + tail)).copysign(x)
}

#[inline(always)]
pub(crate) fn sqrt<I: Isa>(x: f32) -> f32 {
    x.sqrt()
}

#[inline(always)]
pub(crate) fn rsqrt<I: Isa>(x: f32) -> f32 {
    1.0 / x.sqrt()
}

#[inline(always)]
pub(crate) fn cbrt<I: Isa>(x: f32) -> f32 {
    let root = wide::cbrt(f64::from(x.abs())) as f32;
    let root = root.copysign(x);
    if x.abs() > 0.0 && x.abs() < f32::INFINITY { root } else { x }
}

/// Sine after a quarter turn for each of `turns`.
#[inline(always)]
fn turned_sine<I: Isa>(x: f32, turns: u64) -> f32 {
    let (rest, quadrant) = quadrant::reduce(x);
    let quadrant = quadrant.wrapping_add(turns);
    let (sine, cosine) = (quadrant::sine::<I>(rest), quadrant::cosine::<I>(rest));
    let value = if quadrant & 1 == 0 { sine } else { cosine };
    f64::from_bits(value.to_bits() ^ ((quadrant & 2) << 62)) as f32
}

#[inline(always)]
pub(crate) fn sin<I: Isa>(x: f32) -> f32 {
    turned_sine::<I>(x, 0)
}

#[inline(always)]
pub(crate) fn cos<I: Isa>(x: f32) -> f32 {
    turned_sine::<I>(x, 1)
}

#[inline(always)]
pub(crate) fn tan<I: Isa>(x: f32) -> f32 {
    let (rest, quadrant) = quadrant::reduce(x);
    let (sine, cosine) = (quadrant::sine::<I>(rest), quadrant::cosine::<I>(rest));
    let odd = quadrant & 1 == 1;
    let top = if odd { -cosine } else { sine };
    let bottom = if odd { sine } else { cosine };
    (top / bottom) as f32
}

/// Arc sine of a number in [0, 1] and of its complement: `(asin x, acos x)`; NaN above 1.
#[inline(always)]
fn arcs<I: Isa>(x: f64) -> (f64, f64) {
    let far = x > 0.5;
    let square = if far { (1.0 - x) * 0.5 } else { x * x };
    let root = if far { square.sqrt() } else { x };
    let arc = root * wide::asin_ratio::<I>(square);
    let other = FRAC_PI_2 - if far { 2.0 * arc } else { arc };
    if far { (other, 2.0 * arc) } else { (arc, other) }
}

#[inline(always)]
pub(crate) fn asin<I: Isa>(x: f32) -> f32 {
    (arcs::<I>(f64::from(x.abs())).0 as f32).copysign(x)
}

#[inline(always)]
pub(crate) fn acos<I: Isa>(x: f32) -> f32 {
    let (_, arc) = arcs::<I>(f64::from(x.abs()));
    (if x < 0.0 { PI - arc } else { arc }) as f32
}

#[inline(always)]
pub(crate) fn atan<I: Isa>(x: f32) -> f32 {
    (wide::atan_quotient::<I>(f64::from(x.abs()), 1.0) as f32).copysign(x)
}

#[inline(always)]
pub(crate) fn atan2<I: Isa>(y: f32, x: f32) -> f32 {
    let (top, bottom) = (f64::from(y.abs()), f64::from(x.abs()));
    let infinite = top == f64::INFINITY && bottom == f64::INFINITY;
    let top = if infinite { 1.0 } else { top };
    let bottom = if infinite { 1.0 } else { bottom };
    let bottom = if top == 0.0 && bottom == 0.0 { 1.0 } else { bottom };
    let angle = wide::atan_quotient::<I>(top, bottom);
    let angle = if x.is_sign_negative() { PI - angle } else { angle };
    (angle as f32).copysign(y)
}

#[inline(always)]
pub(crate) fn sinh<I: Isa>(x: f32) -> f32 {
    let square = x * x;
    let series = horner!(I, square; 2.806_331_2e-6, 0.000_198_380_95, 0.008_333_339, 0.166_666_67);
    let small = mul_add::<I, f32>(x * square, series, x);
    let half = half_exp::<I>(x.abs());
    let large = (half - 0.25 / half).copysign(x);
    if x.abs() > 1.0 { large } else { small }
}

#[inline(always)]
pub(crate) fn cosh<I: Isa>(x: f32) -> f32 {
    let half = half_exp::<I>(x.abs());
    half + 0.25 / half
}

/// `e^x / 2` for nonnegative `x`; overflows only where it is itself too large.
#[inline(always)]
fn half_exp<I: Isa>(x: f32) -> f32 {
    let (p, n) = exp_parts::<I>(clamp(x, 0.0, 90.0));
    scale(1.0 + p, n.wrapping_sub(1))
}

#[inline(always)]
pub(crate) fn tanh<I: Isa>(x: f32) -> f32 {
    let square = x * x;
    let series = horner!(I, square; -0.006_072_587_3, 0.020_980_507, -0.053_847_376, 0.133_327_47, -0.333_333_28);
    let small = mul_add::<I, f32>(x * square, series, x);
    // `e^2y` as in `exp_parts`, with the factor in its constants. From 10 on the result is 1, and nothing overflows.
    let y = x.abs();
    let y = if y > 10.0 { 10.0 } else { y };
    let shifted = mul_add::<I, f32>(y, 2.0 * LOG2_E, SHIFT);
    let n = shifted - SHIFT;
    let rest = mul_add::<I, f32>(n, -0.5 * LN_2_LOW, mul_add::<I, f32>(n, -0.5 * LN_2_HIGH, y));
    let series = horner!(I, rest; 0.089_127_58, 0.267_621_73, 0.666_664_9, 1.333_326_1, 2.0);
    let p = mul_add::<I, f32>(rest * rest, series, rest + rest);
    // Of the shifted bits, the low ones are `n`; the others are shifted out.
    let power = f32::from_bits((shifted.to_bits() << 23).wrapping_add(1f32.to_bits()));
    let large = 1.0 - 2.0 / mul_add::<I, f32>(1.0 + p, power, 1.0);
    (if x.abs() > 0.625 { large } else { small }).copysign(x)
}

#[inline(always)]
pub(crate) fn sigmoid<I: Isa>(x: f32) -> f32 {
    let exponential = exp::<I>(-x.abs());
    let value = 1.0 / (1.0 + exponential);
    if x < 0.0 { exponential * value } else { value }
}

#[inline(always)]
pub(crate) fn softplus<I: Isa>(x: f32) -> f32 {
    let positive = if x > 0.0 { x } else { 0.0 };
    positive + log1p::<I>(exp::<I>(-x.abs()))
}

#[inline(always)]
pub(crate) fn erf<I: Isa>(x: f32) -> f32 {
    let series = horner!(I, x * x;
        8.316_879_4e-5, -0.000_813_044_5, 0.005_199_989_3, -0.026_858_997, 0.112_836_89, -0.376_126_32, 0.128_379_17);
    let small = mul_add::<I, f32>(x, series, x);
    // -ln(1 - erf), fitted from 0.9 to 4, where it is too small to matter.
    let size = clamp(x.abs(), 0.0, 4.0);
    let exponent = horner!(I, size;
        2.111_739_7e-5, -0.000_434_549_87, 0.004_170_69, -0.025_116_45, 0.108_272_55, 0.633_356_3, 1.129_509_1,
        -0.000_173_257_29);
    let (p, n) = exp_parts::<I>(-exponent);
    let large = (1.0 - (1.0 + p) * power_of_two(n)).copysign(x);
    if x.abs() > 0.93 { large } else { small }
}

#[inline(always)]
pub(crate) fn erfc<I: Isa>(x: f32) -> f32 {
    let tail = wide::erfc::<I>(f64::from(x.abs()));
    (if x < 0.0 { 2.0 - tail } else { tail }) as f32
}

#[inline(always)]
pub(crate) fn abs<I: Isa>(x: f32) -> f32 {
    x.abs()
}

#[inline(always)]
pub(crate) fn sign<I: Isa>(x: f32) -> f32 {
    let one = 1f32.copysign(x);
    if x == 0.0 || x.is_nan() { x } else { one }
}

#[inline(always)]
pub(crate) fn trunc<I: Isa>(x: f32) -> f32 {
    if I::FMA {
        return x.trunc();
    }
    let size = x.abs();
    let rounded = (size + INTEGERS) - INTEGERS;
    let below = if rounded > size { rounded - 1.0 } else { rounded };
    if size < INTEGERS { below.copysign(x) } else { x }
}

#[inline(always)]
pub(crate) fn floor<I: Isa>(x: f32) -> f32 {
    if I::FMA {
        return x.floor();
    }
    let below = trunc::<I>(x);
    if below > x { below - 1.0 } else { below }
}

#[inline(always)]
pub(crate) fn ceil<I: Isa>(x: f32) -> f32 {
    if I::FMA {
        return x.ceil();
    }
    let above = trunc::<I>(x);
    if above < x { above + 1.0 } else { above }
}

#[inline(always)]
pub(crate) fn round<I: Isa>(x: f32) -> f32 {
    let whole = trunc::<I>(x);
    // The fraction is exact; of an infinity it is NaN, and the infinity stays.
    let away = whole + 1f32.copysign(x);
    if (x - whole).abs() >= 0.5 { away } else { whole }
}

#[inline(always)]
pub(crate) fn powf<I: Isa>(x: f32, y: f32) -> f32 {
    let size = power::<I>(x.abs(), f64::from(y));
    let half = y * 0.5;
    let integer = trunc::<I>(y) == y;
    let odd = integer && trunc::<I>(half) != half;
    let signed = if odd { size.copysign(x) } else { size };
    // A finite negative base has no power that is not an integer.
    let valid = if x < 0.0 && x > f32::NEG_INFINITY && !integer { f32::NAN } else { signed };
    if y == 0.0 || x == 1.0 || (x == -1.0 && y.abs() == f32::INFINITY) { 1.0 } else { valid }
}

#[inline(always)]
pub(crate) fn powi<I: Isa>(x: f32, exponent: i64) -> f32 {
    let size = power::<I>(x.abs(), exponent as f64);
    let signed = if exponent & 1 == 1 { size.copysign(x) } else { size };
    if exponent == 0 { 1.0 } else { signed }
}

/// `x^y` for nonnegative `x`.
#[inline(always)]
fn power<I: Isa>(x: f32, y: f64) -> f32 {
    let value = wide::exp2::<I>(y * wide::log2::<I>(x)) as f32;
    if x == 1.0 { 1.0 } else { value }
}

#[inline(always)]
pub(crate) fn xlogy<I: Isa>(x: f32, y: f32) -> f32 {
    let value = x * ln::<I>(y);
    if x == 0.0 && !y.is_nan() { 0.0 } else { value }
}

#[inline(always)]
pub(crate) fn rem<I: Isa>(x: f32, y: f32) -> f32 {
    x % y
}

#[inline(always)]
pub(crate) fn nan_max<I: Isa>(x: f32, y: f32) -> f32 {
    if x > y || x.is_nan() { x } else { y }
}

#[inline(always)]
pub(crate) fn nan_min<I: Isa>(x: f32, y: f32) -> f32 {
    if x < y || x.is_nan() { x } else { y }
}
