//! The operators `+ - * / %` and unary `-`.
//!
//! Each takes tensors by value or by reference on both sides, and a number on either side; each gives a `Result`. A
//! `Result` on one side is passed through, so that `&a * &b + &c` chains; Rust allows that only while the other side is a
//! plain tensor. More than two operations are better written as one kernel.

use std::ops::{Add, Div, Mul, Neg, Rem, Sub};

use super::broadcast::{identical, meet};
use crate::device::Device;
use crate::element::{Element, Float};
use crate::error::Result;
use crate::mode::{GradMode, Join};
use crate::relation::{SameDevice, SameElement};
use crate::tensor::Tensor;
use crate::tensor_fn;

/// An operator of two operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Operator {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
}

impl Operator {
    pub(super) fn name(self) -> &'static str {
        match self {
            Operator::Add => "add",
            Operator::Sub => "sub",
            Operator::Mul => "mul",
            Operator::Div => "div",
            Operator::Rem => "rem",
        }
    }
}

/// Two operands of one shape.
mod tensors {
    use super::tensor_fn;

    tensor_fn! {
        pub(super) fn add(x: &Tensor[..], y: &Tensor[..]) -> Tensor[..] { x + y }
        pub(super) fn sub(x: &Tensor[..], y: &Tensor[..]) -> Tensor[..] { x - y }
        pub(super) fn mul(x: &Tensor[..], y: &Tensor[..]) -> Tensor[..] { x * y }
        pub(super) fn div(x: &Tensor[..], y: &Tensor[..]) -> Tensor[..] { x / y }
        pub(super) fn rem(x: &Tensor[..], y: &Tensor[..]) -> Tensor[..] { x % y }
        pub(super) fn neg(x: &Tensor[..]) -> Tensor[..] { -x }
    }
}

/// A number on the right.
mod right {
    use super::tensor_fn;

    tensor_fn! {
        pub(super) fn add(x: &Tensor[..], c: float) -> Tensor[..] { x + c }
        pub(super) fn sub(x: &Tensor[..], c: float) -> Tensor[..] { x - c }
        pub(super) fn mul(x: &Tensor[..], c: float) -> Tensor[..] { x * c }
        pub(super) fn div(x: &Tensor[..], c: float) -> Tensor[..] { x / c }
        pub(super) fn rem(x: &Tensor[..], c: float) -> Tensor[..] { x % c }
    }
}

/// A number on the left.
mod left {
    use super::tensor_fn;

    tensor_fn! {
        pub(super) fn sub(x: &Tensor[..], c: float) -> Tensor[..] { c - x }
        pub(super) fn div(x: &Tensor[..], c: float) -> Tensor[..] { c / x }
        pub(super) fn rem(x: &Tensor[..], c: float) -> Tensor[..] { c % x }
    }
}

/// Integers.
mod integers {
    use super::tensor_fn;

    tensor_fn! {
        pub(super) fn add(x: &Tensor<i64>[..], y: &Tensor<i64>[..]) -> Tensor<i64>[..] { x + y }
        pub(super) fn sub(x: &Tensor<i64>[..], y: &Tensor<i64>[..]) -> Tensor<i64>[..] { x - y }
        pub(super) fn mul(x: &Tensor<i64>[..], y: &Tensor<i64>[..]) -> Tensor<i64>[..] { x * y }
        pub(super) fn div(x: &Tensor<i64>[..], y: &Tensor<i64>[..]) -> Tensor<i64>[..] { x / y }
        pub(super) fn rem(x: &Tensor<i64>[..], y: &Tensor<i64>[..]) -> Tensor<i64>[..] { x % y }
        pub(super) fn neg(x: &Tensor<i64>[..]) -> Tensor<i64>[..] { -x }
    }
}

/// An integer on the right.
mod right_integer {
    use super::tensor_fn;

