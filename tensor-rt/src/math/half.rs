//! `f16` and `bf16` from and to `f32`, by integer arithmetic that vectorises on every instruction set.
//!
//! Widening is exact, signaling NaN excepted, which may become quiet. Narrowing rounds to nearest even, overflows to
//! infinity and keeps NaN a (quiet) NaN with the upper bits of its payload.

use half::{bf16, f16};

/// The exact value.
#[inline(always)]
pub(crate) fn f16_to_f32(x: f16) -> f32 {
    let bits = u32::from(x.to_bits());
    let magnitude = (bits & 0x7fff) << 13;
    let exponent = magnitude & 0x0f80_0000;
    // Exponent bias 15 becomes 127; for infinity and NaN exponent 31 becomes 255.
    let normal = magnitude + (112 << 23);
    let special = magnitude + (224 << 23);
    // A subnormal is the fraction of a number at 2^-14, less that number; the subtraction normalizes it.
    let subnormal = (f32::from_bits(magnitude + (113 << 23)) - f32::from_bits(113 << 23)).to_bits();
    let finite = if exponent == 0 { subnormal } else { normal };
    let value = if exponent == 0x0f80_0000 { special } else { finite };
    f32::from_bits(value | ((bits & 0x8000) << 16))
}

/// The nearest `f16`.
#[inline(always)]
pub(crate) fn f32_to_f16(x: f32) -> f16 {
    let bits = x.to_bits();
    let magnitude = bits & 0x7fff_ffff;
    // Bias 127 becomes 15; the addend below the kept bits rounds half to even, and a carry into the exponent is right.
    let normal = magnitude.wrapping_add(0xc800_0fff).wrapping_add((magnitude >> 13) & 1) >> 13;
    // The last place of numbers in [0.5, 1) is the smallest subnormal f16, so the addition rounds.
    let subnormal = (f32::from_bits(magnitude) + 0.5).to_bits().wrapping_sub(0.5f32.to_bits());
    let not_a_number = 0x7e00 | ((magnitude >> 13) & 0x3ff);
    let finite = if magnitude < 0x3880_0000 { subnormal } else { normal };
    let ordered = if magnitude >= 0x4780_0000 { 0x7c00 } else { finite };
    let value = if magnitude > 0x7f80_0000 { not_a_number } else { ordered };
    f16::from_bits((value | ((bits >> 16) & 0x8000)) as u16)
}

/// The exact value.
#[inline(always)]
pub(crate) fn bf16_to_f32(x: bf16) -> f32 {
    f32::from_bits(u32::from(x.to_bits()) << 16)
}

/// The nearest `bf16`.
#[inline(always)]
pub(crate) fn f32_to_bf16(x: f32) -> bf16 {
    let bits = x.to_bits();
    let rounded = bits.wrapping_add(0x7fff).wrapping_add((bits >> 16) & 1) >> 16;
    let not_a_number = (bits >> 16) | 0x40;
    let value = if bits & 0x7fff_ffff > 0x7f80_0000 { not_a_number } else { rounded };
    bf16::from_bits(value as u16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widening_is_exact() {
        for bits in 0..=u16::MAX {
            let (x, y) = (f16::from_bits(bits), bf16::from_bits(bits));
            let (wide_x, wide_y) = (f16_to_f32(x), bf16_to_f32(y));
            assert!(wide_x == x.to_f32() || x.is_nan() && wide_x.is_nan(), "{bits:#x}");
            assert!(wide_y == y.to_f32() || y.is_nan() && wide_y.is_nan(), "{bits:#x}");
            assert_eq!(wide_x.is_sign_negative(), bits >> 15 == 1);
        }
    }

    #[test]
    fn narrowing_rounds_to_nearest_even() {
        let boundary = (0..=u16::MAX).flat_map(|bits| {
            // Every f16 and bf16, their midpoints, and the neighbors of both.
            let exact = [f16::from_bits(bits).to_f32().to_bits(), u32::from(bits) << 16];
            let midpoint = exact.map(|exact| exact.wrapping_add(0x1000)).into_iter().chain([exact[1] + 0x8000]);
            let all: Vec<u32> = exact.into_iter().chain(midpoint).collect();
            all.into_iter().flat_map(|bits| [bits.wrapping_sub(1), bits, bits.wrapping_add(1)])
        });
        for bits in boundary.chain((0..=u32::MAX).step_by(1009)) {
            let x = f32::from_bits(bits);
            let (half, brain) = (f32_to_f16(x), f32_to_bf16(x));
            if x.is_nan() {
                assert!(half.is_nan() && brain.is_nan(), "{bits:#x}");
            } else {
                assert_eq!(half.to_bits(), f16::from_f32_const(x).to_bits(), "{x:e}");
                assert_eq!(brain.to_bits(), bf16::from_f32_const(x).to_bits(), "{x:e}");
            }
        }
    }

    #[test]
    #[expect(clippy::approx_constant, reason = "the number of the case")]
    fn case_e19_narrowing_to_bf16() {
        let narrowed = [0.269_140_87, 1.003_906_3, 1.011_718_8, 3.14, f32::from_bits(0x7f80_0001)].map(f32_to_bf16);
        assert_eq!(narrowed[..4], [0.269_531_25, 1.0, 1.015_625, 3.140_625].map(bf16::from_f32));
        assert!(narrowed[4].is_nan());
    }
}
