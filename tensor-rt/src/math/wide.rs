//! `f64` kernels at the accuracy that `f32` results need: relative error below 1e-10.

use crate::isa::{Isa, mul_add};

const SHIFT: f64 = 6_755_399_441_055_744.0;

/// The arguments of `f32` results that are neither 0 nor infinite lie well within.
const EXP2_LIMIT: f64 = 300.0;

/// `2^x`; beyond 2^300 in either direction the value stays there, which no `f32` can tell from infinity or 0.
#[inline(always)]
pub(super) fn exp2<I: Isa>(x: f64) -> f64 {
    let x = if x > EXP2_LIMIT { EXP2_LIMIT } else { x };
    let x = if x < -EXP2_LIMIT { -EXP2_LIMIT } else { x };
    let shifted = x + SHIFT;
    let rest = x - (shifted - SHIFT);
    let power = horner!(I, rest;
        1.5303721130801367e-05, 0.00015469755744925822, 0.0013333478409865399, 0.009618025530398209,
        0.05550410906373737, 0.24022651214120053, 0.6931471805568274, 0.999999999959497);
    // The integer is in the low bits of `shifted`; the shift drops everything else.
    power * f64::from_bits((shifted.to_bits() << 52).wrapping_add(1023 << 52))
}

/// `e^x`, with the limits of [`exp2`].
#[inline(always)]
pub(super) fn exp<I: Isa>(x: f64) -> f64 {
    exp2::<I>(x * std::f64::consts::LOG2_E)
}

/// Base-2 logarithm of a positive `f32`; 0 gives -inf, infinity and NaN themselves.
#[inline(always)]
pub(super) fn log2<I: Isa>(x: f32) -> f64 {
    let subnormal = x < f32::MIN_POSITIVE;
    let normal = if subnormal { x * 8_388_608.0 } else { x };
    let bits = normal.to_bits().wrapping_sub(super::single::SQRT_HALF_BITS) as i32;
    let exponent = (bits >> 23) - if subnormal { 23 } else { 0 };
    let fraction = f32::from_bits((bits & 0x007f_ffff) as u32 + super::single::SQRT_HALF_BITS);
    let fraction = f64::from(fraction);
    let ratio = (fraction - 1.0) / (fraction + 1.0);
    let square = ratio * ratio;
    let series = horner!(I, square;
        0.2828943745715255, 0.31990618475532295, 0.4122092382250214, 0.5770779425301307, 0.9617966941126749,
        2.8853900817778504);
    let value = mul_add::<I, f64>(ratio, series, f64::from(exponent));
    let value = if x < f32::INFINITY { value } else { f64::from(x) };
    if x == 0.0 { f64::NEG_INFINITY } else { value }
}

/// Arc tangent of `num / den` for nonnegative operands that are not both 0 or infinite.
#[inline(always)]
pub(super) fn atan_quotient<I: Isa>(num: f64, den: f64) -> f64 {
    // Rotated by 0, 45 or 90 degrees into |quotient| <= tan(pi / 8).
    let low = num <= den * 0.414_213_562_373_095_05;
    let high = num > den * 2.414_213_562_373_095;
    let (middle_top, middle_bottom) = (num - den, num + den);
    let top = if low { num } else { middle_top };
    let top = if high { -den } else { top };
    let bottom = if low { den } else { middle_bottom };
    let bottom = if high { num } else { bottom };
    let offset = if low { 0.0 } else { std::f64::consts::FRAC_PI_4 };
    let offset = if high { std::f64::consts::FRAC_PI_2 } else { offset };
    let quotient = top / bottom;
    let series = horner!(I, quotient * quotient;
        0.030648462064245905, -0.05873603778451311, 0.07563468146118665, -0.09078360226215096, 0.1111038267225016,
        -0.14285690328349226, 0.19999999603019614, -0.33333333330789583, 0.999999999999973);
    mul_add::<I, f64>(quotient, series, offset)
}

/// Arc sine divided by its argument, given the argument's square, at most 1/4.
#[inline(always)]
pub(super) fn asin_ratio<I: Isa>(square: f64) -> f64 {
    horner!(I, square;
        0.03196080310674931, -0.002874145509656018, 0.018646328134526484, 0.016470893198077496, 0.022472881657891398,
        0.03037502667647575, 0.044643127795630184, 0.07499999465541901, 0.16666666670739985, 0.999999999999949)
}

/// `1 - erf(x)` for nonnegative `x`: `e^(-x^2) / (1 + 2x)` times a polynomial in `(x - 3) / (x + 3)`, fitted on 0 to 10.3.
#[inline(always)]
pub(super) fn erfc<I: Isa>(x: f64) -> f64 {
    let x = if x > 10.3 { 10.3 } else { x };
    let series = horner!(I, (x - 3.0) / (x + 3.0);
        3.430210174434385e-05, 0.0001298528161492549, -0.00012513955115017728, -0.0007920180321977957,
        0.001892451414134764, 0.0025338959954526235, -0.023770463089534476, 0.06830736684160335,
        -0.11927373008046004, 0.12964519790970114, -0.04756229030550163, -0.13562110679852069, 1.2530080582387246);
    exp::<I>(-x * x) * series / (1.0 + 2.0 * x)
}

/// Cube root of a positive number that an `f32` can hold: two steps of Halley's iteration from an exponent divided by 3.
#[inline(always)]
pub(super) fn cbrt(x: f64) -> f64 {
    let guess = (x.to_bits() >> 32) as u32 / 3 + 715_094_163;
    let root = f64::from_bits(u64::from(guess) << 32);
    let cube = root * root * root;
    let root = root * ((cube + 2.0 * x) / (2.0 * cube + x));
    let cube = root * root * root;
    root * ((cube + 2.0 * x) / (2.0 * cube + x))
}
