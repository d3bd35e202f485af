//! Random numbers: the words of Philox4x32-10 as numbers of 53 bits.

use crate::ir::Distribution;

/// The number of a counter.
pub(super) fn number(distribution: Distribution, seed: u64, stream: u32, counter: u64) -> f64 {
    let words = philox([counter as u32, (counter >> 32) as u32, stream, 0], [seed as u32, (seed >> 32) as u32]);
    let [first, second] = [[words[0], words[1]], [words[2], words[3]]].map(unit);
    match distribution {
        Distribution::Uniform => first,
        // Box-Muller; 1 less a number below 1 has a logarithm.
        Distribution::Normal => (-2.0 * (1.0 - first).ln()).sqrt() * (std::f64::consts::TAU * second).cos(),
    }
}

/// The highest 53 bits of two words as a number in `[0, 1)`.
fn unit([high, low]: [u32; 2]) -> f64 {
    ((u64::from(high) << 32 | u64::from(low)) >> 11) as f64 / (1u64 << 53) as f64
}

/// Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011).
fn philox(mut counter: [u32; 4], mut key: [u32; 2]) -> [u32; 4] {
    for _ in 0..10 {
        let [a, b] = [0xD251_1F53 * u64::from(counter[0]), 0xCD9E_8D57 * u64::from(counter[2])];
        let [high_a, high_b] = [a, b].map(|product| (product >> 32) as u32);
        counter = [high_b ^ counter[1] ^ key[0], b as u32, high_a ^ counter[3] ^ key[1], a as u32];
        key = [key[0].wrapping_add(0x9E37_79B9), key[1].wrapping_add(0xBB67_AE85)];
    }
    counter
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
}
