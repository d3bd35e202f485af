//! Reductions other than sums.
//!
//! Each exists over the whole tensor and, with `_over`, over given axes.

use super::axes::{Axes, axis_last, rows};
use crate::device::Device;
use crate::element::{Element, Float};
use crate::error::Result;
use crate::mode::{GradMode, NoGrad};
use crate::shape::Axis;
use crate::tensor::Tensor;
use crate::tensor_fn;

mod whole {
    use super::tensor_fn;

    tensor_fn! {
        pub(super) fn mean(x: &Tensor[..]) -> Tensor[] { mean[..](x) }
        pub(super) fn var(x: &Tensor[..]) -> Tensor[] { var[..](x) }
        pub(super) fn prod(x: &Tensor[..]) -> Tensor[] { prod[..](x) }
        pub(super) fn max(x: &Tensor[..]) -> Tensor[] { max[..](x) }
        pub(super) fn min(x: &Tensor[..]) -> Tensor[] { min[..](x) }
        pub(super) fn logsumexp(x: &Tensor[..]) -> Tensor[] { logsumexp[..](x) }
    }
}

mod last {
    use super::tensor_fn;

    tensor_fn! {
        pub(super) fn mean(x: &Tensor[.., R, S]) -> Tensor[..] { mean[R, S](x) }
        pub(super) fn var(x: &Tensor[.., R, S]) -> Tensor[..] { var[R, S](x) }
        pub(super) fn prod(x: &Tensor[.., R, S]) -> Tensor[..] { prod[R, S](x) }
        pub(super) fn max(x: &Tensor[.., R, S]) -> Tensor[..] { max[R, S](x) }
        pub(super) fn min(x: &Tensor[.., R, S]) -> Tensor[..] { min[R, S](x) }
        pub(super) fn logsumexp(x: &Tensor[.., R, S]) -> Tensor[..] { logsumexp[R, S](x) }
        pub(super) fn argmax(x: &Tensor[.., R]) -> Tensor<i64>[..] { argmax[R](x) }
        pub(super) fn argmin(x: &Tensor[.., R]) -> Tensor<i64>[..] { argmin[R](x) }
        pub(super) fn any(x: &Tensor<bool>[.., R, S]) -> Tensor<bool>[..] { any[R, S](x) }
        pub(super) fn all(x: &Tensor<bool>[.., R, S]) -> Tensor<bool>[..] { all[R, S](x) }
    }
}

mod integers {
    use super::tensor_fn;

    tensor_fn! {
        pub(super) fn prod(x: &Tensor<i64>[.., R, S]) -> Tensor<i64>[..] { prod[R, S](x) }
        pub(super) fn max(x: &Tensor<i64>[.., R, S]) -> Tensor<i64>[..] { max[R, S](x) }
        pub(super) fn min(x: &Tensor<i64>[.., R, S]) -> Tensor<i64>[..] { min[R, S](x) }
        pub(super) fn argmax(x: &Tensor<i64>[.., R]) -> Tensor<i64>[..] { argmax[R](x) }
        pub(super) fn argmin(x: &Tensor<i64>[.., R]) -> Tensor<i64>[..] { argmin[R](x) }
    }
}

/// Which reduction of [`Ordered`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fold {
    Prod,
    Max,
    Min,
}

/// Which index of [`Ordered`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Place {
    Max,
    Min,
}

/// An element with products and extrema: every float element, and `i64`.
#[diagnostic::on_unimplemented(
    message = "tensors of `{Self}` have no product, maximum or minimum",
    label = "expected a float element or `i64`",
    note = "convert first: `t.to_element::<i64>()?`"
)]
pub trait Ordered: Element {
    #[doc(hidden)]
    #[expect(private_interfaces, reason = "called here alone")]
    fn fold_whole<D: Device, G: GradMode>(fold: Fold, x: &Tensor<D, G, Self>) -> Result<Tensor<D, G, Self>>;

    /// Over the last two axes.
    #[doc(hidden)]
    #[expect(private_interfaces, reason = "called here alone")]
    fn fold_last<D: Device, G: GradMode>(fold: Fold, x: &Tensor<D, G, Self>) -> Result<Tensor<D, G, Self>>;

