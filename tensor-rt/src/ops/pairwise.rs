//! Methods of two or three tensors that are broadcast together.

use super::broadcast::{common_shape, meet, repeat, same};
use crate::device::Device;
use crate::element::Float;
use crate::error::{Origin, Result};
use crate::mode::{GradMode, Join, NoGrad};
use crate::relation::{SameDevice, SameElement};
use crate::tensor::Tensor;
use crate::tensor_fn;

mod kernel {
    use super::tensor_fn;

    tensor_fn! {
        pub(super) fn maximum(x: &Tensor[..], y: &Tensor[..]) -> Tensor[..] { max(x, y) }
        pub(super) fn minimum(x: &Tensor[..], y: &Tensor[..]) -> Tensor[..] { min(x, y) }
        pub(super) fn pow(x: &Tensor[..], y: &Tensor[..]) -> Tensor[..] { powf(x, y) }
        pub(super) fn atan2(x: &Tensor[..], y: &Tensor[..]) -> Tensor[..] { atan2(x, y) }
        pub(super) fn xlogy(x: &Tensor[..], y: &Tensor[..]) -> Tensor[..] { xlogy(x, y) }

        pub(super) fn choose(mask: &Tensor<bool>[..], x: &Tensor[..], y: &Tensor[..]) -> Tensor[..] {
            if mask { x } else { y }
        }

        pub(super) fn masked_fill(x: &Tensor[..], mask: &Tensor<bool>[..], value: float) -> Tensor[..] {
            if mask { value } else { x }
        }
    }
}

macro_rules! methods {
    ($($(#[$doc:meta])* $name:ident;)*) => {
        impl<D: Device, G: GradMode, T: Float> Tensor<D, G, T> {
            $(
                $(#[$doc])*
                ///
                /// # Errors
                /// Fails if the shapes cannot be broadcast together, or the device is out of memory.
                #[track_caller]
                pub fn $name<E, H, U>(&self, other: &Tensor<E, H, U>) -> Result<Tensor<D, <G as Join<H>>::Out, T>>
                where
                    G: Join<H>,
                    E: SameDevice<D>,
                    H: GradMode,
                    U: SameElement<T>,
                {
                    let (x, y) = meet(stringify!($name), self, other)?;
                    kernel::$name(&x, &y)
                }
            )*
        }
    };
}

methods! {
    /// The larger of two elements; NaN if either is. Equal elements share the gradient.
    maximum;
    /// The smaller of two elements; NaN if either is. Equal elements share the gradient.
    minimum;
    /// `self^other`; `0^0` is 1. The derivatives at base 0 are those of the limit that exists, else 0.
    pow;
    /// The angle of the point `(other, self)`.
    atan2;
    /// `self * ln(other)`, 0 where `self` is 0.
    xlogy;
}

impl<D: Device> Tensor<D, NoGrad, bool> {
    /// `x` where the mask holds, else `y`. The side that is not taken gets no gradient, even where it is infinite or NaN.
    ///
    /// # Errors
    /// Fails if the shapes cannot be broadcast together, or the device is out of memory.
    #[track_caller]
    pub fn choose<E, G, T, F, H, U>(
        &self,
        x: &Tensor<E, G, T>,
        y: &Tensor<F, H, U>,
    ) -> Result<Tensor<D, <G as Join<H>>::Out, T>>
    where
        E: SameDevice<D>,
        G: GradMode + Join<H>,
        T: Float,
        F: SameDevice<D>,
        H: GradMode,
        U: SameElement<T>,
    {
        let origin = Origin::of("choose");
        let shape = common_shape(&common_shape(self.shape(), x.shape(), origin)?, y.shape(), origin)?;
        let (x, y): (&Tensor<D, G, T>, &Tensor<D, H, T>) = (same(x), same(y));
        kernel::choose(&repeat(self, &shape)?, &repeat(x, &shape)?, &repeat(y, &shape)?)
    }
}

impl<D: Device, G: GradMode, T: Float> Tensor<D, G, T> {
    /// `value` where the mask holds, else the element.
    ///
    /// # Errors
    /// Fails if the shapes cannot be broadcast together, or the device is out of memory.
    #[track_caller]
    pub fn masked_fill<E: SameDevice<D>>(&self, mask: &Tensor<E, NoGrad, bool>, value: f64) -> Result<Self> {
        let shape = common_shape(self.shape(), mask.shape(), Origin::of("masked_fill"))?;
        let mask: &Tensor<D, NoGrad, bool> = same(mask);
        kernel::masked_fill(&repeat(self, &shape)?, &repeat(mask, &shape)?, value)
    }
}
