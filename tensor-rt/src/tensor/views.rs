//! Views of tensors, typed.
//!
//! All but `contiguous`, and `reshape` of strides that have no view of the wanted shape, are handles on the same storage.
//! A view of a tracked tensor is tracked.

use super::Tensor;
use super::raw::Raw;
use super::view::{Movement, check_view, concatenate};
use crate::autograd;
use crate::device::Device;
use crate::element::Element;
use crate::error::{Error, Origin, Result};
use crate::layout::Layout;
use crate::mode::GradMode;
use crate::shape::{Axis, PerAxis, Shape, Slice, Slices, Span};

impl<D: Device, G: GradMode, T: Element> Tensor<D, G, T> {
    /// The same elements in the same order as another shape. Shares the storage where strides allow, else a counted copy.
    ///
    /// # Errors
    /// Fails if the number of elements differs, or the device is out of memory.
    #[track_caller]
    pub fn reshape(&self, shape: impl Into<Shape>) -> Result<Self> {
        self.moved(Movement::Reshape(shape.into()), Origin::of("reshape"))
    }

    /// [`Tensor::reshape`] that never copies.
    ///
    /// # Errors
    /// Fails if the number of elements differs, or if the strides have no such view.
    #[track_caller]
    pub fn try_view(&self, shape: impl Into<Shape>) -> Result<Self> {
        let (shape, origin) = (shape.into(), Origin::of("try_view"));
        check_view(&self.raw, &shape, origin)?;
        self.moved(Movement::Reshape(shape), origin)
    }

    /// All elements along one axis; see [`Tensor::reshape`].
    ///
    /// # Errors
    /// Fails if the device is out of memory.
    #[track_caller]
    pub fn flatten(&self) -> Result<Self> {
        self.moved(Movement::Reshape([self.len()].into()), Origin::of("flatten"))
    }

    /// The view with two axes exchanged.
    ///
    /// # Errors
    /// Fails if there is no such axis.
    #[track_caller]
    pub fn transpose(&self, first: impl Into<Axis>, second: impl Into<Axis>) -> Result<Self> {
        let origin = Origin::of("transpose");
        let (first, second) = (first.into().of_rank(self.rank(), origin)?, second.into().of_rank(self.rank(), origin)?);
        self.moved(Movement::Permute(exchanged(self.rank(), first, second)), origin)
    }

    /// The view whose axis `i` is axis `axes[i]` of this tensor.
    ///
    /// # Errors
    /// Fails if the axes are not those of the tensor, each once.
    #[track_caller]
    pub fn permute<A: Into<Axis>>(&self, axes: impl IntoIterator<Item = A>) -> Result<Self> {
        let origin = Origin::of("permute");
        let Origin { op, at } = origin;
        let mut positions = PerAxis::new();
        for axis in axes {
            let axis = axis.into().of_rank(self.rank(), origin)?;
            if positions.contains(&axis) {
                return Err(Error::DuplicateAxis { op, axis, at });
            }
            positions.push(axis);
        }
        if positions.len() != self.rank() {
            let (expected, found) = (self.rank(), positions.len());
            return Err(Error::RankMismatch { op, param: Some("axes"), expected, at_least: false, found, at });
        }
        self.moved(Movement::Permute(positions), origin)
    }

    /// Ranges along the first axes: `x.slice((1.., .., 0..2))`. The axes that are not mentioned stay whole.
    ///
    /// # Errors
    /// Fails if an axis does not contain its range, or there are more ranges than axes.
    #[track_caller]
    pub fn slice(&self, ranges: impl Slices) -> Result<Self> {
        let origin = Origin::of("slice");
        let ranges = ranges.slices();
        check_ranges(&self.raw, &ranges, origin)?;
        let mut raw = self.raw.clone();
        for (axis, range) in ranges.into_iter().enumerate() {
            let size = self.shape()[axis];
            let span = range.of_axis(axis, size, origin)?;
            if span != (Span { start: 0, length: size, step: 1 }) {
                raw = raw.moved(Movement::Slice { axis, span }, origin)?;
            }
        }
        Ok(Tensor::from_raw(raw))
    }

    /// `length` elements of an axis, from `start`.
    ///
    /// # Errors
    /// Fails if the axis does not contain the range, or there is no such axis.
    #[track_caller]
    pub fn narrow(&self, axis: impl Into<Axis>, start: usize, length: usize) -> Result<Self> {
        let origin = Origin::of("narrow");
        let (axis, span) = narrow(&self.raw, axis.into(), start, length, origin)?;
        self.moved(Movement::Slice { axis, span }, origin)
    }

    /// The elements at one index of an axis, without that axis.
    ///
    /// # Errors
    /// Fails if the axis has no such index, or there is no such axis.
    #[track_caller]
    pub fn select(&self, axis: impl Into<Axis>, index: usize) -> Result<Self> {
        let origin = Origin::of("select");
        let axis = select(&self.raw, axis.into(), index, origin)?;
        self.moved(Movement::Select { axis, index }, origin)
    }

