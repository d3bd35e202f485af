//! Sums.

use super::axes::{Axes, rows};
use crate::device::Device;
use crate::element::{Element, Float};
use crate::error::Result;
use crate::mode::GradMode;
use crate::tensor::Tensor;
use crate::tensor_fn;

mod whole {
    use super::tensor_fn;

    tensor_fn! {
        pub(super) fn sum(x: &Tensor[..]) -> Tensor[] { sum[..](x) }
    }
}

mod last {
    use super::tensor_fn;

    tensor_fn! {
        pub(super) fn sum(x: &Tensor[.., R, S]) -> Tensor[..] { sum[R, S](x) }
    }
}

/// An element whose sums are known: a float's are of the same element, those of integers and of `bool`, which counts, are
/// `i64`.
pub trait Total: Element {
    /// The element of a sum.
    type Sum: Element;

    #[doc(hidden)]
    fn sum_whole<D: Device, G: GradMode>(x: &Tensor<D, G, Self>) -> Result<Tensor<D, G, Self::Sum>>;

    /// Over the last two axes.
    #[doc(hidden)]
    fn sum_last<D: Device, G: GradMode>(x: &Tensor<D, G, Self>) -> Result<Tensor<D, G, Self::Sum>>;
}

impl<T: Float> Total for T {
    type Sum = T;

    #[track_caller]
    fn sum_whole<D: Device, G: GradMode>(x: &Tensor<D, G, T>) -> Result<Tensor<D, G, T>> {
        whole::sum(x)
    }

    #[track_caller]
    fn sum_last<D: Device, G: GradMode>(x: &Tensor<D, G, T>) -> Result<Tensor<D, G, T>> {
        last::sum(x)
    }
}

macro_rules! counted {
    ($($element:ident)*) => {$(
        mod $element {
            use super::tensor_fn;

            tensor_fn! {
                pub(super) fn sum(x: &Tensor<$element>[.., R, S]) -> Tensor<i64>[..] { sum[R, S](x as i64) }
            }
        }

        impl Total for $element {
            type Sum = i64;

            #[track_caller]
            fn sum_whole<D: Device, G: GradMode>(x: &Tensor<D, G, $element>) -> Result<Tensor<D, G, i64>> {
                Self::sum_last(&rows("sum", x, ..)?.view)
            }

            #[track_caller]
            fn sum_last<D: Device, G: GradMode>(x: &Tensor<D, G, $element>) -> Result<Tensor<D, G, i64>> {
                // No integer tensor is tracked, so the mode of the result is that of the operand.
                $element::sum(&x.detach()).map(|sum| Tensor::from_raw(sum.raw))
            }
        }
    )*};
}

counted! { i64 i32 u32 u8 bool }

impl<D: Device, G: GradMode, T: Total> Tensor<D, G, T> {
    /// The sum of all elements: of the same element for floats, `i64` for integers and `bool`. Of none: 0.
    ///
    /// # Errors
    /// Fails if the device is out of memory.
    #[track_caller]
    pub fn sum(&self) -> Result<Tensor<D, G, T::Sum>> {
        T::sum_whole(self)
    }

    /// Sums over axes: `x.sum_over(1)`, `x.sum_over([0, -1])`, `x.sum_over(Keep(0))`.
    ///
    /// # Errors
    /// Fails if there is no such axis, or the device is out of memory.
    #[track_caller]
    pub fn sum_over(&self, axes: impl Axes) -> Result<Tensor<D, G, T::Sum>> {
        let rows = rows("sum", self, axes)?;
        T::sum_last(&rows.view)?.reshape(rows.result)
    }
}
