//! A tensor with a part replaced: the functional form of an assignment, with gradients for both sides.

use super::broadcast::same;
use crate::autograd::{self, Adjoint, Cotangents, record};
use crate::device::Device;
use crate::element::Element;
use crate::error::{Error, Origin, Result};
use crate::layout::Layout;
use crate::mode::{GradMode, Join};
use crate::relation::{SameDevice, SameElement};
use crate::shape::{Shape, Slice, Slices};
use crate::tensor::Tensor;
use crate::tensor::raw::Raw;

impl<D: Device, G: GradMode, T: Element> Tensor<D, G, T> {
    /// This tensor with the elements of a range of each of the first axes replaced: `x.slice_assign((1.., 0..2), &value)`.
    /// The value is repeated to the shape of the part. A new tensor; this one is not changed.
    ///
    /// Gradient: 0 at the replaced elements of this tensor; the value's are those of the part.
    /// # Errors
    /// Fails if an axis does not contain its range, if the value cannot be repeated to the part, or if the device is out of
    /// memory.
    #[track_caller]
    pub fn slice_assign<E, H, U>(
        &self,
        ranges: impl Slices,
        value: &Tensor<E, H, U>,
    ) -> Result<Tensor<D, <G as Join<H>>::Out, T>>
    where
        G: Join<H>,
        E: SameDevice<D>,
        H: GradMode,
        U: SameElement<T>,
    {
        let origin = Origin::of("slice_assign");
        let place = part(self.shape(), &ranges.slices(), origin)?;
        let value: &Tensor<D, H, T> = same(value);
        let repeated = value.detach().broadcast_to(place.shape())?;
        let mut whole = self.raw.copied(origin)?;
        whole.fresh().part(place.clone()).copy_from(&repeated.raw, origin)?;
        if self.raw.node().is_none() && value.raw.node().is_none() {
            return Ok(Tensor::from_raw(whole));
        }
        let adjoint = Replaced { place, value: value.shape().clone() };
        let node = record(origin, [self.raw.node(), value.raw.node()], 1, adjoint).remove(0);
        Ok(Tensor::from_raw(whole.with_node(Some(node))))
    }
}

/// The part of a dense tensor that the ranges pick.
fn part(shape: &Shape, ranges: &[Slice], origin: Origin) -> Result<Layout> {
    let Origin { op, at } = origin;
    if ranges.len() > shape.rank() {
        let (expected, found) = (ranges.len(), shape.rank());
        return Err(Error::RankMismatch { op, param: None, expected, at_least: true, found, at });
    }
    let mut layout = Layout::dense(shape.clone());
    for (axis, range) in ranges.iter().enumerate() {
        layout = layout.slice(axis, range.of_axis(axis, shape[axis], origin)?);
    }
    Ok(layout)
}

struct Replaced {
    /// The part within a dense tensor of the result's shape.
    place: Layout,
    /// The shape of the value before it was repeated.
    value: Shape,
}

impl Adjoint for Replaced {
    fn cotangents(&self, outputs: &[Option<Raw>], wanted: &[bool], origin: Origin) -> Result<Cotangents> {
        let cotangent = outputs[0].as_ref().map(|cotangent| cotangent.dense(origin)).transpose()?;
        let Some(cotangent) = cotangent else { return Ok(Cotangents::from_elem(None, wanted.len())) };
        let of_value = || autograd::sum_to(&cotangent.with_layout(self.place.clone()), &self.value, origin);
        let of_whole = || {
            let mut whole = cotangent.copied(origin)?;
            whole.fresh().part(self.place.clone()).fill_zero(origin)?;
            Ok(whole)
        };
        let whole = wanted[0].then(of_whole).transpose()?;
        let value = wanted[1].then(of_value).transpose()?;
        Ok([whole, value].into_iter().collect())
    }
}
