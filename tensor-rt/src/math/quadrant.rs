//! Reduction of an `f32` angle of any size to a quadrant, without a branch.
//!
//! `x * 2/pi` is wanted modulo 4. For `x = m * 2^e` with a 24-bit integer `m`, the bits of `2/pi` whose weight times
//! `2^e` is a multiple of 4 cannot matter, so a table over the exponent holds what is left of `2/pi` once they are
//! dropped: the next 29 bits, whose product with `m` is exact in `f64`, and the 53 bits after those.

use crate::isa::{Isa, mul_add};

/// 1.5 * 2^52: adding it leaves the nearest integer in the low bits.
const SHIFT: f64 = 6_755_399_441_055_744.0;

/// The first 256 bits of 2/pi behind the binary point.
const TWO_OVER_PI: [u64; 4] =
    [0xa2f9_836e_4e44_1529, 0xfc27_57d1_f534_ddc0, 0xdb62_9599_3c43_9041, 0xfe51_63ab_debb_c561];

/// The leading part for each biased exponent. A constant and not a static: in another crate's loop a static would be memory
/// that the loop's stores may change, and nothing would vectorise.
const LEADING: [f64; 256] = table(0, 29);
/// The part after it.
const TRAILING: [f64; 256] = table(29, 53);

/// For each biased exponent: `width` bits of 2/pi from `skip` after the first that matters, at their true weight.
const fn table(skip: usize, width: usize) -> [f64; 256] {
    let mut table = [0.0; 256];
    let mut exponent = 0usize;
    while exponent < 255 {
        // x is an integer times 2^(exponent - 150); a bit of weight 2^-k is dropped if exponent - 150 - k >= 2.
        let dropped = exponent.saturating_sub(152);
        let mut bits = 0u64;
        let mut position = dropped + skip;
        while position < dropped + skip + width {
            bits = (bits << 1) | ((TWO_OVER_PI[position / 64] >> (63 - position % 64)) & 1);
            position += 1;
        }
        // The last bit read has weight 2^-position.
        table[exponent] = bits as f64 * f64::from_bits(((1023 - position) as u64) << 52);
        exponent += 1;
    }
    table
}

/// The quadrant (its two low bits count) and the rest in quadrants, at most 5/8 in size. Infinities give NaN.
#[inline(always)]
pub(super) fn reduce(x: f32) -> (f64, u64) {
    let exponent = ((x.to_bits() >> 23) & 0xff) as usize;
    let wide = f64::from(x);
    let product = wide * LEADING[exponent];
    let shifted = product + SHIFT;
    // NaN for infinities, since their product is: inf * 0.
    let rest = (product - (shifted - SHIFT)) + wide * TRAILING[exponent];
    (rest, shifted.to_bits())
}

/// Sine of an angle in quadrants, at most 5/8 in size; relative error 2e-13.
#[inline(always)]
pub(super) fn sine<I: Isa>(rest: f64) -> f64 {
    rest * horner!(I, rest * rest;
        -3.531135795582593e-06, 0.00016041080334438043, -0.004681747842414747, 0.07969262565662055,
        -0.6459640974860401, 1.5707963267947844)
}

/// Cosine of an angle in quadrants, at most 5/8 in size; absolute error 2e-15.
#[inline(always)]
pub(super) fn cosine<I: Isa>(rest: f64) -> f64 {
    let square = rest * rest;
    let tail = horner!(I, square;
        4.622239476281664e-07, -2.51971813375938e-05, 0.000919258950915228, -0.020863480578143665,
        0.253669507888706, -1.2337005501358613);
    mul_add::<I, f64>(tail, square, 0.9999999999999988)
}