    /// Over the last axis.
    #[doc(hidden)]
    #[expect(private_interfaces, reason = "called here alone")]
    fn place_last<D: Device>(place: Place, x: &Tensor<D, NoGrad, Self>) -> Result<Tensor<D, NoGrad, i64>>;
}

#[expect(private_interfaces, reason = "called here alone")]
impl<T: Float> Ordered for T {
    #[track_caller]
    fn fold_whole<D: Device, G: GradMode>(fold: Fold, x: &Tensor<D, G, T>) -> Result<Tensor<D, G, T>> {
        match fold {
            Fold::Prod => whole::prod(x),
            Fold::Max => whole::max(x),
            Fold::Min => whole::min(x),
        }
    }

    #[track_caller]
    fn fold_last<D: Device, G: GradMode>(fold: Fold, x: &Tensor<D, G, T>) -> Result<Tensor<D, G, T>> {
        match fold {
            Fold::Prod => last::prod(x),
            Fold::Max => last::max(x),
            Fold::Min => last::min(x),
        }
    }

    #[track_caller]
    fn place_last<D: Device>(place: Place, x: &Tensor<D, NoGrad, T>) -> Result<Tensor<D, NoGrad, i64>> {
        match place {
            Place::Max => last::argmax(x),
            Place::Min => last::argmin(x),
        }
    }
}

#[expect(private_interfaces, reason = "called here alone")]
impl Ordered for i64 {
    #[track_caller]
    fn fold_whole<D: Device, G: GradMode>(fold: Fold, x: &Tensor<D, G, i64>) -> Result<Tensor<D, G, i64>> {
        i64::fold_last(fold, &rows(fold.name(), x, ..)?.view)
    }

    #[track_caller]
    fn fold_last<D: Device, G: GradMode>(fold: Fold, x: &Tensor<D, G, i64>) -> Result<Tensor<D, G, i64>> {
        let x = &x.detach();
        let result = match fold {
            Fold::Prod => integers::prod(x),
            Fold::Max => integers::max(x),
            Fold::Min => integers::min(x),
        };
        // No integer tensor is tracked, so the mode of the result is that of the operand.
        result.map(|result| Tensor::from_raw(result.raw))
    }

    #[track_caller]
    fn place_last<D: Device>(place: Place, x: &Tensor<D, NoGrad, i64>) -> Result<Tensor<D, NoGrad, i64>> {
        match place {
            Place::Max => integers::argmax(x),
            Place::Min => integers::argmin(x),
        }
    }
}

