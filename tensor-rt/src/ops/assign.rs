//! The operators `+= -= *= /= %=`, in place.
//!
//! Rust gives them no result, so they **panic** where the fallible form would fail: shapes that cannot be repeated to the
//! left side's, or no memory for a copy on write. They exist for untracked tensors and for writable views only.

use std::ops::{AddAssign, DivAssign, MulAssign, RemAssign, SubAssign};

use super::arithmetic::{Arithmetic, Operator};
use super::broadcast::{repeat, same};
use crate::device::Device;
use crate::element::{Element, Float};
use crate::error::{Origin, Result};
use crate::mode::{GradMode, NoGrad};
use crate::relation::{InPlace, SameDevice, SameElement, UntrackedBesideEdit};
use crate::tensor::{Tensor, TensorMut};
use crate::tensor_fn;

mod tensors {
    use super::tensor_fn;

    tensor_fn! {
        pub(super) fn add_assign(y: &mut Tensor[..], x: &Tensor[..]) { y += x; }
        pub(super) fn sub_assign(y: &mut Tensor[..], x: &Tensor[..]) { y -= x; }
        pub(super) fn mul_assign(y: &mut Tensor[..], x: &Tensor[..]) { y *= x; }
        pub(super) fn div_assign(y: &mut Tensor[..], x: &Tensor[..]) { y /= x; }
        pub(super) fn rem_assign(y: &mut Tensor[..], x: &Tensor[..]) { y = y % x; }
    }
}

mod numbers {
    use super::tensor_fn;

    tensor_fn! {
        pub(super) fn add_assign(y: &mut Tensor[..], c: float) { y += c; }
        pub(super) fn sub_assign(y: &mut Tensor[..], c: float) { y -= c; }
        pub(super) fn mul_assign(y: &mut Tensor[..], c: float) { y *= c; }
        pub(super) fn div_assign(y: &mut Tensor[..], c: float) { y /= c; }
        pub(super) fn rem_assign(y: &mut Tensor[..], c: float) { y = y % c; }
    }
}

mod integers {
    use super::tensor_fn;

    tensor_fn! {
        pub(super) fn add_assign(y: &mut Tensor<i64>[..], x: &Tensor<i64>[..]) { y += x; }
        pub(super) fn sub_assign(y: &mut Tensor<i64>[..], x: &Tensor<i64>[..]) { y -= x; }
        pub(super) fn mul_assign(y: &mut Tensor<i64>[..], x: &Tensor<i64>[..]) { y *= x; }
        pub(super) fn div_assign(y: &mut Tensor<i64>[..], x: &Tensor<i64>[..]) { y /= x; }
        pub(super) fn rem_assign(y: &mut Tensor<i64>[..], x: &Tensor<i64>[..]) { y = y % x; }
    }
}

mod integer {
    use super::tensor_fn;

    tensor_fn! {
        pub(super) fn add_assign(y: &mut Tensor<i64>[..], c: i64) { y += c; }
        pub(super) fn sub_assign(y: &mut Tensor<i64>[..], c: i64) { y -= c; }
        pub(super) fn mul_assign(y: &mut Tensor<i64>[..], c: i64) { y *= c; }
        pub(super) fn div_assign(y: &mut Tensor<i64>[..], c: i64) { y /= c; }
        pub(super) fn rem_assign(y: &mut Tensor<i64>[..], c: i64) { y = y % c; }
    }
}

/// An element that the operators edit: every float element, and `i64`.
#[diagnostic::on_unimplemented(
    message = "tensors of `{Self}` have no arithmetic",
    label = "expected a float element or `i64`",
    note = "convert first: `t.to_element::<i64>()?`"
)]
pub trait Assigned: Arithmetic {
    #[doc(hidden)]
    #[expect(private_interfaces, reason = "called here alone")]
    fn assign<P: InPlace<Element = Self>>(
        operator: Operator,
        place: &mut P,
        x: &Tensor<P::Device, NoGrad, Self>,
    ) -> Result<()>;

    #[doc(hidden)]
    #[expect(private_interfaces, reason = "called here alone")]
    fn assign_number<P: InPlace<Element = Self>>(operator: Operator, place: &mut P, number: Self::Number)
    -> Result<()>;
}

#[expect(private_interfaces, reason = "called here alone")]
impl<T: Float> Assigned for T {
    #[track_caller]
    fn assign<P: InPlace<Element = T>>(
        operator: Operator,
        place: &mut P,
        x: &Tensor<P::Device, NoGrad, T>,
    ) -> Result<()> {
        match operator {
            Operator::Add => tensors::add_assign(place, x),
            Operator::Sub => tensors::sub_assign(place, x),
            Operator::Mul => tensors::mul_assign(place, x),
            Operator::Div => tensors::div_assign(place, x),
            Operator::Rem => tensors::rem_assign(place, x),
        }
    }

    #[track_caller]
    fn assign_number<P: InPlace<Element = T>>(operator: Operator, place: &mut P, number: f64) -> Result<()> {
        match operator {
            Operator::Add => numbers::add_assign(place, number),
            Operator::Sub => numbers::sub_assign(place, number),
            Operator::Mul => numbers::mul_assign(place, number),
            Operator::Div => numbers::div_assign(place, number),
            Operator::Rem => numbers::rem_assign(place, number),
        }
    }
}

#[expect(private_interfaces, reason = "called here alone")]
impl Assigned for i64 {
    #[track_caller]
    fn assign<P: InPlace<Element = i64>>(
        operator: Operator,
        place: &mut P,
        x: &Tensor<P::Device, NoGrad, i64>,
    ) -> Result<()> {
        match operator {
            Operator::Add => integers::add_assign(place, x),
            Operator::Sub => integers::sub_assign(place, x),
            Operator::Mul => integers::mul_assign(place, x),
            Operator::Div => integers::div_assign(place, x),
            Operator::Rem => integers::rem_assign(place, x),
        }
    }