    tensor_fn! {
        pub(super) fn add(x: &Tensor<i64>[..], c: i64) -> Tensor<i64>[..] { x + c }
        pub(super) fn sub(x: &Tensor<i64>[..], c: i64) -> Tensor<i64>[..] { x - c }
        pub(super) fn mul(x: &Tensor<i64>[..], c: i64) -> Tensor<i64>[..] { x * c }
        pub(super) fn div(x: &Tensor<i64>[..], c: i64) -> Tensor<i64>[..] { x / c }
        pub(super) fn rem(x: &Tensor<i64>[..], c: i64) -> Tensor<i64>[..] { x % c }
    }
}

/// An integer on the left.
mod left_integer {
    use super::tensor_fn;

    tensor_fn! {
        pub(super) fn sub(x: &Tensor<i64>[..], c: i64) -> Tensor<i64>[..] { c - x }
        pub(super) fn div(x: &Tensor<i64>[..], c: i64) -> Tensor<i64>[..] { c / x }
        pub(super) fn rem(x: &Tensor<i64>[..], c: i64) -> Tensor<i64>[..] { c % x }
    }
}

/// An element with operators: every float element, and `i64`.
#[diagnostic::on_unimplemented(
    message = "tensors of `{Self}` have no arithmetic",
    label = "expected a float element or `i64`",
    note = "convert first: `t.to_element::<i64>()?`"
)]
pub trait Arithmetic: Element {
    /// The number that may stand beside a tensor, as an `i64` may beside any: `f64` for floats, `i64` for integers.
    type Number: Copy;

    /// An integer beside a tensor.
    #[doc(hidden)]
    fn number(integer: i64) -> Self::Number;

    /// An operator on two tensors of one shape.
    #[doc(hidden)]
    #[expect(private_interfaces, reason = "called here alone")]
    fn operate<D: Device, G: GradMode + Join<H>, H: GradMode>(
        operator: Operator,
        x: &Tensor<D, G, Self>,
        y: &Tensor<D, H, Self>,
    ) -> Result<Tensor<D, <G as Join<H>>::Out, Self>>;

    /// `x operator number`.
    #[doc(hidden)]
    #[expect(private_interfaces, reason = "called here alone")]
    fn with_right<D: Device, G: GradMode>(
        operator: Operator,
        x: &Tensor<D, G, Self>,
        number: Self::Number,
    ) -> Result<Tensor<D, G, Self>>;

    /// `number operator x`.
    #[doc(hidden)]
    #[expect(private_interfaces, reason = "called here alone")]
    fn with_left<D: Device, G: GradMode>(
        operator: Operator,
        number: Self::Number,
        x: &Tensor<D, G, Self>,
    ) -> Result<Tensor<D, G, Self>>;

    /// `-x`.
    #[doc(hidden)]
    fn negate<D: Device, G: GradMode>(x: &Tensor<D, G, Self>) -> Result<Tensor<D, G, Self>>;
}

#[diagnostic::do_not_recommend]
#[expect(private_interfaces, reason = "called here alone")]
impl<T: Float> Arithmetic for T {
    type Number = f64;

    fn number(integer: i64) -> f64 {
        integer as f64
    }

    #[track_caller]
    fn operate<D: Device, G: GradMode + Join<H>, H: GradMode>(
        operator: Operator,
        x: &Tensor<D, G, T>,
        y: &Tensor<D, H, T>,
    ) -> Result<Tensor<D, <G as Join<H>>::Out, T>> {
        match operator {
            Operator::Add => tensors::add(x, y),
            Operator::Sub => tensors::sub(x, y),
            Operator::Mul => tensors::mul(x, y),
            Operator::Div => tensors::div(x, y),
            Operator::Rem => tensors::rem(x, y),
        }
    }

    #[track_caller]
    fn with_right<D: Device, G: GradMode>(
        operator: Operator,
        x: &Tensor<D, G, T>,
        number: f64,
    ) -> Result<Tensor<D, G, T>> {
        match operator {
            Operator::Add => right::add(x, number),
            Operator::Sub => right::sub(x, number),
            Operator::Mul => right::mul(x, number),
            Operator::Div => right::div(x, number),
            Operator::Rem => right::rem(x, number),
        }
    }