macro_rules! folds {
    ($($(#[$doc:meta])* $name:ident $over:ident $fold:ident;)*) => {
        impl Fold {
            fn name(self) -> &'static str {
                match self {
                    $(Fold::$fold => stringify!($name),)*
                }
            }
        }

        impl<D: Device, G: GradMode, T: Ordered> Tensor<D, G, T> {
            $(
                $(#[$doc])*
                #[track_caller]
                pub fn $name(&self) -> Result<Self> {
                    T::fold_whole(Fold::$fold, self)
                }

                #[doc = concat!("[`Tensor::", stringify!($name), "`] over axes: `1`, `[0, -1]`, `Keep(0)`.")]
                ///
                /// # Errors
                /// Also fails if there is no such axis.
                #[track_caller]
                pub fn $over(&self, axes: impl Axes) -> Result<Self> {
                    let rows = rows(stringify!($name), self, axes)?;
                    T::fold_last(Fold::$fold, &rows.view)?.reshape(rows.result)
                }
            )*
        }
    };
}

folds! {
    /// The product of all elements; of none: 1.
    ///
    /// # Errors
    /// Fails if the device is out of memory.
    prod prod_over Prod;
    /// The largest element; NaN if any is. Equal elements share the gradient evenly.
    ///
    /// # Errors
    /// Fails with `EmptyReduction` if there is no element, or if the device is out of memory.
    max max_over Max;
    /// The smallest element; NaN if any is. Equal elements share the gradient evenly.
    ///
    /// # Errors
    /// Fails with `EmptyReduction` if there is no element, or if the device is out of memory.
    min min_over Min;
}

macro_rules! float_reductions {
    ($($(#[$doc:meta])* $name:ident $over:ident;)*) => {
        impl<D: Device, G: GradMode, T: Float> Tensor<D, G, T> {
            $(
                $(#[$doc])*
                #[track_caller]
                pub fn $name(&self) -> Result<Self> {
                    whole::$name(self)
                }

                #[doc = concat!("[`Tensor::", stringify!($name), "`] over axes: `1`, `[0, -1]`, `Keep(0)`.")]
                ///
                /// # Errors
                /// Also fails if there is no such axis.
                #[track_caller]
                pub fn $over(&self, axes: impl Axes) -> Result<Self> {
                    let rows = rows(stringify!($name), self, axes)?;
                    last::$name(&rows.view)?.reshape(rows.result)
                }
            )*
        }
    };
}

float_reductions! {
    /// The mean of all elements; of none: NaN.
    ///
    /// # Errors
    /// Fails if the device is out of memory.
    mean mean_over;
    /// The population variance of all elements, in two passes (PyTorch's default divides by one less).
    ///
    /// # Errors
    /// Fails if the device is out of memory.
    var var_over;
    /// `ln(sum(e^x))` without overflow; -inf, with gradient 0, if every element is -inf.
    ///
    /// # Errors
    /// Fails with `EmptyReduction` if there is no element, or if the device is out of memory.
    logsumexp logsumexp_over;
}

macro_rules! places {
    ($($(#[$doc:meta])* $name:ident $over:ident $place:ident;)*) => {
        impl<D: Device, G: GradMode, T: Ordered> Tensor<D, G, T> {
            $(
                $(#[$doc])*
                /// An index has no gradient, so any tensor may be asked.
                ///
                /// # Errors
                /// Fails with `EmptyReduction` if there is no element, or if the device is out of memory.
                #[track_caller]
                pub fn $name(&self) -> Result<Tensor<D, NoGrad, i64>> {
                    T::place_last(Place::$place, &self.detach().flatten()?)
                }

                #[doc = concat!("As [`Tensor::", stringify!($name), "`], the index along one axis for each place of the others.")]
                ///
                /// # Errors
                /// Also fails if there is no such axis.
                #[track_caller]
                pub fn $over(&self, axis: impl Into<Axis>) -> Result<Tensor<D, NoGrad, i64>> {
                    let (view, _) = axis_last(stringify!($name), &self.detach(), axis.into())?;
                    T::place_last(Place::$place, &view)
                }
            )*
        }
    };
}

places! {
    /// The index in row-major order of the largest element, the first of equal ones; of a NaN if there is one.
    argmax argmax_over Max;
    /// The index in row-major order of the smallest element, the first of equal ones; of a NaN if there is one.
    argmin argmin_over Min;
}

macro_rules! mask_reductions {
    ($($(#[$doc:meta])* $name:ident $over:ident;)*) => {
        impl<D: Device> Tensor<D, NoGrad, bool> {
            $(
                $(#[$doc])*
                ///
                /// # Errors
                /// Fails if the device is out of memory.
                #[track_caller]
                pub fn $name(&self) -> Result<Self> {
                    last::$name(&rows(stringify!($name), self, ..)?.view)
                }

                #[doc = concat!("[`Tensor::", stringify!($name), "`] over axes: `1`, `[0, -1]`, `Keep(0)`.")]
                ///
                /// # Errors
                /// Also fails if there is no such axis.
                #[track_caller]
                pub fn $over(&self, axes: impl Axes) -> Result<Self> {
                    let rows = rows(stringify!($name), self, axes)?;
                    last::$name(&rows.view)?.reshape(rows.result)
                }
            )*
        }
    };
}

mask_reductions! {
    /// Whether any element holds; of none: `false`.
    any any_over;
    /// Whether every element holds; of none: `true`.
    all all_over;
}
