//! Sums of squared deviations from the mean.
//!
//! A partial is such a sum of some elements, with their mean and their number. A block of elements is folded in two passes
//! over it, the first from its first element, the second from the mean that the first has found; what that is off by is
//! corrected. Partials merge by Chan's rule ("Updating formulae and a pairwise algorithm for computing sample variances",
//! 1979). No difference of large sums is formed, so elements far from zero cost no digits. Means are `f64` whatever the
//! elements are.
//!
//! Invariant: all lanes of a partial know of the same number of elements.

use crate::element::Compute;
use crate::isa::Isa;
use crate::kernel::block::BLOCK;
use crate::kernel::body::Routine;

/// Partials of some lanes.
pub(super) struct Moments<'a, C> {
    /// Sums of squared deviations.
    pub squares: &'a mut [C],
    /// Means.
    pub means: &'a mut [f64],
    /// Elements of each lane.
    pub count: &'a mut f64,
}

impl<C: Compute> Moments<'_, C> {
    /// Adds what is known of `count` other elements of each lane.
    #[inline(always)]
    fn merge(&mut self, squares: &[C], means: &[f64], count: f64) {
        let total = *self.count + count;
        if count == 0.0 {
            return;
        }
        let (weight, cross) = (count / total, *self.count * count / total);
        for lane in 0..self.squares.len() {
            let apart = means[lane] - self.means[lane];
            self.means[lane] += apart * weight;
            self.squares[lane] += squares[lane] + C::from_f64(apart * apart * cross);
        }
        *self.count = total;
    }
}

/// Merges later partials into earlier ones.
pub(super) struct Merge<'a, C> {
    pub earlier: Moments<'a, C>,
    pub later: Moments<'a, C>,
}

impl<C: Compute> Routine for Merge<'_, C> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(mut self) {
        self.earlier.merge(self.later.squares, self.later.means, *self.later.count);
    }
}

/// The partials of rows of `len` elements, which follow each other; the means only if they are wanted.
pub(super) struct Rows<'a, C> {
    pub bodies: &'a [C],
    pub len: usize,
    pub squares: &'a mut [C],
    pub means: Option<&'a mut [f64]>,
}

impl<C: Compute> Routine for Rows<'_, C> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        let Self { bodies, len, squares, mut means } = self;
        let count = C::from_i64(len as i64);
        for (place, row) in bodies.chunks_exact(len).enumerate() {
            let (off, _) = deviations(row, row[0]);
            let near = row[0] + off / count;
            let (off, square) = deviations(row, near);
            squares[place] = corrected(square, off, count);
            if let Some(means) = &mut means {
                means[place] = near.to_f64() + (off / count).to_f64();
            }
        }
    }
}

/// Folds rows of one element per lane into the partials of the lanes.
pub(super) struct Columns<'a, C> {
    pub bodies: &'a [C],
    pub moments: Moments<'a, C>,
}

impl<C: Compute> Routine for Columns<'_, C> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(mut self) {
        let lanes = self.moments.squares.len();
        let points = self.bodies.len() / lanes;
        let count = C::from_i64(points as i64);
        let [mut near, mut off, mut square] = [[C::default(); BLOCK]; 3];
        let (near, off, square) = (&mut near[..lanes], &mut off[..lanes], &mut square[..lanes]);
        near.copy_from_slice(&self.bodies[..lanes]);
        if points > 1 {
            for row in self.bodies.chunks_exact(lanes) {
                for lane in 0..lanes {
                    off[lane] += row[lane] - near[lane];
                }
            }
            for lane in 0..lanes {
                near[lane] += off[lane] / count;
                off[lane] = C::default();
            }
        }
        for row in self.bodies.chunks_exact(lanes) {
            for lane in 0..lanes {
                let apart = row[lane] - near[lane];
                off[lane] += apart;
                square[lane] += apart * apart;
            }
        }
        let mut means = [0.0; BLOCK];
        for lane in 0..lanes {
            square[lane] = corrected(square[lane], off[lane], count);
            means[lane] = near[lane].to_f64() + (off[lane] / count).to_f64();
        }
        self.moments.merge(square, &means[..lanes], points as f64);
    }
}

/// The sums of `x - from` and of its square over a row, in a fixed number of lanes.
#[inline(always)]
fn deviations<C: Compute>(row: &[C], from: C) -> (C, C) {
    const LANES: usize = 16;
    let [mut sums, mut squares] = [[C::default(); LANES]; 2];
    let chunks = row.chunks_exact(LANES);
    let tail = chunks.remainder();
    for chunk in chunks {
        for lane in 0..LANES {
            let apart = chunk[lane] - from;
            sums[lane] += apart;
            squares[lane] += apart * apart;
        }
    }
    for (lane, &x) in tail.iter().enumerate() {
        let apart = x - from;
        sums[lane] += apart;
        squares[lane] += apart * apart;
    }
    let mut width = LANES;
    while width > 1 {
        width /= 2;
        for lane in 0..width {
            let (sum, square) = (sums[lane + width], squares[lane + width]);
            sums[lane] += sum;
            squares[lane] += square;
        }
    }
    (sums[0], squares[0])
}

/// The sum of squared deviations from the mean, given those from a number near it.
#[inline(always)]
fn corrected<C: Compute>(square: C, off: C, count: C) -> C {
    let corrected = square - off * off / count;
    // Rounding may go below 0; NaN stays.
    if corrected < C::default() { C::default() } else { corrected }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::body::InstructionSet;

    /// In `f64`, two passes.
    fn expected(values: impl Iterator<Item = f32> + Clone) -> f64 {
        let count = values.clone().count() as f64;
        let mean = values.clone().map(f64::from).sum::<f64>() / count;
        values.map(|x| (f64::from(x) - mean).powi(2)).sum()
    }

    fn assert_near(found: f32, expected: f64) {
        assert!((f64::from(found) - expected).abs() <= 1e-6 * expected, "{found}, expected {expected}");
    }

    /// Far from zero: a last place of 1e4 is 2^-10.
    fn far(i: usize) -> f32 {
        1e4 + (i * i % 17) as f32 / 8.0
    }

    #[test]
    fn rows_far_from_zero_keep_their_digits() {
        for len in [1, 2, 7, 16, 100, 1024] {
            let bodies: Vec<f32> = (0..3 * len).map(far).collect();
            let mut squares = vec![0.0; 3];
            let rows = Rows { bodies: &bodies, len, squares: &mut squares, means: None };
            InstructionSet::BASELINE.dispatch(rows);
            for (row, &found) in bodies.chunks(len).zip(&squares) {
                assert_near(found, expected(row.iter().copied()));
            }
        }
    }

    #[test]
    fn blocks_of_columns_merge_to_the_whole() {
        for (lanes, blocks) in [(1, vec![5, 1, 900]), (3, vec![40, 2]), (1024, vec![1; 6])] {
            let (mut squares, mut means, mut count) = (vec![0f32; lanes], vec![0.0; lanes], 0.0);
            let points: usize = blocks.iter().sum();
            let all: Vec<f32> = (0..points * lanes).map(far).collect();
            let mut first = 0;
            for block in blocks {
                let bodies = &all[first * lanes..][..block * lanes];
                let moments = Moments { squares: &mut squares, means: &mut means, count: &mut count };
                InstructionSet::BASELINE.dispatch(Columns { bodies, moments });
                first += block;
            }
            for (lane, &found) in squares.iter().enumerate() {
                assert_near(found, expected(all.iter().copied().skip(lane).step_by(lanes)));
            }
        }
    }
}
