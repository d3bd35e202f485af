//! The order of the samples in an epoch: a function of seed and epoch alone, so that a run can be repeated or resumed.

/// A permutation of `0..count`; epochs of one seed differ, and every order is as likely as any other.
pub fn order(count: usize, seed: u64, epoch: u64) -> Vec<usize> {
    let mut random = SplitMix64(mix(seed).wrapping_add(epoch));
    let mut order: Vec<usize> = (0..count).collect();
    for last in (1..count).rev() {
        order.swap(last, random.below(last as u64 + 1) as usize);
    }
    order
}

/// Steele, Lea and Flood's generator: a counter, and a function that mixes it.
struct SplitMix64(u64);

impl SplitMix64 {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }

    /// A number from 0 to `bound - 1`; the draws that would favour small numbers are thrown away.
    fn below(&mut self, bound: u64) -> u64 {
        let unfair = u64::MAX - u64::MAX % bound;
        loop {
            let draw = self.next();
            if draw < unfair {
                return draw % bound;
            }
        }
    }
}

fn mix(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_is_a_permutation() {
        let mut found = order(1438, 7, 3);
        assert_ne!(found, (0..1438).collect::<Vec<_>>());
        found.sort_unstable();
        assert_eq!(found, (0..1438).collect::<Vec<_>>());
        assert_eq!(order(0, 7, 3), []);
        assert_eq!(order(1, 7, 3), [0]);
    }

    #[test]
    fn orders_depend_on_seed_and_epoch_and_repeat() {
        assert_eq!(order(50, 7, 3), order(50, 7, 3));
        assert_ne!(order(50, 7, 3), order(50, 7, 4));
        assert_ne!(order(50, 7, 3), order(50, 8, 3));
        // Epochs of neighbouring seeds are not each other's, one step off.
        assert_ne!(order(50, 0, 1), order(50, 1, 0));
    }

    #[test]
    fn every_place_is_equally_likely() {
        let mut counts = [0; 4];
        for epoch in 0..4000 {
            counts[order(4, 1, epoch).iter().position(|&sample| sample == 0).unwrap()] += 1;
        }
        // Four deviations of a binomial with 4000 draws and probability 1/4 are 110.
        assert!(counts.iter().all(|count: &i32| (count - 1000).abs() < 110), "{counts:?}");
    }
}
