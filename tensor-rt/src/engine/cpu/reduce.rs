//! Folding buffers of reduction bodies.
//!
//! A *partial* is what a reduction knows of some elements: a value and, for `argmax` and `argmin`, the position of that
//! value; for squared deviations, more ([`super::moments`]). [`Reducer`] makes partials out of buffers: of each row
//! (elements follow each other), or of each column (one element per row of the buffer), and merges them. What two values
//! give is in [`super::monoid`].
//!
//! Rows are folded in a fixed number of lanes that are combined pairwise, so a result depends on the length of the row
//! alone. `max` and `min` give NaN if any element is; `argmax` and `argmin` give the first position of the extreme value,
//! and count NaN as the most extreme.
//!
//! Invariant: a merge keeps the order of its operands, the earlier elements first.

use std::marker::PhantomData;

use super::moments::{self, Moments};
use super::monoid::{Add, Extreme, Max, Min, Monoid, Mul, Value};
use crate::element::{Compute, DType};
use crate::isa::Isa;
use crate::kernel::body::{InstructionSet, Routine};
use crate::kernel::program::ReduceOp;

/// One reduction of one type.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reducer {
    /// What is reduced.
    pub op: ReduceOp,
    /// Type of the bodies and of the partial values.
    pub value: DType,
}

/// Where partials lie.
#[derive(Clone, Copy, Debug)]
pub(super) struct Partials {
    /// First value.
    pub values: *mut u8,
    /// First position, for `argmax` and `argmin`.
    pub positions: *mut i64,
    /// For squared deviations that will be merged, the first shift; after the shifts, the sums of differences from them.
    pub centers: *mut u8,
    /// The number of elements that each of those partials knows of.
    pub count: *mut f64,
}

impl Partials {
    /// Partials that are not merged with others, or that need no centers for that.
    pub fn new(values: *mut u8, positions: *mut i64) -> Self {
        Self { values, positions, centers: std::ptr::null_mut(), count: std::ptr::null_mut() }
    }

    /// The partials of squared deviations.
    ///
    /// # Safety
    /// There are `lanes` of them, with centers, and nothing else refers to them while the result lives.
    unsafe fn moments<'a, C: Compute>(self, lanes: usize) -> Moments<'a, C> {
        // SAFETY: the caller's.
        unsafe {
            Moments {
                squares: std::slice::from_raw_parts_mut(self.values.cast(), lanes),
                shifts: std::slice::from_raw_parts_mut(self.centers.cast(), lanes),
                offs: std::slice::from_raw_parts_mut(self.centers.cast::<C>().add(lanes), lanes),
                count: &mut *self.count,
            }
        }
    }
}

/// The position in a partial of no elements.
const NOWHERE: i64 = -1;

/// Runs `$body` with `$V` as the type that a [`DType`] names.
macro_rules! with_value {
    ($dtype:expr, $V:ident => $body:expr) => {
        match $dtype {
            DType::F32 => {
                type $V = f32;
                $body
            }
            DType::F64 => {
                type $V = f64;
                $body
            }
            DType::I64 => {
                type $V = i64;
                $body
            }
            DType::I32 => {
                type $V = i32;
                $body
            }
            DType::U32 => {
                type $V = u32;
                $body
            }
            DType::U8 => {
                type $V = u8;
                $body
            }
            DType::Bool => {
                type $V = bool;
                $body
            }
            DType::F16 | DType::Bf16 => unreachable!("bug: a half element is not a computing type"),
        }
    };
}

/// Runs `$simple` with `$M` as the monoid of a reduction, or `$extreme` for those that give positions.
macro_rules! with_monoid {
    ($op:expr, $M:ident => $simple:expr, $extreme:expr) => {
        match $op {
            ReduceOp::Sum | ReduceOp::Any => {
                type $M = Add;
                $simple
            }
            ReduceOp::Prod | ReduceOp::All => {
                type $M = Mul;
                $simple
            }
            ReduceOp::Max => {
                type $M = Max;
                $simple
            }
            ReduceOp::Min => {
                type $M = Min;
                $simple
            }
            ReduceOp::ArgMax => {
                type $M = Max;
                $extreme
            }
            ReduceOp::ArgMin => {
                type $M = Min;
                $extreme
            }
            ReduceOp::SquaredDeviation => unreachable!("bug: squared deviations are no monoid"),
        }
    };
}

