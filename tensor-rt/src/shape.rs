//! Sizes and axes.
//!
//! A [`Shape`] is the sizes of a tensor's axes, outermost first; a tensor without axes has the empty shape and one
//! element. An [`Axis`] is a user's way of naming one: negative numbers count from the last. A [`Slice`] is a range along
//! one axis.
//!
//! Invariant: sizes are multiplied with checks; [`Shape::elements`] is the one place that does it.

use std::fmt::{Debug, Display};
use std::ops::{Deref, Range, RangeFrom, RangeFull, RangeInclusive, RangeTo};

use smallvec::SmallVec;

use crate::error::{Error, Origin, Result};

/// Numbers, one per axis. More axes than four are rare, and every handle on a tensor is as long as two of these.
pub(crate) type PerAxis<T> = SmallVec<[T; 4]>;

/// The sizes of a tensor's axes, outermost first.
#[derive(Eq, Hash, Default)]
#[expect(clippy::derived_hash_with_manual_eq, reason = "equality is that of the sizes, as derived")]
pub struct Shape(PerAxis<usize>);

impl Clone for Shape {
    fn clone(&self) -> Shape {
        // The vector's own `clone` goes element by element.
        Shape(PerAxis::from_slice(&self.0))
    }
}

impl PartialEq for Shape {
    fn eq(&self, other: &Shape) -> bool {
        // For a few axes a loop is faster than the call that slices make.
        self.rank() == other.rank() && self.iter().zip(other.iter()).all(|(own, other)| own == other)
    }
}

impl Shape {
    /// The number of axes.
    pub fn rank(&self) -> usize {
        self.0.len()
    }

    /// The number of elements.
    ///
    /// # Errors
    /// Fails if it is not a `usize`; a shape with an axis of size 0 has no elements whatever the others are.
    pub fn elements(&self, origin: Origin) -> Result<usize> {
        if self.0.contains(&0) {
            return Ok(0);
        }
        let product = self.0.iter().try_fold(1usize, |product, size| product.checked_mul(*size));
        product.ok_or_else(|| Error::ShapeOverflow { op: origin.op, shape: self.sizes(), at: origin.at })
    }

    /// The number of bytes of a dense tensor with elements of `size` bytes.
    ///
    /// # Errors
    /// Fails if that is more than can be addressed.
    pub fn bytes(&self, size: usize, origin: Origin) -> Result<usize> {
        let bytes = self.elements(origin)?.checked_mul(size).filter(|bytes| *bytes <= isize::MAX as usize);
        bytes.ok_or_else(|| Error::ShapeOverflow { op: origin.op, shape: self.sizes(), at: origin.at })
    }

    /// The sizes, as an error holds them.
    pub fn sizes(&self) -> Box<[usize]> {
        self.0.as_slice().into()
    }

    pub(crate) fn of(sizes: PerAxis<usize>) -> Shape {
        Shape(sizes)
    }

    pub(crate) fn with(&self, axis: usize, size: usize) -> Shape {
        let mut shape = self.clone();
        shape.0[axis] = size;
        shape
    }

    pub(crate) fn without(&self, axis: usize) -> Shape {
        let mut shape = self.clone();
        shape.0.remove(axis);
        shape
    }

    pub(crate) fn inserting(&self, axis: usize, size: usize) -> Shape {
        let mut shape = self.clone();
        shape.0.insert(axis, size);
        shape
    }
}

impl Deref for Shape {
    type Target = [usize];

    fn deref(&self) -> &[usize] {
        &self.0
    }
}

impl Debug for Shape {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        Debug::fmt(self.0.as_slice(), out)
    }
}

impl Display for Shape {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        Debug::fmt(self, out)
    }
}

impl FromIterator<usize> for Shape {
    fn from_iter<I: IntoIterator<Item = usize>>(sizes: I) -> Self {
        Shape(sizes.into_iter().collect())
    }
}

impl<const RANK: usize> From<[usize; RANK]> for Shape {
    fn from(sizes: [usize; RANK]) -> Self {
        Shape(SmallVec::from_slice(&sizes))
    }
}

impl<const RANK: usize> From<&[usize; RANK]> for Shape {
    fn from(sizes: &[usize; RANK]) -> Self {
        Shape(SmallVec::from_slice(sizes))
    }
}

impl From<&[usize]> for Shape {
    fn from(sizes: &[usize]) -> Self {
        Shape(SmallVec::from_slice(sizes))
    }
}

impl From<Vec<usize>> for Shape {
    fn from(sizes: Vec<usize>) -> Self {
        Shape(SmallVec::from_vec(sizes))
    }
}

impl From<&Shape> for Shape {
    fn from(shape: &Shape) -> Self {
        shape.clone()
    }
}

impl PartialEq<[usize]> for Shape {
    fn eq(&self, sizes: &[usize]) -> bool {
        self.0.as_slice() == sizes
    }
}

impl PartialEq<&[usize]> for Shape {
    fn eq(&self, sizes: &&[usize]) -> bool {
        self.0.as_slice() == *sizes
    }
}

