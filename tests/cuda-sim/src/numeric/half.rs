//! f16 and bf16.
//!
//! One operation in f32 (addition, product) and a rounding is the operation rounded once, since 24 bits are more than
//! twice 11 and two. A fused multiply-add goes through f64, rounded to odd, for the same reason.

use super::round::{Rounding, narrow, two_sum};
use crate::exec::registers::Lane;

/// The bits of an IEEE half.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct F16(pub u16);

/// The bits of a bfloat16.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Bf16(pub u16);

/// Two halves in one register; the first is in the low bits.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Two<H>(pub [H; 2]);

/// What the two formats have in common.
pub(crate) trait Half: Lane<Bits = u16> + PartialEq {
    /// What an operation gives for NaN.
    const NAN: Self;

    fn to_f32(self) -> f32;

    fn from_f32(value: f32, rounding: Rounding) -> Self;

    fn from_f64(value: f64, rounding: Rounding) -> Self {
        // Rounded to odd first, the second rounding sees on which side the value was.
        Self::from_f32(to_odd_f32(value), rounding)
    }

    fn fma(self, factor: Self, addend: Self) -> Self {
        let product = f64::from(self.to_f32()) * f64::from(factor.to_f32());
        Self::from_f64(odd_sum(product, f64::from(addend.to_f32())), Rounding::Nearest)
    }
}

impl Lane for F16 {
    type Bits = u16;

    #[inline(always)]
    fn from_bits(bits: u16) -> Self {
        Self(bits)
    }

    #[inline(always)]
    fn to_bits(self) -> u16 {
        self.0
    }
}

impl Lane for Bf16 {
    type Bits = u16;

    #[inline(always)]
    fn from_bits(bits: u16) -> Self {
        Self(bits)
    }

    #[inline(always)]
    fn to_bits(self) -> u16 {
        self.0
    }
}

impl<H: Half> Lane for Two<H> {
    type Bits = u32;

    #[inline(always)]
    fn from_bits(bits: u32) -> Self {
        Self([H::from_bits(bits as u16), H::from_bits((bits >> 16) as u16)])
    }

    #[inline(always)]
    fn to_bits(self) -> u32 {
        u32::from(self.0[0].to_bits()) | u32::from(self.0[1].to_bits()) << 16
    }
}

impl Half for F16 {
    const NAN: Self = Self(0x7fff);

    #[inline(always)]
    fn to_f32(self) -> f32 {
        let magnitude = u32::from(self.0 & 0x7fff) << 13;
        // As an f32 the bits have an exponent that is 112 too low, also where the half is subnormal.
        let scaled = (f32::from_bits(magnitude) * f32::from_bits(0x7780_0000)).to_bits();
        let special = if magnitude >= 0x0f80_0000 { magnitude | 0x7f80_0000 } else { scaled };
        f32::from_bits(special | u32::from(self.0 & 0x8000) << 16)
    }

    #[inline(always)]
    fn from_f32(value: f32, rounding: Rounding) -> Self {
        let sign = (value.to_bits() >> 16) as u16 & 0x8000;
        let magnitude = value.to_bits() & 0x7fff_ffff;
        let near = if magnitude >= 0x4780_0000 {
            0x7c00
        } else if magnitude < 0x3880_0000 {
            // Adding one half leaves the places of a subnormal half at the end of the significand, rounded.
            ((f32::from_bits(magnitude) + 0.5).to_bits() - 0x3f00_0000) as u16
        } else {
            let odd = magnitude >> 13 & 1;
            (magnitude.wrapping_add(0xc800_0fff + odd) >> 13) as u16
        };
        if value.is_nan() {
            return Self::NAN;
        }
        let near = Self(near | sign);
        if rounding == Rounding::Nearest { near } else { toward(near, value, rounding, Self, 0x7bff) }
    }
}

impl Half for Bf16 {
    const NAN: Self = Self(0x7fff);

    #[inline(always)]
    fn to_f32(self) -> f32 {
        f32::from_bits(u32::from(self.0) << 16)
    }

    #[inline(always)]
    fn from_f32(value: f32, rounding: Rounding) -> Self {
        let bits = value.to_bits();
        let odd = bits >> 16 & 1;
        if value.is_nan() {
            return Self::NAN;
        }
        let near = Self((bits.wrapping_add(0x7fff + odd) >> 16) as u16);
        if rounding == Rounding::Nearest { near } else { toward(near, value, rounding, Self, 0x7f7f) }
    }
}