    #[track_caller]
    fn with_left<D: Device, G: GradMode>(
        operator: Operator,
        number: f64,
        x: &Tensor<D, G, T>,
    ) -> Result<Tensor<D, G, T>> {
        match operator {
            Operator::Add => right::add(x, number),
            Operator::Sub => left::sub(x, number),
            Operator::Mul => right::mul(x, number),
            Operator::Div => left::div(x, number),
            Operator::Rem => left::rem(x, number),
        }
    }

    #[track_caller]
    fn negate<D: Device, G: GradMode>(x: &Tensor<D, G, T>) -> Result<Tensor<D, G, T>> {
        tensors::neg(x)
    }
}

#[expect(private_interfaces, reason = "called here alone")]
#[diagnostic::do_not_recommend]
impl Arithmetic for i64 {
    type Number = i64;

    fn number(integer: i64) -> i64 {
        integer
    }

    #[track_caller]
    fn operate<D: Device, G: GradMode + Join<H>, H: GradMode>(
        operator: Operator,
        x: &Tensor<D, G, i64>,
        y: &Tensor<D, H, i64>,
    ) -> Result<Tensor<D, <G as Join<H>>::Out, i64>> {
        let (x, y) = (&x.detach(), &y.detach());
        let result = match operator {
            Operator::Add => integers::add(x, y),
            Operator::Sub => integers::sub(x, y),
            Operator::Mul => integers::mul(x, y),
            Operator::Div => integers::div(x, y),
            Operator::Rem => integers::rem(x, y),
        };
        // No integer tensor is tracked, so the mode of the result is that of both.
        result.map(|result| Tensor::from_raw(result.raw))
    }

    #[track_caller]
    fn with_right<D: Device, G: GradMode>(
        operator: Operator,
        x: &Tensor<D, G, i64>,
        number: i64,
    ) -> Result<Tensor<D, G, i64>> {
        let x = &x.detach();
        let result = match operator {
            Operator::Add => right_integer::add(x, number),
            Operator::Sub => right_integer::sub(x, number),
            Operator::Mul => right_integer::mul(x, number),
            Operator::Div => right_integer::div(x, number),
            Operator::Rem => right_integer::rem(x, number),
        };
        result.map(|result| Tensor::from_raw(result.raw))
    }

    #[track_caller]
    fn with_left<D: Device, G: GradMode>(
        operator: Operator,
        number: i64,
        x: &Tensor<D, G, i64>,
    ) -> Result<Tensor<D, G, i64>> {
        let x = &x.detach();
        let result = match operator {
            Operator::Add => right_integer::add(x, number),
            Operator::Sub => left_integer::sub(x, number),
            Operator::Mul => right_integer::mul(x, number),
            Operator::Div => left_integer::div(x, number),
            Operator::Rem => left_integer::rem(x, number),
        };
        result.map(|result| Tensor::from_raw(result.raw))
    }

    #[track_caller]
    fn negate<D: Device, G: GradMode>(x: &Tensor<D, G, i64>) -> Result<Tensor<D, G, i64>> {
        integers::neg(&x.detach()).map(|result| Tensor::from_raw(result.raw))
    }
}

/// The operator on operands whose shapes can be broadcast together.
#[track_caller]
fn apply<D, G, T, E, H, U>(
    operator: Operator,
    x: &Tensor<D, G, T>,
    y: &Tensor<E, H, U>,
) -> Result<Tensor<D, <G as Join<H>>::Out, T>>
where
    D: Device,
    G: GradMode + Join<H>,
    T: Element,
    E: SameDevice<D>,
    H: GradMode,
    U: SameElement<T> + Arithmetic,
{
    // `SameElement` says that `U` is `T`.
    let result = if x.shape() == y.shape() {
        U::operate::<D, G, H>(operator, identical(x), identical(y))
    } else {
        let (x, y) = meet(operator.name(), x, y)?;
        U::operate::<D, G, H>(operator, identical(&x), identical(&y))
    };
    result.map(|result| Tensor::from_raw(result.raw))
}