/// Runs `$body` with `$V` as the type of the elements of squared deviations.
macro_rules! with_float {
    ($dtype:expr, $V:ident => $body:expr) => {
        match $dtype {
            DType::F32 => {
                type $V = f32;
                $body
            }
            DType::F64 => {
                type $V = f64;
                $body
            }
            other => unreachable!("bug: squared deviations of `{other}`"),
        }
    };
}

impl Reducer {
    /// True if partials have positions.
    pub fn positional(self) -> bool {
        matches!(self.op, ReduceOp::ArgMax | ReduceOp::ArgMin)
    }

    /// True if partials have centers.
    pub fn centered(self) -> bool {
        self.op == ReduceOp::SquaredDeviation
    }

    /// Type of the finished reduction.
    pub fn result(self) -> DType {
        if self.positional() { DType::I64 } else { self.value }
    }

    /// Writes the partials of no elements.
    ///
    /// # Safety
    /// `partials` has room for `lanes`.
    pub unsafe fn identity(self, lanes: usize, partials: Partials) {
        // SAFETY: the caller's.
        unsafe {
            if self.centered() {
                with_float!(self.value, V => {
                    std::slice::from_raw_parts_mut(partials.values.cast::<V>(), lanes).fill(0.0);
                });
                if !partials.centers.is_null() {
                    let bytes = 2 * lanes * self.value.size();
                    std::slice::from_raw_parts_mut(partials.centers, bytes).fill(0);
                    partials.count.write(0.0);
                }
                return;
            }
            with_value!(self.value, V => {
                let values = std::slice::from_raw_parts_mut(partials.values.cast::<V>(), lanes);
                with_monoid!(self.op, M => values.fill(<M as Monoid<V>>::IDENTITY), values.fill(<M as Monoid<V>>::IDENTITY));
            });
            if self.positional() {
                std::slice::from_raw_parts_mut(partials.positions, lanes).fill(NOWHERE);
            }
        }
    }

    /// Turns partials into results, after all merges.
    ///
    /// # Safety
    /// `partials` holds `lanes`.
    pub unsafe fn finish(self, set: InstructionSet, lanes: usize, partials: Partials) {
        if self.centered() {
            // SAFETY: the caller's.
            unsafe {
                with_float!(self.value, V => set.dispatch(moments::Finish { moments: partials.moments::<V>(lanes) }))
            }
        }
    }

    /// The partial of each of `rows` rows of `len` elements, which follow each other at `bodies`; the first element of
    /// each row has position `first`. Squared deviations are finished, unless they have centers: then there is one row, a part
    /// of a longer one.
    ///
    /// # Safety
    /// `bodies` holds `rows * len` initialised values, `partials` has room for `rows`; they do not overlap. `len > 0`.
    pub unsafe fn rows(
        self,
        set: InstructionSet,
        bodies: *const u8,
        rows: usize,
        len: usize,
        first: i64,
        partials: Partials,
    ) {
        // SAFETY: the caller's.
        unsafe {
            if self.centered() {
                return with_float!(self.value, V => {
                    let bodies = std::slice::from_raw_parts(bodies.cast::<V>(), rows * len);
                    if !partials.centers.is_null() {
                        debug_assert_eq!(rows, 1, "a part of a row");
                        return set.dispatch(moments::Part { row: bodies, moments: partials.moments::<V>(1) });
                    }
                    let squares = std::slice::from_raw_parts_mut(partials.values.cast::<V>(), rows);
                    set.dispatch(moments::Rows { bodies, len, squares })
                });
            }
            with_value!(self.value, V => {
                let bodies = std::slice::from_raw_parts(bodies.cast::<V>(), rows * len);
                let values = std::slice::from_raw_parts_mut(partials.values.cast::<V>(), rows);
                with_monoid!(self.op, M => set.dispatch(Rows::<V, M> { bodies, len, values, monoid: PhantomData }), {
                    let positions = std::slice::from_raw_parts_mut(partials.positions, rows);
                    set.dispatch(ExtremeRows::<V, M> { bodies, len, first, values, positions, monoid: PhantomData })
                })
            })
        }
    }

