//! Random numbers by counter: Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011).
//!
//! Nothing is drawn in sequence: a number is a function of seed, stream and counter. In a kernel the stream is the ordinal
//! of the textual call of `uniform` or `normal`, and the counter the row-major position over all axes in scope there; for
//! `Tensor::rand` and `randn` the stream is 0 and the counter the position of the element. Every device makes the
//! number in the same way:
//!
//! 1. The four words `w0 w1 w2 w3` are the block of the counter words `[counter mod 2^32, counter / 2^32, stream, 0]`
//!    under the key words `[seed mod 2^32, seed / 2^32]`.
//! 2. The *unit* of two words `[high, low]`, a number in `[0, 1)`: in `f32` the highest 24 bits of `high` over 2^24, in
//!    `f64` the highest 53 bits of `high * 2^32 + low` over 2^53; so the `f32` number is the `f64` number, truncated.
//! 3. `uniform` is the unit of `[w0, w1]`.
//! 4. `normal` is `sqrt(-2 ln(1 - u)) cos(2 pi v)` with `u` the unit of `[w0, w1]` and `v` that of `[w2, w3]` (Box-Muller;
//!    the logarithm is finite, as `1 - u` is above 0). In `f32` it is made of this crate's own functions without a fused
//!    operation, so that it is the same bits on every instruction set; in `f64` the cosine is the standard library's.
//!
//! Half elements are computed in `f32` like everything else, and rounded when they are stored.

use super::{double, single};
use crate::isa::Unfused;

/// The block of a counter under a key.
#[inline(always)]
fn philox(mut counter: [u32; 4], mut key: [u32; 2]) -> [u32; 4] {
    for _ in 0..10 {
        let [a, b] = [0xD251_1F53 * u64::from(counter[0]), 0xCD9E_8D57 * u64::from(counter[2])];
        let [high_a, high_b] = [a, b].map(|product| (product >> 32) as u32);
        counter = [high_b ^ counter[1] ^ key[0], b as u32, high_a ^ counter[3] ^ key[1], a as u32];
        key = [key[0].wrapping_add(0x9E37_79B9), key[1].wrapping_add(0xBB67_AE85)];
    }
    counter
}

/// The words from which a number is made.
#[inline(always)]
pub(crate) fn words(seed: u64, stream: u32, counter: u64) -> [u32; 4] {
    philox([counter as u32, (counter >> 32) as u32, stream, 0], [seed as u32, (seed >> 32) as u32])
}

/// The unit of two words in `f32`.
#[inline(always)]
fn unit_single(high: u32) -> f32 {
    // Signed, as the conversion of unsigned integers is slower; it is exact.
    (high >> 8) as i32 as f32 * (1.0 / (1u32 << 24) as f32)
}

/// The unit of two words in `f64`.
#[inline(always)]
fn unit_double(high: u32, low: u32) -> f64 {
    (f64::from(high) * (1u64 << 21) as f64 + f64::from(low >> 11)) * (1.0 / (1u64 << 53) as f64)
}

#[inline(always)]
pub(crate) fn uniform_single(seed: u64, stream: u32, counter: u64) -> f32 {
    unit_single(words(seed, stream, counter)[0])
}

#[inline(always)]
pub(crate) fn uniform_double(seed: u64, stream: u32, counter: u64) -> f64 {
    let [high, low, ..] = words(seed, stream, counter);
    unit_double(high, low)
}

#[inline(always)]
pub(crate) fn normal_single(seed: u64, stream: u32, counter: u64) -> f32 {
    let [first, _, second, _] = words(seed, stream, counter);
    let radius = single::sqrt::<Unfused>(-2.0 * single::ln::<Unfused>(1.0 - unit_single(first)));
    radius * single::cos::<Unfused>(std::f32::consts::TAU * unit_single(second))
}

#[inline(always)]
pub(crate) fn normal_double(seed: u64, stream: u32, counter: u64) -> f64 {
    let [high, low, second_high, second_low] = words(seed, stream, counter);
    let radius = double::sqrt::<Unfused>(-2.0 * double::ln::<Unfused>(1.0 - unit_double(high, low)));
    radius * double::cos::<Unfused>(std::f64::consts::TAU * unit_double(second_high, second_low))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Known answers of the authors' Random123: zeros, ones, digits of pi.
    #[test]
    fn philox_matches_its_authors() {
        assert_eq!(philox([0; 4], [0; 2]), [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]);
        assert_eq!(philox([u32::MAX; 4], [u32::MAX; 2]), [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]);
        let digits = [0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344];
        assert_eq!(philox(digits, [0xa409_3822, 0x299f_31d0]), [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1]);
    }

    #[test]
    fn words_lie_where_the_documentation_says() {
        let (seed, counter) = (0xa409_3822_u64 | 0x299f_31d0 << 32, 0x243f_6a88_u64 | 0x85a3_08d3 << 32);
        let block = philox([0x243f_6a88, 0x85a3_08d3, 3, 0], [0xa409_3822, 0x299f_31d0]);
        assert_eq!(words(seed, 3, counter), block);
        assert_eq!(uniform_single(seed, 3, counter), (block[0] >> 8) as f32 / 16_777_216.0);
        let bits = (u64::from(block[0]) << 32 | u64::from(block[1])) >> 11;
        assert_eq!(uniform_double(seed, 3, counter), bits as f64 / 9_007_199_254_740_992.0);
    }

    #[test]
    fn the_extreme_words_stay_within_the_interval() {
        assert_eq!((unit_single(0), unit_double(0, 0)), (0.0, 0.0));
        assert_eq!(unit_single(u32::MAX), 1.0 - f32::EPSILON / 2.0);
        assert_eq!(unit_double(u32::MAX, u32::MAX), 1.0 - f64::EPSILON / 2.0);
    }

    /// The 24 bits of `u` cut off up to 2^-24, which the logarithm divides by `1 - u`; the cosine's argument, up to 2 pi, is
    /// rounded in `f32`.
    #[test]
    fn normal_numbers_of_both_types_agree() {
        for counter in 0..10_000 {
            let (single, double) = (normal_single(9, 0, counter), normal_double(9, 0, counter));
            let tolerance = 4e-6 + 0.5f64.powi(24) / (1.0 - uniform_double(9, 0, counter));
            assert!((f64::from(single) - double).abs() < tolerance, "{counter}: {single} and {double}");
        }
    }
}
