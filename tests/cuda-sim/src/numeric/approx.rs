//! The approximate functions of the device, computed more exactly than it does.
//!
//! Results are within half a place of the true value (`ex2`, `lg2`, `rsqrt`) or correctly rounded; the hardware is within
//! one or two places. Special values are those that the PTX manual states.

/// `2^x`, by a polynomial in f64 on [-1/2, 1/2].
#[inline(always)]
pub(crate) fn ex2(x: f32) -> f32 {
    // Adding this leaves the nearest integer in the low bits of the significand.
    const SHIFT: f64 = 6_755_399_441_055_744.0;
    const LN2: f64 = std::f64::consts::LN_2;
    let clamped = f64::from(x).clamp(-200.0, 200.0);
    let shifted = clamped + SHIFT;
    let f = (clamped - (shifted - SHIFT)) * LN2;
    // Taylor to the tenth power: the rest is below 2^-40.
    let mut p = 1.0 / 3_628_800.0;
    for factorial in [362_880.0, 40_320.0, 5_040.0, 720.0, 120.0, 24.0, 6.0, 2.0, 1.0, 1.0] {
        p = p * f + 1.0 / factorial;
    }
    let scaled = f64::from_bits(p.to_bits().wrapping_add(shifted.to_bits() << 52));
    if x.is_nan() { f32::NAN } else { scaled as f32 }
}

/// `log2(x)`, by the series of the inverse hyperbolic tangent.
#[inline(always)]
pub(crate) fn lg2(x: f32) -> f32 {
    let bits = f64::from(x).to_bits();
    // The significand in [sqrt(1/2), sqrt(2)).
    let above = bits.wrapping_sub(std::f64::consts::FRAC_1_SQRT_2.to_bits());
    let exponent = (above as i64 >> 52) as i32;
    let m = f64::from_bits(bits.wrapping_sub(above & !((1 << 52) - 1)));
    let s = (m - 1.0) / (m + 1.0);
    let square = s * s;
    let mut p = 0.0;
    for power in [17.0, 15.0, 13.0, 11.0, 9.0, 7.0, 5.0, 3.0, 1.0] {
        p = p * square + 1.0 / power;
    }
    let log = f64::from(exponent) + p * s * (2.0 * std::f64::consts::LOG2_E);
    let special = if x == 0.0 { f32::NEG_INFINITY } else { f32::NAN };
    if x > 0.0 && x < f32::INFINITY {
        log as f32
    } else if x == f32::INFINITY {
        x
    } else {
        special
    }
}

#[inline(always)]
pub(crate) fn sin(x: f32) -> f32 {
    f64::from(x).sin() as f32
}

#[inline(always)]
pub(crate) fn cos(x: f32) -> f32 {
    f64::from(x).cos() as f32
}

#[inline(always)]
pub(crate) fn tanh(x: f32) -> f32 {
    f64::from(x).tanh() as f32
}

#[inline(always)]
pub(crate) fn rcp(x: f32) -> f32 {
    1.0 / x
}

#[inline(always)]
pub(crate) fn rsqrt(x: f32) -> f32 {
    (1.0 / f64::from(x).sqrt()) as f32
}

/// `a / b` as `a` times an approximate reciprocal, whose subnormal values the manual says to be zero.
#[inline(always)]
pub(crate) fn div(a: f32, b: f32) -> f32 {
    if b.abs() > f32::from_bits(253 << 23) { a * 0.0_f32.copysign(b) } else { a / b }
}

/// The reciprocal to the 20 places that the instruction gives; the low word is zero.
#[inline(always)]
pub(crate) fn rcp_f64(x: f64) -> f64 {
    high_word(1.0 / flush_f64(x))
}

/// The inverse root to the 20 places that the instruction gives; the low word is zero.
#[inline(always)]
pub(crate) fn rsqrt_f64(x: f64) -> f64 {
    high_word(1.0 / flush_f64(x).sqrt())
}

/// Subnormal numbers to zero, keeping the sign.
#[inline(always)]
pub(crate) fn flush(x: f32) -> f32 {
    if x.abs() < f32::MIN_POSITIVE { 0.0_f32.copysign(x) } else { x }
}

#[inline(always)]
fn flush_f64(x: f64) -> f64 {
    if x.abs() < f64::MIN_POSITIVE { 0.0_f64.copysign(x) } else { x }
}

#[inline(always)]
fn high_word(x: f64) -> f64 {
    flush_f64(f64::from_bits(x.to_bits() & !0xffff_ffff))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples() -> impl Iterator<Item = f32> {
        (0..0x1_0000_u32).map(|step| f32::from_bits(step.wrapping_mul(65_521)))
    }

    /// At most half a place from the f64 result, and a little.
    fn assert_close(found: f32, expected: f64, x: f32) {
        let rounded = expected as f32;
        if rounded.is_nan() || rounded.is_infinite() || rounded == 0.0 {
            assert!(found == rounded || found.is_nan() && rounded.is_nan(), "{x}: {found} for {expected}");
        } else {
            let place = f64::from(rounded.abs().next_up()) - f64::from(rounded.abs());
            assert!((f64::from(found) - expected).abs() <= 0.501 * place, "{x}: {found} for {expected}");
        }
    }

    #[test]
    fn powers_and_logarithms_are_exact_to_half_a_place() {
        for x in samples() {
            assert_close(ex2(x), f64::from(x).exp2(), x);
            assert_close(lg2(x), f64::from(x).log2(), x);
        }
        for exponent in -149..128 {
            assert_eq!(ex2(exponent as f32), 2.0_f64.powi(exponent) as f32);
            assert_eq!(lg2(2.0_f64.powi(exponent) as f32), exponent as f32);
        }
    }

    #[test]
    fn special_values() {
        assert_eq!([ex2(f32::NEG_INFINITY), ex2(f32::INFINITY), lg2(0.0)], [0.0, f32::INFINITY, f32::NEG_INFINITY]);
        assert!(ex2(f32::NAN).is_nan() && lg2(-1.0).is_nan() && lg2(f32::NAN).is_nan());
        assert_eq!([rcp(0.0), rcp(-0.0), rsqrt(0.0)], [f32::INFINITY, f32::NEG_INFINITY, f32::INFINITY]);
        assert_eq!(div(1.0, f32::MAX), 0.0);
        assert!(div(f32::INFINITY, f32::MAX).is_nan());
        assert_eq!(rcp_f64(3.0).to_bits() as u32, 0);
        assert!((rcp_f64(3.0) * 3.0 - 1.0).abs() < 1e-6);
        assert_eq!(rcp_f64(f64::from_bits(1)), f64::INFINITY);
    }
}