impl<const RANK: usize> PartialEq<[usize; RANK]> for Shape {
    fn eq(&self, sizes: &[usize; RANK]) -> bool {
        self.0.as_slice() == sizes
    }
}

/// One axis of a tensor, counted from the first (`0`) or, below zero, from the last (`-1`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Axis(i64);

impl Axis {
    /// The position of the axis in a tensor of `rank` axes.
    ///
    /// # Errors
    /// Fails if the tensor has no such axis.
    pub fn of_rank(self, rank: usize, origin: Origin) -> Result<usize> {
        let position = if self.0 < 0 { self.0.checked_add_unsigned(rank as u64) } else { Some(self.0) };
        let position = position.and_then(|position| usize::try_from(position).ok()).filter(|axis| *axis < rank);
        position.ok_or(Error::AxisOutOfRange { op: origin.op, axis: self.0, rank, at: origin.at })
    }
}

impl From<i32> for Axis {
    fn from(axis: i32) -> Self {
        Axis(axis.into())
    }
}

impl From<i64> for Axis {
    fn from(axis: i64) -> Self {
        Axis(axis)
    }
}

impl From<isize> for Axis {
    fn from(axis: isize) -> Self {
        Axis(axis as i64)
    }
}

impl From<usize> for Axis {
    fn from(axis: usize) -> Self {
        // A number that is no `i64` is past the end of every tensor.
        Axis(i64::try_from(axis).unwrap_or(i64::MAX))
    }
}

impl<'a, A: Copy + Into<Axis>> From<&'a A> for Axis {
    fn from(axis: &'a A) -> Self {
        (*axis).into()
    }
}

/// A range along one axis: `..`, `1..`, `..3`, `1..3`, each with an optional step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slice {
    start: usize,
    /// `None` is the end of the axis.
    end: Option<usize>,
    step: usize,
}

/// A resolved [`Slice`]: `length` elements from `start`, `step` apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Span {
    pub start: usize,
    pub length: usize,
    pub step: isize,
}

impl Slice {
    /// Every `step`-th element of the range.
    pub fn step_by(self, step: usize) -> Slice {
        Slice { step, ..self }
    }

    pub(crate) fn of_axis(self, axis: usize, size: usize, origin: Origin) -> Result<Span> {
        let Origin { op, at } = origin;
        let end = self.end.unwrap_or(size);
        if self.start > end || end > size {
            return Err(Error::RangeOutOfRange { op, axis, start: self.start, end, size, at });
        }
        let step = isize::try_from(self.step).ok().filter(|step| *step > 0);
        let Some(step) = step else {
            return Err(Error::InvalidArgument {
                op,
                name: "step",
                expected: "at least 1",
                found: self.step as f64,
                at,
            });
        };
        Ok(Span { start: self.start, length: (end - self.start).div_ceil(self.step), step })
    }
}

impl From<RangeFull> for Slice {
    fn from(_: RangeFull) -> Self {
        Slice { start: 0, end: None, step: 1 }
    }
}

impl From<RangeFrom<usize>> for Slice {
    fn from(range: RangeFrom<usize>) -> Self {
        Slice { start: range.start, end: None, step: 1 }
    }
}

impl From<RangeTo<usize>> for Slice {
    fn from(range: RangeTo<usize>) -> Self {
        Slice { start: 0, end: Some(range.end), step: 1 }
    }
}

impl From<Range<usize>> for Slice {
    fn from(range: Range<usize>) -> Self {
        Slice { start: range.start, end: Some(range.end), step: 1 }
    }
}

impl From<RangeInclusive<usize>> for Slice {
    fn from(range: RangeInclusive<usize>) -> Self {
        // An end that is no `usize` is past the end of every axis either way.
        Slice { start: *range.start(), end: Some(range.end().saturating_add(1)), step: 1 }
    }
}

/// Ranges along the first axes of a tensor: one range, an array, or a tuple such as `(1.., .., 0..2)`.
pub trait Slices {
    /// The ranges, outermost axis first.
    fn slices(self) -> SmallVec<[Slice; 6]>;
}

impl<S: Into<Slice>> Slices for S {
    fn slices(self) -> SmallVec<[Slice; 6]> {
        SmallVec::from_iter([self.into()])
    }
}

impl<S: Into<Slice>, const LENGTH: usize> Slices for [S; LENGTH] {
    fn slices(self) -> SmallVec<[Slice; 6]> {
        self.into_iter().map(Into::into).collect()
    }
}

impl Slices for &[Slice] {
    fn slices(self) -> SmallVec<[Slice; 6]> {
        SmallVec::from_slice(self)
    }
}

macro_rules! slices_of_tuples {
    ($(($($name:ident)+))*) => {$(
        impl<$($name: Into<Slice>),+> Slices for ($($name,)+) {
            #[expect(non_snake_case, reason = "each variable is named after its type")]
            fn slices(self) -> SmallVec<[Slice; 6]> {
                let ($($name,)+) = self;
                SmallVec::from_iter([$($name.into()),+])
            }
        }
    )*};
}

slices_of_tuples! { (A) (A B) (A B C) (A B C D) (A B C D E) (A B C D E F) }