    /// Folds a buffer of `points` rows of `lanes` elements into the partials of its columns; the first row has position
    /// `first`, and the partials know of earlier rows.
    ///
    /// # Safety
    /// `bodies` holds `points * lanes` initialised values, `partials` holds `lanes`; they do not overlap.
    pub unsafe fn columns(
        self,
        set: InstructionSet,
        bodies: *const u8,
        points: usize,
        lanes: usize,
        first: i64,
        partials: Partials,
    ) {
        // SAFETY: the caller's.
        unsafe {
            if self.centered() {
                return with_float!(self.value, V => {
                    let bodies = std::slice::from_raw_parts(bodies.cast::<V>(), points * lanes);
                    set.dispatch(moments::Columns { bodies, moments: partials.moments::<V>(lanes) })
                });
            }
            with_value!(self.value, V => {
                let bodies = std::slice::from_raw_parts(bodies.cast::<V>(), points * lanes);
                let values = std::slice::from_raw_parts_mut(partials.values.cast::<V>(), lanes);
                with_monoid!(self.op, M => set.dispatch(Columns::<V, M> { bodies, values, monoid: PhantomData }), {
                    let positions = std::slice::from_raw_parts_mut(partials.positions, lanes);
                    set.dispatch(ExtremeColumns::<V, M> { bodies, first, values, positions, monoid: PhantomData })
                })
            })
        }
    }

    /// Merges `later` into `earlier`, lane by lane.
    ///
    /// # Safety
    /// Both hold `lanes` partials and do not overlap.
    pub unsafe fn merge(self, set: InstructionSet, lanes: usize, earlier: Partials, later: Partials) {
        // SAFETY: the caller's.
        unsafe {
            if self.centered() {
                return with_float!(self.value, V => {
                    let (earlier, later) = (earlier.moments::<V>(lanes), later.moments::<V>(lanes));
                    set.dispatch(moments::Merge { earlier, later })
                });
            }
            with_value!(self.value, V => {
                let bodies = std::slice::from_raw_parts(later.values.cast::<V>(), lanes);
                let values = std::slice::from_raw_parts_mut(earlier.values.cast::<V>(), lanes);
                with_monoid!(self.op, M => set.dispatch(Columns::<V, M> { bodies, values, monoid: PhantomData }), {
                    let positions = std::slice::from_raw_parts_mut(earlier.positions, lanes);
                    let later = std::slice::from_raw_parts(later.positions, lanes);
                    for lane in 0..lanes {
                        let open = positions[lane] == NOWHERE;
                        if later[lane] != NOWHERE && (open || <M as Extreme<V>>::beats(bodies[lane], values[lane])) {
                            values[lane] = bodies[lane];
                            positions[lane] = later[lane];
                        }
                    }
                })
            })
        }
    }
}

struct Rows<'a, V, M> {
    bodies: &'a [V],
    len: usize,
    values: &'a mut [V],
    monoid: PhantomData<M>,
}

impl<V: Value, M: Monoid<V>> Routine for Rows<'_, V, M> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        for (row, value) in self.bodies.chunks_exact(self.len).zip(self.values) {
            *value = fold_row::<V, M>(row);
        }
    }
}

/// Lanes of a vector register, at most.
const LANES: usize = 16;
/// Vectors that a long row is folded in, so that one addition need not wait for the one before.
const VECTORS: usize = 4;

/// Folds a row: long rows in some vectors, shorter ones in 8 lanes, the shortest one after the other.
#[inline(always)]
fn fold_row<V: Value, M: Monoid<V>>(row: &[V]) -> V {
    if row.len() >= 2 * VECTORS * LANES {
        fold_vectors::<V, M>(row)
    } else if row.len() >= 16 {
        fold_lanes::<V, M, 8>(row)
    } else {
        row.iter().fold(M::IDENTITY, |value, &body| M::combine(value, body))
    }
}

#[inline(always)]
fn fold_vectors<V: Value, M: Monoid<V>>(row: &[V]) -> V {
    let (chunks, tail) = row.as_chunks::<{ VECTORS * LANES }>();
    // One array per register: a single one of all lanes would stay in memory.
    let mut vectors = [[M::IDENTITY; LANES]; VECTORS];
    for chunk in chunks {
        let (parts, _) = chunk.as_chunks::<LANES>();
        for vector in 0..VECTORS {
            for lane in 0..LANES {
                vectors[vector][lane] = M::combine(vectors[vector][lane], parts[vector][lane]);
            }
        }
    }
    let mut lanes = [M::IDENTITY; VECTORS * LANES];
    for (part, vector) in lanes.chunks_exact_mut(LANES).zip(&vectors) {
        part.copy_from_slice(vector);
    }
    fold_tail::<V, M>(&mut lanes, tail)
}

