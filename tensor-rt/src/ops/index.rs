//! Elements by index along an axis.
//!
//! An index outside the axis is a typed error; elements that are read several times receive the sum of their gradients.

use super::axes::{axis_back, axis_last};
use super::broadcast::same;
use crate::device::Device;
use crate::element::{Element, Float};
use crate::error::Result;
use crate::mode::{GradMode, Join, NoGrad};
use crate::relation::{SameDevice, SameElement};
use crate::shape::Axis;
use crate::tensor::Tensor;
use crate::tensor_fn;

mod floats {
    use super::tensor_fn;

    tensor_fn! {
        pub(super) fn index_select(x: &Tensor[.., C], indices: &Tensor<i64>[K]) -> Tensor[.., K] { x[.., indices] }
        pub(super) fn gather(x: &Tensor[.., C], indices: &Tensor<i64>[.., K]) -> Tensor[.., K] { x[.., indices] }

        pub(super) fn scatter_add(
            x: &Tensor[.., C],
            indices: &Tensor<i64>[.., K],
            source: &Tensor[.., K],
        ) -> Tensor[.., C] {
            x + sum[K](if indices == C { source } else { 0.0 })
        }
    }
}

mod integers {
    use super::tensor_fn;

    tensor_fn! {
        pub(super) fn index_select(x: &Tensor<i64>[.., C], indices: &Tensor<i64>[K]) -> Tensor<i64>[.., K] {
            x[.., indices]
        }
        pub(super) fn gather(x: &Tensor<i64>[.., C], indices: &Tensor<i64>[.., K]) -> Tensor<i64>[.., K] {
            x[.., indices]
        }
    }
}

/// An element that index operations move: every float element, and `i64`.
#[diagnostic::on_unimplemented(
    message = "tensors of `{Self}` have no index operations",
    label = "expected a float element or `i64`",
    note = "convert first: `t.to_element::<i64>()?`"
)]
pub trait Indexed: Element {
    /// Along the last axis.
    #[doc(hidden)]
    fn select_last<D: Device, G: GradMode>(
        x: &Tensor<D, G, Self>,
        indices: &Tensor<D, NoGrad, i64>,
    ) -> Result<Tensor<D, G, Self>>;

    /// Along the last axis.
    #[doc(hidden)]
    fn gather_last<D: Device, G: GradMode>(
        x: &Tensor<D, G, Self>,
        indices: &Tensor<D, NoGrad, i64>,
    ) -> Result<Tensor<D, G, Self>>;
}

impl<T: Float> Indexed for T {
    #[track_caller]
    fn select_last<D: Device, G: GradMode>(
        x: &Tensor<D, G, T>,
        indices: &Tensor<D, NoGrad, i64>,
    ) -> Result<Tensor<D, G, T>> {
        floats::index_select(x, indices)
    }

    #[track_caller]
    fn gather_last<D: Device, G: GradMode>(
        x: &Tensor<D, G, T>,
        indices: &Tensor<D, NoGrad, i64>,
    ) -> Result<Tensor<D, G, T>> {
        floats::gather(x, indices)
    }
}

impl Indexed for i64 {
    #[track_caller]
    fn select_last<D: Device, G: GradMode>(
        x: &Tensor<D, G, i64>,
        indices: &Tensor<D, NoGrad, i64>,
    ) -> Result<Tensor<D, G, i64>> {
        // No integer tensor is tracked, so the mode of the result is that of the operand.
        integers::index_select(&x.detach(), indices).map(|result| Tensor::from_raw(result.raw))
    }

    #[track_caller]
    fn gather_last<D: Device, G: GradMode>(
        x: &Tensor<D, G, i64>,
        indices: &Tensor<D, NoGrad, i64>,
    ) -> Result<Tensor<D, G, i64>> {
        integers::gather(&x.detach(), indices).map(|result| Tensor::from_raw(result.raw))
    }
}

impl<D: Device, G: GradMode, T: Indexed> Tensor<D, G, T> {
    /// The entries of an axis at a list of indices, in the list's order: `y[.., k, ..] = x[.., indices[k], ..]`.
    ///
    /// # Errors
    /// Fails if an index is outside the axis, if `indices` has another number of axes than one, or if the device is out of
    /// memory.
    #[track_caller]
    pub fn index_select<E: SameDevice<D>>(
        &self,
        axis: impl Into<Axis>,
        indices: &Tensor<E, NoGrad, i64>,
    ) -> Result<Self> {
        let (view, axis) = axis_last("index_select", self, axis.into())?;
        axis_back(T::select_last(&view, same(indices))?, axis)
    }

    /// One element of an axis for each index: `y[n, k] = x[n, indices[n, k]]` for the last of two axes.
    ///
    /// # Errors
    /// Fails if an index is outside the axis, if the shapes differ along another axis, or if the device is out of memory.
    #[track_caller]
    pub fn gather<E: SameDevice<D>>(&self, axis: impl Into<Axis>, indices: &Tensor<E, NoGrad, i64>) -> Result<Self> {
        let axis = axis.into();
        let (indices, _) = axis_last("gather", same::<D, NoGrad, i64, E, i64>(indices), axis)?;
        let (view, axis) = axis_last("gather", self, axis)?;
        axis_back(T::gather_last(&view, &indices)?, axis)
    }
}

impl<D: Device, G: GradMode, T: Float> Tensor<D, G, T> {
    /// This tensor with every element of `source` added at its index along an axis: for the last of two axes
    /// `y[n, c] = x[n, c] + sum of source[n, k] over indices[n, k] = c`. An index may stand there several times; one outside
    /// the axis is left out.
    ///
    /// # Errors
    /// Fails if the shapes of `indices` and `source` differ, if a shape differs from this one's along another axis, or if
    /// the device is out of memory.
    #[track_caller]
    pub fn scatter_add<E, F, H, U>(
        &self,
        axis: impl Into<Axis>,
        indices: &Tensor<E, NoGrad, i64>,
        source: &Tensor<F, H, U>,
    ) -> Result<Tensor<D, <G as Join<H>>::Out, T>>
    where
        G: Join<H>,
        E: SameDevice<D>,
        F: SameDevice<D>,
        H: GradMode,
        U: SameElement<T>,
    {
        let axis = axis.into();
        let (indices, _) = axis_last("scatter_add", same::<D, NoGrad, i64, E, i64>(indices), axis)?;
        let (source, _) = axis_last("scatter_add", same::<D, H, T, F, U>(source), axis)?;
        let (view, axis) = axis_last("scatter_add", self, axis)?;
        axis_back(floats::scatter_add(&view, &indices, &source)?, axis)
    }
}
