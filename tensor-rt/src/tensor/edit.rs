//! Editing in place.
//!
//! A tensor is edited through `&mut`; its storage is made unique first, so nobody else sees the edit. A [`TensorMut`] is
//! a part of a tensor that is borrowed mutably: while it lives the tensor can be neither read nor edited otherwise, and
//! two of them never overlap.

use std::fmt::Debug;
use std::marker::PhantomData;

use super::Tensor;
use super::raw::{Exclusive, Raw};
use super::reading::check_index;
use super::views::Places;
use crate::device::Device;
use crate::element::Element;
use crate::error::{Error, Origin, Result};
use crate::mode::{GradMode, NoGrad};
use crate::relation::sealed::Place;
use crate::relation::{HostReadable, InPlace, SameDevice};
use crate::shape::{Axis, Shape, Slices};

/// A writable view of an untracked tensor, which it borrows mutably.
pub struct TensorMut<'a, D: Device, T: Element> {
    pub(crate) place: Exclusive<'a>,
    types: PhantomData<(D, &'a mut T)>,
}

/// Edits of the whole tensor. Not for tracked tensors: their graph depends on the value.
impl<D: Device, G: GradMode, T: Element> Tensor<D, G, T> {
    /// A writable view of the whole tensor. The storage is made unique and dense first, which is a counted copy unless it
    /// already is.
    ///
    /// # Errors
    /// Fails if the device is out of memory.
    #[track_caller]
    pub fn view_mut(&mut self) -> Result<TensorMut<'_, D, T>>
    where
        Self: InPlace<Device = D, Element = T>,
    {
        Ok(TensorMut { place: self.raw.exclusive(true, Origin::of("view_mut"))?, types: PhantomData })
    }

    /// Writes one value to every element.
    ///
    /// # Errors
    /// Fails if the storage is shared and the device is out of memory.
    #[track_caller]
    pub fn fill(&mut self, value: T) -> Result<()>
    where
        Self: InPlace<Device = D, Element = T>,
    {
        let origin = Origin::of("fill");
        self.exclusive(origin)?.fill(value, origin)
    }

    /// Writes the elements of a tensor of the same shape.
    ///
    /// # Errors
    /// Fails if the shapes differ, or if the storage is shared and the device is out of memory.
    #[track_caller]
    pub fn copy_from<E: SameDevice<D>, H: GradMode>(&mut self, source: &Tensor<E, H, T>) -> Result<()>
    where
        Self: InPlace<Device = D, Element = T>,
    {
        let origin = Origin::of("copy_from");
        check_same_shape(self.shape(), source.shape(), origin)?;
        write(self.exclusive(origin)?, &source.raw, origin)
    }

    /// Writes one element.
    ///
    /// # Errors
    /// Fails if the index does not lie within the shape, or if the storage is shared and the device is out of memory.
    #[track_caller]
    pub fn set(&mut self, index: impl AsRef<[usize]>, value: T) -> Result<()>
    where
        Self: InPlace<Device = D, Element = T>,
        D: HostReadable,
    {
        let origin = Origin::of("set");
        check_index(self.shape(), index.as_ref(), origin)?;
        self.exclusive(origin)?.set(index.as_ref(), value);
        Ok(())
    }

    /// The elements for writing, in row-major order. The storage is made unique and dense first, which is a counted copy
    /// unless it already is.
    ///
    /// # Errors
    /// Fails if the device is out of memory.
    #[track_caller]
    pub fn as_mut_slice(&mut self) -> Result<&mut [T]>
    where
        Self: InPlace<Device = D, Element = T>,
        D: HostReadable,
    {
        let place = self.raw.exclusive(true, Origin::of("as_mut_slice"))?;
        Ok(place.into_mut_slice().expect("bug in tensor-rt: a dense tensor is no slice"))
    }
}

impl<'a, D: Device, T: Element> TensorMut<'a, D, T> {
    /// The place as one of elements `T` on `D`.
    pub(crate) fn of(place: Exclusive<'a>) -> Self {
        TensorMut { place, types: PhantomData }
    }

    /// The sizes of the axes, outermost first.
    pub fn shape(&self) -> &Shape {
        self.place.raw().shape()
    }

    /// The number of axes.
    pub fn rank(&self) -> usize {
        self.shape().rank()
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.place.raw().elements()
    }

    /// True if there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// True if the elements lie one after the other in row-major order.
    pub fn is_contiguous(&self) -> bool {
        self.place.raw().is_dense()
    }

    /// A copy of the elements, as a tensor of its own. A counted copy.
    ///
    /// # Errors
    /// Fails if the device is out of memory.
    #[track_caller]
    pub fn to_tensor(&self) -> Result<Tensor<D, NoGrad, T>> {
        self.place.raw().copied(Origin::of("to_tensor")).map(Tensor::from_raw)
    }

    /// The part before index `at` of an axis, and the part from it on: two views that do not overlap.
    ///
    /// # Errors
    /// Fails if the axis has no such index, or there is no such axis.
    #[track_caller]
    pub fn split_at_mut(
        &mut self,
        axis: impl Into<Axis>,
        at: usize,
    ) -> Result<(TensorMut<'_, D, T>, TensorMut<'_, D, T>)> {
        let origin = Origin::of("split_at_mut");
        let axis = axis.into().of_rank(self.rank(), origin)?;
        let size = self.shape()[axis];
        if at > size {
            return Err(Error::RangeOutOfRange { op: origin.op, axis, start: 0, end: at, size, at: origin.at });
        }
        let (low, high) = self.place.halves(axis, at);
        Ok((TensorMut::of(low), TensorMut::of(high)))
    }