/// One operator between two tensors, by value or by reference, or between a tensor and a fallible one.
///
/// The right side's element is the one that must have arithmetic: rustc reports a bound on the left side in its own words.
macro_rules! between_tensors {
    ($trait:ident $method:ident: $($lhs:ty, $rhs:ty, |$x:ident, $y:ident| $value:expr;)*) => {$(
        impl<D, G, T, E, H, U> $trait<$rhs> for $lhs
        where
            D: Device,
            G: GradMode + Join<H>,
            T: Element,
            E: SameDevice<D>,
            H: GradMode,
            U: SameElement<T> + Arithmetic,
        {
            type Output = Result<Tensor<D, <G as Join<H>>::Out, T>>;

            #[track_caller]
            fn $method(self, other: $rhs) -> Self::Output {
                let ($x, $y) = (self, other);
                $value
            }
        }
    )*};
}

/// One operator between a tensor and a number on either side.
macro_rules! beside_number {
    ($trait:ident $method:ident: $($tensor:ty, $number:ty, $bound:ident, |$x:ident| $value:expr;)*) => {$(
        impl<D: Device, G: GradMode, T: $bound> $trait<$number> for $tensor {
            type Output = Result<Tensor<D, G, T>>;

            #[track_caller]
            fn $method(self, $x: $number) -> Self::Output {
                T::with_right(Operator::$trait, &self, $value)
            }
        }

        impl<D: Device, G: GradMode, T: $bound> $trait<$tensor> for $number {
            type Output = Result<Tensor<D, G, T>>;

            #[track_caller]
            fn $method(self, tensor: $tensor) -> Self::Output {
                let $x = self;
                T::with_left(Operator::$trait, $value, &tensor)
            }
        }
    )*};
}

macro_rules! operators {
    ($($trait:ident $method:ident;)*) => {$(
        between_tensors! { $trait $method:
            &Tensor<D, G, T>, &Tensor<E, H, U>, |x, y| apply(Operator::$trait, x, y);
            &Tensor<D, G, T>, Tensor<E, H, U>, |x, y| apply(Operator::$trait, x, &y);
            Tensor<D, G, T>, &Tensor<E, H, U>, |x, y| apply(Operator::$trait, &x, y);
            Tensor<D, G, T>, Tensor<E, H, U>, |x, y| apply(Operator::$trait, &x, &y);
            Result<Tensor<D, G, T>>, &Tensor<E, H, U>, |x, y| apply(Operator::$trait, &x?, y);
            Result<Tensor<D, G, T>>, Tensor<E, H, U>, |x, y| apply(Operator::$trait, &x?, &y);
            &Tensor<D, G, T>, Result<Tensor<E, H, U>>, |x, y| apply(Operator::$trait, x, &y?);
            Tensor<D, G, T>, Result<Tensor<E, H, U>>, |x, y| apply(Operator::$trait, &x, &y?);
        }
        beside_number! { $trait $method:
            &Tensor<D, G, T>, f64, Float, |number| number;
            Tensor<D, G, T>, f64, Float, |number| number;
            &Tensor<D, G, T>, i64, Arithmetic, |number| T::number(number);
            Tensor<D, G, T>, i64, Arithmetic, |number| T::number(number);
        }
    )*};
}

operators! {
    Add add;
    Sub sub;
    Mul mul;
    Div div;
    Rem rem;
}

impl<D: Device, G: GradMode, T: Arithmetic> Neg for &Tensor<D, G, T> {
    type Output = Result<Tensor<D, G, T>>;

    #[track_caller]
    fn neg(self) -> Self::Output {
        T::negate(self)
    }
}

impl<D: Device, G: GradMode, T: Arithmetic> Neg for Tensor<D, G, T> {
    type Output = Result<Tensor<D, G, T>>;

    #[track_caller]
    fn neg(self) -> Self::Output {
        T::negate(&self)
    }
}