    /// The view with axes of size 1, and new axes in front, repeated to `shape`. Axes meet from the last.
    ///
    /// # Errors
    /// Fails if an axis has neither the wanted size nor size 1.
    #[track_caller]
    pub fn broadcast_to(&self, shape: impl Into<Shape>) -> Result<Self> {
        self.moved(Movement::Broadcast(shape.into()), Origin::of("broadcast_to"))
    }

    /// The view without an axis, whose size is 1.
    ///
    /// # Errors
    /// Fails if the size is not 1, or there is no such axis.
    #[track_caller]
    pub fn squeeze(&self, axis: impl Into<Axis>) -> Result<Self> {
        let origin = Origin::of("squeeze");
        let axis = axis.into().of_rank(self.rank(), origin)?;
        if self.shape()[axis] != 1 {
            let (from, to) = (self.shape().sizes(), self.shape().without(axis).sizes());
            return Err(Error::ElementCount { op: origin.op, from, to, at: origin.at });
        }
        self.moved(Movement::Squeeze(axis), origin)
    }

    /// The view with a new axis of size 1 at a position; `-1` puts it last.
    ///
    /// # Errors
    /// Fails if the position is past the last.
    #[track_caller]
    pub fn unsqueeze(&self, axis: impl Into<Axis>) -> Result<Self> {
        let origin = Origin::of("unsqueeze");
        let axis = axis.into().of_rank(self.rank() + 1, origin)?;
        self.moved(Movement::Unsqueeze(axis), origin)
    }

    /// The view with the order along an axis reversed.
    ///
    /// # Errors
    /// Fails if there is no such axis.
    #[track_caller]
    pub fn flip(&self, axis: impl Into<Axis>) -> Result<Self> {
        let origin = Origin::of("flip");
        let axis = axis.into().of_rank(self.rank(), origin)?;
        let length = self.shape()[axis];
        let span = Span { start: length.saturating_sub(1), length, step: -1 };
        self.moved(Movement::Slice { axis, span }, origin)
    }

    /// Views of consecutive parts of an axis, of the given sizes.
    ///
    /// # Errors
    /// Fails if the sizes do not add up to that of the axis, or there is no such axis.
    #[track_caller]
    pub fn split(&self, axis: impl Into<Axis>, sizes: &[usize]) -> Result<Vec<Self>> {
        let origin = Origin::of("split");
        let axis = axis.into().of_rank(self.rank(), origin)?;
        self.parts(axis, sizes, origin)
    }

    /// Views of at most `count` consecutive parts of an axis, of equal size but for the last.
    ///
    /// # Errors
    /// Fails if `count` is 0, or there is no such axis.
    #[track_caller]
    pub fn chunk(&self, axis: impl Into<Axis>, count: usize) -> Result<Vec<Self>> {
        let origin = Origin::of("chunk");
        let Origin { op, at } = origin;
        let axis = axis.into().of_rank(self.rank(), origin)?;
        if count == 0 {
            return Err(Error::InvalidArgument { op, name: "count", expected: "at least 1", found: 0.0, at });
        }
        let size = self.shape()[axis];
        let part = size.div_ceil(count).max(1);
        let sizes: Vec<usize> = (0..size.max(1)).step_by(part).map(|start| part.min(size - start)).collect();
        self.parts(axis, &sizes, origin)
    }

    /// Tensors one after the other along an axis; the other axes agree.
    ///
    /// # Errors
    /// Fails if there is no tensor, if sizes differ, or if the device is out of memory.
    #[track_caller]
    pub fn cat(tensors: &[&Self], axis: impl Into<Axis>) -> Result<Self> {
        let origin = Origin::of("cat");
        let inputs: Vec<&Raw> = tensors.iter().map(|tensor| &tensor.raw).collect();
        let Some(first) = inputs.first() else {
            return Err(Error::NoTensors { op: origin.op, at: origin.at });
        };
        let axis = axis.into().of_rank(first.shape().rank(), origin)?;
        concatenated::<D, G, T>(&inputs, axis, origin)
    }

    /// Tensors of one shape as the indices of a new axis.
    ///
    /// # Errors
    /// Fails if there is no tensor, if shapes differ, or if the device is out of memory.
    #[track_caller]
    pub fn stack(tensors: &[&Self], axis: impl Into<Axis>) -> Result<Self> {
        let origin = Origin::of("stack");
        let Some(first) = tensors.first() else {
            return Err(Error::NoTensors { op: origin.op, at: origin.at });
        };
        let axis = axis.into().of_rank(first.rank() + 1, origin)?;
        let mut inputs = Vec::with_capacity(tensors.len());
        for tensor in tensors {
            if tensor.shape() != first.shape() {
                let (lhs, rhs) = (first.shape().sizes(), tensor.shape().sizes());
                return Err(Error::ShapeMismatch { op: origin.op, lhs, rhs, at: origin.at });
            }
            inputs.push(tensor.raw.moved(Movement::Unsqueeze(axis), origin)?);
        }
        concatenated::<D, G, T>(&inputs.iter().collect::<Vec<_>>(), axis, origin)
    }