    /// `length` elements of an axis, from `start`.
    ///
    /// # Errors
    /// Fails if the axis does not contain the range, or there is no such axis.
    #[track_caller]
    pub fn narrow(&mut self, axis: impl Into<Axis>, start: usize, length: usize) -> Result<TensorMut<'_, D, T>> {
        let origin = Origin::of("narrow");
        let layout = Places::of(self.place.raw(), origin).narrow(axis.into(), start, length)?;
        Ok(TensorMut::of(self.place.part(layout)))
    }

    /// Ranges along the first axes; the axes that are not mentioned stay whole.
    ///
    /// # Errors
    /// Fails if an axis does not contain its range, or there are more ranges than axes.
    #[track_caller]
    pub fn slice(&mut self, ranges: impl Slices) -> Result<TensorMut<'_, D, T>> {
        let origin = Origin::of("slice");
        let layout = Places::of(self.place.raw(), origin).slice(&ranges.slices())?;
        Ok(TensorMut::of(self.place.part(layout)))
    }

    /// The elements at one index of an axis, without that axis.
    ///
    /// # Errors
    /// Fails if the axis has no such index, or there is no such axis.
    #[track_caller]
    pub fn select(&mut self, axis: impl Into<Axis>, index: usize) -> Result<TensorMut<'_, D, T>> {
        let origin = Origin::of("select");
        let layout = Places::of(self.place.raw(), origin).select(axis.into(), index)?;
        Ok(TensorMut::of(self.place.part(layout)))
    }

    /// The view with two axes exchanged.
    ///
    /// # Errors
    /// Fails if there is no such axis.
    #[track_caller]
    pub fn transpose(&mut self, first: impl Into<Axis>, second: impl Into<Axis>) -> Result<TensorMut<'_, D, T>> {
        let origin = Origin::of("transpose");
        let layout = Places::of(self.place.raw(), origin).transpose(first.into(), second.into())?;
        Ok(TensorMut::of(self.place.part(layout)))
    }

    /// Writes one value to every element.
    ///
    /// # Errors
    /// Fails if an earlier operation on the device did.
    #[track_caller]
    pub fn fill(&mut self, value: T) -> Result<()> {
        self.place.fill(value, Origin::of("fill"))
    }

    /// Writes the elements of a tensor of the same shape.
    ///
    /// # Errors
    /// Fails if the shapes differ.
    #[track_caller]
    pub fn copy_from<E: SameDevice<D>, H: GradMode>(&mut self, source: &Tensor<E, H, T>) -> Result<()> {
        let origin = Origin::of("copy_from");
        check_same_shape(self.shape(), source.shape(), origin)?;
        write(self.place.reborrow(), &source.raw, origin)
    }

    /// One element.
    ///
    /// # Errors
    /// Fails if the index does not lie within the shape.
    #[track_caller]
    pub fn get(&self, index: impl AsRef<[usize]>) -> Result<T>
    where
        D: HostReadable,
    {
        check_index(self.shape(), index.as_ref(), Origin::of("get"))?;
        Ok(self.place.raw().element(index.as_ref()))
    }

    /// Writes one element.
    ///
    /// # Errors
    /// Fails if the index does not lie within the shape.
    #[track_caller]
    pub fn set(&mut self, index: impl AsRef<[usize]>, value: T) -> Result<()>
    where
        D: HostReadable,
    {
        check_index(self.shape(), index.as_ref(), Origin::of("set"))?;
        self.place.set(index.as_ref(), value);
        Ok(())
    }

    /// The elements for writing, where they lie.
    ///
    /// # Errors
    /// Fails if the view is not contiguous.
    #[track_caller]
    pub fn as_mut_slice(&mut self) -> Result<&mut [T]>
    where
        D: HostReadable,
    {
        let Origin { op, at } = Origin::of("as_mut_slice");
        let raw = self.place.raw();
        let (shape, strides) = (raw.shape().sizes(), raw.strides().into());
        self.place.as_mut_slice().ok_or(Error::NotContiguous { op, shape, strides, at })
    }
}

impl<D: Device, T: Element> Debug for TensorMut<'_, D, T> {
    /// Type, shape and device; never data.
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "TensorMut of {:?}", self.place.raw())
    }
}

fn check_same_shape(target: &Shape, source: &Shape, origin: Origin) -> Result<()> {
    if target != source {
        let (lhs, rhs) = (target.sizes(), source.sizes());
        return Err(Error::ShapeMismatch { op: origin.op, lhs, rhs, at: origin.at });
    }
    Ok(())
}

/// Copies into a place. It is what the caller asked for by name, so it counts as a copy.
fn write(mut place: Exclusive<'_>, source: &Raw, origin: Origin) -> Result<()> {
    crate::accounting::copy(origin.at, source.elements() * source.dtype().size());
    place.copy_from(source, origin)
}
