//! Operators on masks: `& | ^ !`.

use std::ops::{BitAnd, BitOr, BitXor, Not};

use super::broadcast::meet;
use crate::device::Device;
use crate::error::Result;
use crate::mode::NoGrad;
use crate::relation::SameDevice;
use crate::tensor::Tensor;
use crate::tensor_fn;

mod kernel {
    use super::tensor_fn;

    tensor_fn! {
        pub(super) fn and(x: &Tensor<bool>[..], y: &Tensor<bool>[..]) -> Tensor<bool>[..] { x && y }
        pub(super) fn or(x: &Tensor<bool>[..], y: &Tensor<bool>[..]) -> Tensor<bool>[..] { x || y }
        pub(super) fn xor(x: &Tensor<bool>[..], y: &Tensor<bool>[..]) -> Tensor<bool>[..] { x != y }
        pub(super) fn not(x: &Tensor<bool>[..]) -> Tensor<bool>[..] { !x }
    }
}

type Mask<D> = Tensor<D, NoGrad, bool>;

macro_rules! mask_operators {
    ($($trait:ident $method:ident $name:ident;)*) => {$(
        impl<D: Device, E: SameDevice<D>> $trait<&Mask<E>> for &Mask<D> {
            type Output = Result<Mask<D>>;

            #[track_caller]
            fn $method(self, other: &Mask<E>) -> Self::Output {
                let (x, y) = meet(stringify!($name), self, other)?;
                kernel::$name(&x, &y)
            }
        }

        impl<D: Device, E: SameDevice<D>> $trait<Mask<E>> for Mask<D> {
            type Output = Result<Mask<D>>;

            #[track_caller]
            fn $method(self, other: Mask<E>) -> Self::Output {
                <&Mask<D> as $trait<&Mask<E>>>::$method(&self, &other)
            }
        }
    )*};
}

mask_operators! {
    BitAnd bitand and;
    BitOr bitor or;
    BitXor bitxor xor;
}

impl<D: Device> Not for &Mask<D> {
    type Output = Result<Mask<D>>;

    #[track_caller]
    fn not(self) -> Self::Output {
        kernel::not(self)
    }
}

impl<D: Device> Not for Mask<D> {
    type Output = Result<Mask<D>>;

    #[track_caller]
    fn not(self) -> Self::Output {
        kernel::not(&self)
    }
}