#[inline(always)]
fn fold_lanes<V: Value, M: Monoid<V>, const LANES: usize>(row: &[V]) -> V {
    let (chunks, tail) = row.as_chunks::<LANES>();
    let mut lanes = [M::IDENTITY; LANES];
    for chunk in chunks {
        for lane in 0..LANES {
            lanes[lane] = M::combine(lanes[lane], chunk[lane]);
        }
    }
    fold_tail::<V, M>(&mut lanes, tail)
}

/// Folds what is left of a row into its lanes, and these pairwise.
#[inline(always)]
fn fold_tail<V: Value, M: Monoid<V>>(lanes: &mut [V], tail: &[V]) -> V {
    for (lane, &body) in lanes.iter_mut().zip(tail) {
        *lane = M::combine(*lane, body);
    }
    let mut width = lanes.len();
    while width > 1 {
        width /= 2;
        let (left, right) = lanes.split_at_mut(width);
        for (left, &right) in left.iter_mut().zip(&*right) {
            *left = M::combine(*left, right);
        }
    }
    lanes[0]
}

struct ExtremeRows<'a, V, M> {
    bodies: &'a [V],
    len: usize,
    first: i64,
    values: &'a mut [V],
    positions: &'a mut [i64],
    monoid: PhantomData<M>,
}

impl<V: Value, M: Extreme<V>> Routine for ExtremeRows<'_, V, M> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        for (row, (value, position)) in
            self.bodies.chunks_exact(self.len).zip(self.values.iter_mut().zip(self.positions))
        {
            let extreme = fold_row::<V, M>(row);
            let found = row.iter().position(|&body| body == extreme || (body.nan() && extreme.nan()));
            *value = extreme;
            *position = self.first + found.unwrap_or(0) as i64;
        }
    }
}

struct Columns<'a, V, M> {
    bodies: &'a [V],
    values: &'a mut [V],
    monoid: PhantomData<M>,
}

impl<V: Value, M: Monoid<V>> Routine for Columns<'_, V, M> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        let lanes = self.values.len();
        if lanes < 32 && self.bodies.len() >= 4 * WIDE {
            return fold_narrow::<V, M>(self.bodies, self.values);
        }
        for row in self.bodies.chunks_exact(lanes) {
            for (value, &body) in self.values.iter_mut().zip(row) {
                *value = M::combine(*value, body);
            }
        }
    }
}

/// Elements that a narrow buffer is folded in at once.
const WIDE: usize = 64;

/// Columns of a narrow buffer: several rows make one wide row, so that vectors fill; the wide lanes are combined in the
/// end, the earlier ones first.
#[inline(always)]
fn fold_narrow<V: Value, M: Monoid<V>>(bodies: &[V], values: &mut [V]) {
    let lanes = values.len();
    let wide = WIDE / lanes * lanes;
    let mut sums = [M::IDENTITY; WIDE];
    let chunks = bodies.chunks_exact(wide);
    let tail = chunks.remainder();
    for chunk in chunks {
        for (sum, &body) in sums[..wide].iter_mut().zip(chunk) {
            *sum = M::combine(*sum, body);
        }
    }
    for (sum, &body) in sums.iter_mut().zip(tail) {
        *sum = M::combine(*sum, body);
    }
    for row in sums[..wide].chunks_exact(lanes) {
        for (value, &sum) in values.iter_mut().zip(row) {
            *value = M::combine(*value, sum);
        }
    }
}

struct ExtremeColumns<'a, V, M> {
    bodies: &'a [V],
    first: i64,
    values: &'a mut [V],
    positions: &'a mut [i64],
    monoid: PhantomData<M>,
}

impl<V: Value, M: Extreme<V>> Routine for ExtremeColumns<'_, V, M> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        let lanes = self.values.len();
        for (point, row) in self.bodies.chunks_exact(lanes).enumerate() {
            let here = self.first + point as i64;
            for ((value, position), &body) in self.values.iter_mut().zip(self.positions.iter_mut()).zip(row) {
                let wins = *position == NOWHERE || M::beats(body, *value);
                *value = if wins { body } else { *value };
                *position = if wins { here } else { *position };
            }
        }
    }
}