    #[track_caller]
    fn assign_number<P: InPlace<Element = i64>>(operator: Operator, place: &mut P, number: i64) -> Result<()> {
        match operator {
            Operator::Add => integer::add_assign(place, number),
            Operator::Sub => integer::sub_assign(place, number),
            Operator::Mul => integer::mul_assign(place, number),
            Operator::Div => integer::div_assign(place, number),
            Operator::Rem => integer::rem_assign(place, number),
        }
    }
}

/// The mode of a tensor that can be edited in place.
#[diagnostic::on_unimplemented(
    message = "a tracked tensor cannot be edited in place: its mode is `{Self}`",
    label = "the edit would change what the graph has saved",
    note = "make a new value, `let x = (x + y)?`, or edit a value of its own: `x.detach()`"
)]
pub trait Editable: GradMode {}

#[diagnostic::do_not_recommend]
impl Editable for NoGrad {}

/// What may stand on the right when a tensor of mode `G` is edited: the mode of an untracked tensor, or a number. It is a
/// bound on the right side because rustc reports one on the left side in its own words.
#[diagnostic::on_unimplemented(
    message = "a tracked tensor cannot be edited in place: its mode is `{G}`",
    label = "the edit would change what the graph has saved",
    note = "make a new value, `let x = (x + y)?`, or edit a value of its own: `x.detach()`"
)]
pub trait Edits<G: GradMode> {}

impl<G: Editable, H: UntrackedBesideEdit> Edits<G> for H {}
impl<G: Editable> Edits<G> for f64 {}
impl<G: Editable> Edits<G> for i64 {}

/// The whole of a tensor as a place, its storage made unique. Panics at the operator if that fails.
#[track_caller]
fn place<'a, D: Device, G: GradMode, T: Element>(
    tensor: &'a mut Tensor<D, G, T>,
    op: &'static str,
) -> TensorMut<'a, D, T> {
    match tensor.raw.exclusive(false, Origin::of(op)) {
        Ok(place) => TensorMut::of(place),
        Err(error) => panic!("{error}"),
    }
}

/// Panics with the error, at the operator.
#[track_caller]
fn expect(result: Result<()>) {
    if let Err(error) = result {
        panic!("{error}");
    }
}

macro_rules! assign_operators {
    ($($trait:ident $method:ident $operator:ident;)*) => {$(
        impl<D, G, T, E, H, U> $trait<&Tensor<E, H, U>> for Tensor<D, G, T>
        where
            D: Device,
            G: GradMode,
            T: Assigned,
            E: SameDevice<D>,
            H: GradMode + Edits<G>,
            U: SameElement<T>,
        {
            /// # Panics
            /// If the shape of `other` cannot be repeated to this one's, or memory runs out.
            #[track_caller]
            fn $method(&mut self, other: &Tensor<E, H, U>) {
                place(self, stringify!($method)).$method(&other.detach());
            }
        }

        impl<D, G, T, E, H, U> $trait<Tensor<E, H, U>> for Tensor<D, G, T>
        where
            D: Device,
            G: GradMode,
            T: Assigned,
            E: SameDevice<D>,
            H: GradMode + Edits<G>,
            U: SameElement<T>,
        {
            /// # Panics
            /// If the shape of `other` cannot be repeated to this one's, or memory runs out.
            #[track_caller]
            fn $method(&mut self, other: Tensor<E, H, U>) {
                <Self as $trait<&Tensor<E, H, U>>>::$method(self, &other);
            }
        }

        impl<D, E, H, T, U> $trait<&Tensor<E, H, U>> for TensorMut<'_, D, T>
        where
            D: Device,
            T: Assigned,
            E: SameDevice<D>,
            H: UntrackedBesideEdit,
            U: SameElement<T>,
        {
            /// # Panics
            /// If the shape of `other` cannot be repeated to this one's, or memory runs out.
            #[track_caller]
            fn $method(&mut self, other: &Tensor<E, H, U>) {
                let other = same::<D, H, T, E, U>(other).detach();
                let other = repeat(&other, self.shape());
                expect(other.and_then(|other| T::assign(Operator::$operator, self, &other)));
            }
        }

        assign_operators! { @number $trait $method $operator, f64, Float, |number| number }
        assign_operators! { @number $trait $method $operator, i64, Assigned, |number| T::number(number) }
    )*};
    (@number $trait:ident $method:ident $operator:ident, $number:ty, $bound:ident, |$x:ident| $value:expr) => {
        impl<D, G, T> $trait<$number> for Tensor<D, G, T>
        where
            D: Device,
            G: GradMode,
            T: $bound,
            $number: Edits<G>,
        {
            /// # Panics
            /// If memory runs out.
            #[track_caller]
            fn $method(&mut self, number: $number) {
                place(self, stringify!($method)).$method(number);
            }
        }

        impl<D: Device, T: $bound> $trait<$number> for TensorMut<'_, D, T> {
            /// # Panics
            /// If memory runs out.
            #[track_caller]
            fn $method(&mut self, number: $number) {
                let $x = number;
                expect(T::assign_number(Operator::$operator, self, $value));
            }
        }
    };
}

assign_operators! {
    AddAssign add_assign Add;
    SubAssign sub_assign Sub;
    MulAssign mul_assign Mul;
    DivAssign div_assign Div;
    RemAssign rem_assign Rem;
}
