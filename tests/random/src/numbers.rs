//! Random numbers, the same on every machine.

/// A small generator of numbers (xorshift).
#[derive(Clone, Debug)]
pub struct Numbers(u64);

impl Numbers {
    /// A generator of its own sequence.
    pub fn new(seed: u64) -> Self {
        let mut numbers = Self(0x9e37_79b9_7f4a_7c15 ^ seed.wrapping_mul(0x2545_f491_4f6c_dd1d));
        // Neighboring seeds differ in few bits at first.
        for _ in 0..8 {
            numbers.next();
        }
        numbers
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 >> 11
    }

    /// A number in `0..end`.
    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    /// True once in `count` times.
    pub fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    /// A number between `low` and `high`.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.below(1 << 30) as f64 / f64::from(1 << 30))
    }

    /// Multiples of one half, so that ties and zeros occur, or anything between -2 and 2.
    pub fn float(&mut self) -> f64 {
        match self.below(2) {
            0 => self.below(9) as f64 * 0.5 - 2.0,
            _ => self.between(-2.0, 2.0),
        }
    }

    /// One of some values.
    pub fn choose<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.below(values.len())]
    }
}