/// The neighbour of a half to nearest that a direction asks for. `largest` are the bits of the largest finite one.
fn toward<H: Half>(near: H, exact: f32, rounding: Rounding, from: fn(u16) -> H, largest: u16) -> H {
    let (bits, value) = (near.to_bits(), near.to_f32());
    if value == exact {
        return near;
    }
    let shrink = if value.is_infinite() { from(bits & 0x8000 | largest) } else { from(bits.wrapping_sub(1)) };
    let (grow, is_negative) = (from(bits + 1), exact < 0.0);
    let wants_larger_magnitude = match rounding {
        Rounding::Up => !is_negative,
        Rounding::Down => is_negative,
        Rounding::Zero | Rounding::Nearest => false,
    };
    match (value.abs() > exact.abs(), wants_larger_magnitude) {
        (true, false) => shrink,
        (false, true) => grow,
        _ => near,
    }
}

/// Truncated, and with its last bit set if that lost anything.
#[inline(always)]
fn to_odd_f32(value: f64) -> f32 {
    let truncated = narrow(value, Rounding::Zero);
    let lost = f64::from(truncated) != value && !value.is_nan();
    f32::from_bits(truncated.to_bits() | u32::from(lost))
}

/// A sum with its last bit set if that lost anything.
#[inline(always)]
fn odd_sum(a: f64, b: f64) -> f64 {
    let (sum, low) = two_sum(a, b);
    if low == 0.0 || !sum.is_finite() || low.is_nan() {
        return sum;
    }
    // Truncate toward the exact value, then set the last bit.
    let truncated = if (low > 0.0) == (sum > 0.0) { sum.to_bits() } else { sum.to_bits() - 1 };
    f64::from_bits(truncated | 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_half_is_an_f32_and_comes_back() {
        for bits in 0..=u16::MAX {
            let (half, brain) = (F16(bits), Bf16(bits));
            for rounding in [Rounding::Nearest, Rounding::Zero, Rounding::Up, Rounding::Down] {
                if !half.to_f32().is_nan() {
                    assert_eq!(F16::from_f32(half.to_f32(), rounding), half);
                    assert_eq!(F16::from_f64(half.to_f32().into(), rounding), half);
                }
                if !brain.to_f32().is_nan() {
                    assert_eq!(Bf16::from_f32(brain.to_f32(), rounding), brain);
                }
            }
        }
    }

    #[test]
    fn known_halves() {
        assert_eq!(F16(0x3c00).to_f32(), 1.0);
        assert_eq!(F16(0x0001).to_f32(), 2.0_f32.powi(-24));
        assert_eq!(F16(0xfc00).to_f32(), f32::NEG_INFINITY);
        assert!(F16(0x7e00).to_f32().is_nan());
        assert_eq!(F16::from_f32(65519.0, Rounding::Nearest), F16(0x7bff));
        assert_eq!(F16::from_f32(65520.0, Rounding::Nearest), F16(0x7c00));
        assert_eq!(F16::from_f32(1e9, Rounding::Zero), F16(0x7bff));
        assert_eq!(F16::from_f32(f32::NAN, Rounding::Nearest), F16::NAN);
        assert_eq!(Bf16::from_f32(1.0 + 1.0 / 256.0, Rounding::Nearest), Bf16(0x3f80));
        assert_eq!(Bf16::from_f32(1.0 + 3.0 / 256.0, Rounding::Nearest), Bf16(0x3f82));
    }

    /// Between neighbours, the middle goes to the even one, and directions to their side.
    #[test]
    fn rounding_between_neighbours() {
        for bits in (0..0x7bff).step_by(7) {
            let (low, high) = (F16(bits), F16(bits + 1));
            let middle = (f64::from(low.to_f32()) + f64::from(high.to_f32())) / 2.0;
            let even = if bits & 1 == 0 { low } else { high };
            assert_eq!(F16::from_f64(middle, Rounding::Nearest), even);
            assert_eq!(F16::from_f64(middle * (1.0 + 1e-14), Rounding::Nearest), high);
            assert_eq!(F16::from_f64(middle * (1.0 - 1e-14), Rounding::Nearest), low);
            assert_eq!(F16::from_f64(middle, Rounding::Zero), low);
            assert_eq!(F16::from_f64(middle, Rounding::Up), high);
            assert_eq!(F16::from_f64(-middle, Rounding::Down), F16(high.0 | 0x8000));
        }
    }

    #[test]
    fn a_fused_product_is_rounded_once() {
        // 1 + 2^-11 (a tie, to even 1) plus a little more than nothing.
        let (one, tiny) = (F16(0x3c00), F16(0x0001));
        let tie = F16::from_f32(2.0_f32.powi(-11), Rounding::Nearest);
        assert_eq!(tie.fma(one, one), one);
        let above = F16::from_f32(2.0_f32.powi(-11) * (1.0 + 1.0 / 1024.0), Rounding::Nearest);
        assert_eq!(above.fma(one, one), F16(0x3c01));
        assert_eq!(tiny.fma(tiny, F16(0x3c00)), F16(0x3c00));
    }
}