/// Where the loops over rows and over columns are in memory.
#[cfg(test)]
pub(super) fn code<V: Value, M: Monoid<V>>(set: InstructionSet) -> [*const (); 2] {
    [set.code::<Rows<'static, V, M>>(), set.code::<Columns<'static, V, M>>()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::Element;

    fn rows<V: Element>(op: ReduceOp, bodies: &[V], len: usize) -> (Vec<V>, Vec<i64>) {
        let count = bodies.len() / len;
        let (mut values, mut positions) = (vec![V::default(); count], vec![0; count]);
        let partials = Partials::new(values.as_mut_ptr().cast(), positions.as_mut_ptr());
        let reducer = Reducer { op, value: V::DTYPE };
        // SAFETY: the vectors have the lengths that are passed.
        unsafe { reducer.rows(InstructionSet::BASELINE, bodies.as_ptr().cast(), count, len, 100, partials) };
        (values, positions)
    }

    fn columns<V: Element>(op: ReduceOp, bodies: &[V], lanes: usize) -> (Vec<V>, Vec<i64>) {
        let (mut values, mut positions) = (vec![V::default(); lanes], vec![0; lanes]);
        let partials = Partials::new(values.as_mut_ptr().cast(), positions.as_mut_ptr());
        let reducer = Reducer { op, value: V::DTYPE };
        let points = bodies.len() / lanes;
        // SAFETY: as above.
        unsafe {
            reducer.identity(lanes, partials);
            reducer.columns(InstructionSet::BASELINE, bodies.as_ptr().cast(), points, lanes, 100, partials);
        }
        (values, positions)
    }

    #[test]
    fn rows_of_every_length_are_folded_whole() {
        for len in [1, 7, 8, 15, 16, 31, 100, 128, 129, 500] {
            let bodies: Vec<i64> = (0..3 * len as i64).map(|i| i * i % 1000 - 400).collect();
            let expected: Vec<i64> = bodies.chunks(len).map(|row| row.iter().sum()).collect();
            assert_eq!(rows(ReduceOp::Sum, &bodies, len).0, expected);
            let expected: Vec<i64> = bodies.chunks(len).map(|row| *row.iter().max().unwrap()).collect();
            assert_eq!(rows(ReduceOp::Max, &bodies, len).0, expected);
        }
    }

    #[test]
    fn columns_of_every_width_are_folded_whole() {
        for (points, lanes) in [(1, 1), (300, 1), (300, 3), (41, 7), (5, 100), (64, 31)] {
            let bodies: Vec<i64> = (0..(points * lanes) as i64).map(|i| i * i % 1000 - 400).collect();
            let column = |lane: usize| bodies.iter().skip(lane).step_by(lanes);
            let expected: Vec<i64> = (0..lanes).map(|lane| column(lane).sum()).collect();
            assert_eq!(columns(ReduceOp::Sum, &bodies, lanes).0, expected);
            let expected: Vec<i64> = (0..lanes).map(|lane| *column(lane).min().unwrap()).collect();
            assert_eq!(columns(ReduceOp::Min, &bodies, lanes).0, expected);
        }
    }

    #[test]
    fn nan_is_the_extreme() {
        let bodies = [1.0f32, f32::NAN, 5.0, f32::NAN, 2.0];
        for op in [ReduceOp::Max, ReduceOp::Min] {
            assert!(rows(op, &bodies, 5).0[0].is_nan());
            assert!(columns(op, &bodies, 1).0[0].is_nan());
        }
        for op in [ReduceOp::ArgMax, ReduceOp::ArgMin] {
            assert_eq!(rows(op, &bodies, 5).1, [101]);
            assert_eq!(columns(op, &bodies, 1).1, [101]);
        }
    }

    #[test]
    fn first_of_equal_extremes_is_found() {
        assert_eq!(rows(ReduceOp::ArgMax, &[1, 3, 3, 0], 4).1, [101]);
        assert_eq!(rows(ReduceOp::ArgMin, &[f64::INFINITY; 4], 4).1, [100]);
        assert_eq!(columns(ReduceOp::ArgMax, &[1, 9, 3, 9, 3, 0], 2).1, [101, 100]);
        assert_eq!(columns(ReduceOp::ArgMax, &[f32::NEG_INFINITY; 4], 1).1, [100]);
    }

    #[test]
    fn any_and_all_fold_masks() {
        assert_eq!(rows(ReduceOp::Any, &[false, true, false, false], 2).0, [true, false]);
        assert_eq!(rows(ReduceOp::All, &[true, true, false, true], 2).0, [true, false]);
    }
}