    /// The same elements, one after the other in row-major order: itself if they are, else a counted copy.
    ///
    /// # Errors
    /// Fails if the device is out of memory.
    #[track_caller]
    pub fn contiguous(&self) -> Result<Self> {
        if self.is_contiguous() {
            return Ok(self.clone());
        }
        self.moved(Movement::Contiguous, Origin::of("contiguous"))
    }

    /// True if the elements lie one after the other in row-major order.
    pub fn is_contiguous(&self) -> bool {
        self.raw.is_dense()
    }

    fn moved(&self, movement: Movement, origin: Origin) -> Result<Self> {
        self.raw.moved(movement, origin).map(Tensor::from_raw)
    }

    fn parts(&self, axis: usize, sizes: &[usize], origin: Origin) -> Result<Vec<Self>> {
        let size = self.shape()[axis];
        let total = sizes.iter().fold(0usize, |total, size| total.saturating_add(*size));
        if total != size {
            return Err(Error::PartsMismatch { op: origin.op, axis, total, size, at: origin.at });
        }
        let mut start = 0;
        let mut parts = Vec::with_capacity(sizes.len());
        for length in sizes {
            let span = Span { start, length: *length, step: 1 };
            parts.push(self.moved(Movement::Slice { axis, span }, origin)?);
            start += length;
        }
        Ok(parts)
    }
}

fn concatenated<D: Device, G: GradMode, T: Element>(
    inputs: &[&Raw],
    axis: usize,
    origin: Origin,
) -> Result<Tensor<D, G, T>> {
    let result = concatenate(inputs, axis, origin)?;
    let node = G::TRACKED.then(|| autograd::of_concatenation(inputs, axis, origin));
    Ok(Tensor::from_raw(result.with_node(node)))
}

/// The layouts of the views that a writable view has too.
pub(super) struct Places<'a> {
    raw: &'a Raw,
    origin: Origin,
}

impl Places<'_> {
    pub fn of(raw: &Raw, origin: Origin) -> Places<'_> {
        Places { raw, origin }
    }

    pub fn narrow(self, axis: Axis, start: usize, length: usize) -> Result<Layout> {
        let (axis, span) = narrow(self.raw, axis, start, length, self.origin)?;
        Ok(self.raw.layout().slice(axis, span))
    }

    pub fn slice(self, ranges: &[Slice]) -> Result<Layout> {
        check_ranges(self.raw, ranges, self.origin)?;
        let mut layout = self.raw.layout().clone();
        for (axis, range) in ranges.iter().enumerate() {
            let span = range.of_axis(axis, self.raw.shape()[axis], self.origin)?;
            layout = layout.slice(axis, span);
        }
        Ok(layout)
    }

    pub fn select(self, axis: Axis, index: usize) -> Result<Layout> {
        let axis = select(self.raw, axis, index, self.origin)?;
        Ok(self.raw.layout().select(axis, index))
    }

    pub fn transpose(self, first: Axis, second: Axis) -> Result<Layout> {
        let rank = self.raw.shape().rank();
        let (first, second) = (first.of_rank(rank, self.origin)?, second.of_rank(rank, self.origin)?);
        Ok(self.raw.layout().permute(&exchanged(rank, first, second)))
    }
}

fn exchanged(rank: usize, first: usize, second: usize) -> PerAxis<usize> {
    let mut axes: PerAxis<usize> = (0..rank).collect();
    axes.swap(first, second);
    axes
}

fn narrow(raw: &Raw, axis: Axis, start: usize, length: usize, origin: Origin) -> Result<(usize, Span)> {
    let Origin { op, at } = origin;
    let axis = axis.of_rank(raw.shape().rank(), origin)?;
    let size = raw.shape()[axis];
    let end = start.saturating_add(length);
    if end > size {
        return Err(Error::RangeOutOfRange { op, axis, start, end, size, at });
    }
    Ok((axis, Span { start, length, step: 1 }))
}

fn select(raw: &Raw, axis: Axis, index: usize, origin: Origin) -> Result<usize> {
    let Origin { op, at } = origin;
    let axis = axis.of_rank(raw.shape().rank(), origin)?;
    let bound = raw.shape()[axis];
    if index >= bound {
        let value = i64::try_from(index).unwrap_or(i64::MAX);
        return Err(Error::IndexOutOfRange { op, param: None, axis: None, value, bound, position: Box::default(), at });
    }
    Ok(axis)
}

fn check_ranges(raw: &Raw, ranges: &[Slice], origin: Origin) -> Result<()> {
    let (rank, found) = (raw.shape().rank(), ranges.len());
    if found > rank {
        let Origin { op, at } = origin;
        return Err(Error::RankMismatch { op, param: None, expected: found, at_least: true, found: rank, at });
    }
    Ok(())
}
