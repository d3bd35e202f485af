//! Sums of squared deviations from the mean.
//!
//! A partial knows of some elements their number, a *shift* near them, and the sums of their differences from it and of
//! the squares of these. The shift of columns is their first element, that of a row its mean, so that elements far from
//! zero cost no digits. Partials merge by Chan's rule ("Updating formulae and a pairwise algorithm for computing sample
//! variances", 1979), in `f64`; the shift of the result is the mean of all.
//!
//! Invariant: all lanes of a partial know of the same number of elements.

use crate::element::Compute;
use crate::isa::Isa;
use crate::kernel::body::Routine;

/// Partials of some lanes.
pub(super) struct Moments<'a, C> {
    /// Sums of squared differences from the shift.
    pub squares: &'a mut [C],
    /// Shifts.
    pub shifts: &'a mut [C],
    /// Sums of differences from the shift.
    pub offs: &'a mut [C],
    /// Elements of each lane.
    pub count: &'a mut f64,
}

/// Merges later partials into earlier ones.
pub(super) struct Merge<'a, C> {
    pub earlier: Moments<'a, C>,
    pub later: Moments<'a, C>,
}

impl<C: Compute> Routine for Merge<'_, C> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        let Self { earlier, later } = self;
        let (few, more) = (*earlier.count, *later.count);
        let total = few + more;
        if more == 0.0 {
            return;
        }
        *earlier.count = total;
        if few == 0.0 {
            earlier.squares.copy_from_slice(later.squares);
            earlier.shifts.copy_from_slice(later.shifts);
            earlier.offs.copy_from_slice(later.offs);
            return;
        }
        let lanes = earlier.squares.len();
        let (squares, shifts, offs) = (&mut *earlier.squares, &mut earlier.shifts[..lanes], &mut earlier.offs[..lanes]);
        let (other_squares, other_shifts, other_offs) =
            (&later.squares[..lanes], &later.shifts[..lanes], &later.offs[..lanes]);
        for lane in 0..lanes {
            let (off, other_off) = (offs[lane].to_f64() / few, other_offs[lane].to_f64() / more);
            let mean = shifts[lane].to_f64() + off;
            let apart = other_shifts[lane].to_f64() + other_off - mean;
            let square = squares[lane].to_f64() - off * off * few;
            let other_square = other_squares[lane].to_f64() - other_off * other_off * more;
            let mean = mean + apart * (more / total);
            let shift = C::from_f64(mean);
            let rest = mean - shift.to_f64();
            shifts[lane] = shift;
            offs[lane] = C::from_f64(rest * total);
            squares[lane] =
                C::from_f64(square + other_square + apart * apart * (few * more / total) + rest * rest * total);
        }
    }
}

/// The finished sums of rows of `len` elements, which follow each other.
pub(super) struct Rows<'a, C> {
    pub bodies: &'a [C],
    pub len: usize,
    pub squares: &'a mut [C],
}

impl<C: Compute> Routine for Rows<'_, C> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        for (row, place) in self.bodies.chunks_exact(self.len).zip(self.squares) {
            let (_, off, square) = about_mean(row);
            *place = corrected(square, off, C::from_i64(row.len() as i64));
        }
    }
}

/// The partial of a part of a row.
pub(super) struct Part<'a, C> {
    pub row: &'a [C],
    pub moments: Moments<'a, C>,
}

impl<C: Compute> Routine for Part<'_, C> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        let Moments { squares, shifts, offs, count } = self.moments;
        (shifts[0], offs[0], squares[0]) = about_mean(self.row);
        *count = self.row.len() as f64;
    }
}

/// Columns in so many lanes are folded several rows at a time.
const NARROW: usize = 32;
/// Elements that are folded at a time then, at most.
const WIDE: usize = 64;

/// Folds rows of one element per lane into the partials of the lanes.
pub(super) struct Columns<'a, C> {
    pub bodies: &'a [C],
    pub moments: Moments<'a, C>,
}

impl<C: Compute> Routine for Columns<'_, C> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        let Moments { squares, shifts, offs, count } = self.moments;
        let lanes = squares.len();
        let bodies = self.bodies;
        if *count == 0.0 {
            shifts.copy_from_slice(&bodies[..lanes]);
        }
        *count += (bodies.len() / lanes) as f64;
        if lanes >= NARROW {
            bodies.chunks_exact(lanes).for_each(|row| accumulate(row, shifts, offs, squares));
            return;
        }
        let width = WIDE / lanes * lanes;
        let [mut wide_shifts, mut wide_offs, mut wide_squares] = [[C::default(); WIDE]; 3];
        for copy in wide_shifts[..width].chunks_exact_mut(lanes) {
            copy.copy_from_slice(shifts);
        }
        for rows in bodies.chunks(width) {
            accumulate(rows, &wide_shifts, &mut wide_offs, &mut wide_squares);
        }
        for place in 0..width {
            offs[place % lanes] += wide_offs[place];
            squares[place % lanes] += wide_squares[place];
        }
    }
}

/// Adds the differences from the shifts, and their squares.
#[inline(always)]
fn accumulate<C: Compute>(row: &[C], shifts: &[C], offs: &mut [C], squares: &mut [C]) {
    let lanes = row.len();
    let (shifts, offs, squares) = (&shifts[..lanes], &mut offs[..lanes], &mut squares[..lanes]);
    for lane in 0..lanes {
        let apart = row[lane] - shifts[lane];
        offs[lane] += apart;
        squares[lane] += apart * apart;
    }
}

/// Turns the partials of columns or of a row into finished sums.
pub(super) struct Finish<'a, C> {
    pub moments: Moments<'a, C>,
}

impl<C: Compute> Routine for Finish<'_, C> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        let Moments { squares, offs, count, .. } = self.moments;
        if *count != 0.0 {
            let count = C::from_f64(*count);
            for (square, &off) in squares.iter_mut().zip(&*offs) {
                *square = corrected(*square, off, count);
            }
        }
    }
}

/// A number near the mean of a row, and the sums of the differences from it and of their squares.
#[inline(always)]
fn about_mean<C: Compute>(row: &[C]) -> (C, C, C) {
    let (off, _) = differences(row, row[0]);
    let near = row[0] + off / C::from_i64(row.len() as i64);
    let (off, square) = differences(row, near);
    (near, off, square)
}

/// The sums of `x - from` and of its square over a row, in a fixed number of lanes.
#[inline(always)]
fn differences<C: Compute>(row: &[C], from: C) -> (C, C) {
    const LANES: usize = 16;
    let [mut offs, mut squares] = [[C::default(); LANES]; 2];
    for chunk in row.chunks(LANES) {
        accumulate(chunk, &[from; LANES], &mut offs, &mut squares);
    }
    let mut width = LANES;
    while width > 1 {
        width /= 2;
        for lane in 0..width {
            let (off, square) = (offs[lane + width], squares[lane + width]);
            offs[lane] += off;
            squares[lane] += square;
        }
    }
    (offs[0], squares[0])
}

/// The sum of squared deviations from the mean, given the sums of differences from a number near it and of their squares.
#[inline(always)]
fn corrected<C: Compute>(square: C, off: C, count: C) -> C {
    let corrected = square - off * off / count;
    // Rounding may go below 0; NaN stays.
    if corrected < C::default() { C::default() } else { corrected }
}
