//! Comparisons: masks of `bool`.
//!
//! A mask has no gradient, so tracked tensors are compared like untracked ones. NaN is not equal to anything, and neither
//! less nor greater.

use super::broadcast::meet;
use crate::device::Device;
use crate::element::{Element, Float};
use crate::error::Result;
use crate::mode::{GradMode, NoGrad};
use crate::relation::{SameDevice, SameElement};
use crate::tensor::Tensor;
use crate::tensor_fn;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Comparison {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

mod tensors {
    use super::tensor_fn;

    tensor_fn! {
        pub(super) fn eq(x: &Tensor[..], y: &Tensor[..]) -> Tensor<bool>[..] { x == y }
        pub(super) fn ne(x: &Tensor[..], y: &Tensor[..]) -> Tensor<bool>[..] { x != y }
        pub(super) fn lt(x: &Tensor[..], y: &Tensor[..]) -> Tensor<bool>[..] { x < y }
        pub(super) fn le(x: &Tensor[..], y: &Tensor[..]) -> Tensor<bool>[..] { x <= y }
    }
}

mod numbers {
    use super::tensor_fn;

    tensor_fn! {
        pub(super) fn eq(x: &Tensor[..], c: float) -> Tensor<bool>[..] { x == c }
        pub(super) fn ne(x: &Tensor[..], c: float) -> Tensor<bool>[..] { x != c }
        pub(super) fn lt(x: &Tensor[..], c: float) -> Tensor<bool>[..] { x < c }
        pub(super) fn le(x: &Tensor[..], c: float) -> Tensor<bool>[..] { x <= c }
        pub(super) fn gt(x: &Tensor[..], c: float) -> Tensor<bool>[..] { x > c }
        pub(super) fn ge(x: &Tensor[..], c: float) -> Tensor<bool>[..] { x >= c }
    }
}

mod integers {
    use super::tensor_fn;

    tensor_fn! {
        pub(super) fn eq(x: &Tensor<i64>[..], y: &Tensor<i64>[..]) -> Tensor<bool>[..] { x == y }
        pub(super) fn ne(x: &Tensor<i64>[..], y: &Tensor<i64>[..]) -> Tensor<bool>[..] { x != y }
        pub(super) fn lt(x: &Tensor<i64>[..], y: &Tensor<i64>[..]) -> Tensor<bool>[..] { x < y }
        pub(super) fn le(x: &Tensor<i64>[..], y: &Tensor<i64>[..]) -> Tensor<bool>[..] { x <= y }
    }
}

mod integer {
    use super::tensor_fn;

    tensor_fn! {
        pub(super) fn eq(x: &Tensor<i64>[..], c: i64) -> Tensor<bool>[..] { x == c }
        pub(super) fn ne(x: &Tensor<i64>[..], c: i64) -> Tensor<bool>[..] { x != c }
        pub(super) fn lt(x: &Tensor<i64>[..], c: i64) -> Tensor<bool>[..] { x < c }
        pub(super) fn le(x: &Tensor<i64>[..], c: i64) -> Tensor<bool>[..] { x <= c }
        pub(super) fn gt(x: &Tensor<i64>[..], c: i64) -> Tensor<bool>[..] { x > c }
        pub(super) fn ge(x: &Tensor<i64>[..], c: i64) -> Tensor<bool>[..] { x >= c }
    }
}

type Untracked<D, T> = Tensor<D, NoGrad, T>;
type Mask<D> = Tensor<D, NoGrad, bool>;

/// An element that can be compared: every float element, and `i64`.
#[diagnostic::on_unimplemented(
    message = "tensors of `{Self}` cannot be compared",
    label = "expected a float element or `i64`",
    note = "convert first: `t.to_element::<i64>()?`"
)]
pub trait Compared: Element {
    #[doc(hidden)]
    #[expect(private_interfaces, reason = "called here alone")]
    fn compare<D: Device>(comparison: Comparison, x: &Untracked<D, Self>, y: &Untracked<D, Self>) -> Result<Mask<D>>;

    /// With an integer, which a float element compares as a float.
    #[doc(hidden)]
    #[expect(private_interfaces, reason = "called here alone")]
    fn compare_integer<D: Device>(comparison: Comparison, x: &Untracked<D, Self>, y: i64) -> Result<Mask<D>>;
}

#[expect(private_interfaces, reason = "called here alone")]
impl<T: Float> Compared for T {
    #[track_caller]
    fn compare<D: Device>(comparison: Comparison, x: &Untracked<D, T>, y: &Untracked<D, T>) -> Result<Mask<D>> {
        match comparison {
            Comparison::Eq => tensors::eq(x, y),
            Comparison::Ne => tensors::ne(x, y),
            Comparison::Lt => tensors::lt(x, y),
            Comparison::Le => tensors::le(x, y),
            Comparison::Gt => tensors::lt(y, x),
            Comparison::Ge => tensors::le(y, x),
        }
    }

    #[track_caller]
    fn compare_integer<D: Device>(comparison: Comparison, x: &Untracked<D, T>, y: i64) -> Result<Mask<D>> {
        compare_number(comparison, x, y as f64)
    }
}

#[track_caller]
fn compare_number<D: Device, T: Float>(comparison: Comparison, x: &Untracked<D, T>, y: f64) -> Result<Mask<D>> {
    match comparison {
        Comparison::Eq => numbers::eq(x, y),
        Comparison::Ne => numbers::ne(x, y),
        Comparison::Lt => numbers::lt(x, y),
        Comparison::Le => numbers::le(x, y),
        Comparison::Gt => numbers::gt(x, y),
        Comparison::Ge => numbers::ge(x, y),
    }
}

#[expect(private_interfaces, reason = "called here alone")]
impl Compared for i64 {
    #[track_caller]
    fn compare<D: Device>(comparison: Comparison, x: &Untracked<D, i64>, y: &Untracked<D, i64>) -> Result<Mask<D>> {
        match comparison {
            Comparison::Eq => integers::eq(x, y),
            Comparison::Ne => integers::ne(x, y),
            Comparison::Lt => integers::lt(x, y),
            Comparison::Le => integers::le(x, y),
            Comparison::Gt => integers::lt(y, x),
            Comparison::Ge => integers::le(y, x),
        }
    }

    #[track_caller]
    fn compare_integer<D: Device>(comparison: Comparison, x: &Untracked<D, i64>, y: i64) -> Result<Mask<D>> {
        match comparison {
            Comparison::Eq => integer::eq(x, y),
            Comparison::Ne => integer::ne(x, y),
            Comparison::Lt => integer::lt(x, y),
            Comparison::Le => integer::le(x, y),
            Comparison::Gt => integer::gt(x, y),
            Comparison::Ge => integer::ge(x, y),
        }
    }
}

/// What a tensor is compared with: a tensor whose shape can be broadcast with its, or a number.
#[diagnostic::on_unimplemented(
    message = "a tensor of `{T}` on `{D}` cannot be compared with `{Self}`",
    label = "expected a reference to a tensor, or a number",
    note = "both tensors must be on one device and of one element"
)]
pub trait Comparand<D: Device, T: Compared> {
    #[doc(hidden)]
    #[expect(private_interfaces, reason = "called here alone")]
    fn compare(self, comparison: Comparison, x: &Untracked<D, T>) -> Result<Mask<D>>;
}

#[expect(private_interfaces, reason = "called here alone")]
impl<D: Device, T: Compared, E: SameDevice<D>, H: GradMode, U: SameElement<T>> Comparand<D, T> for &Tensor<E, H, U> {
    #[track_caller]
    fn compare(self, comparison: Comparison, x: &Untracked<D, T>) -> Result<Mask<D>> {
        let (x, y) = meet(comparison.name(), x, &self.detach())?;
        T::compare(comparison, &x, &y)
    }
}

#[expect(private_interfaces, reason = "called here alone")]
impl<D: Device, T: Float> Comparand<D, T> for f64 {
    #[track_caller]
    fn compare(self, comparison: Comparison, x: &Untracked<D, T>) -> Result<Mask<D>> {
        compare_number(comparison, x, self)
    }
}

#[expect(private_interfaces, reason = "called here alone")]
impl<D: Device, T: Compared> Comparand<D, T> for i64 {
    #[track_caller]
    fn compare(self, comparison: Comparison, x: &Untracked<D, T>) -> Result<Mask<D>> {
        T::compare_integer(comparison, x, self)
    }
}

impl Comparison {
    fn name(self) -> &'static str {
        match self {
            Comparison::Eq => "eq",
            Comparison::Ne => "ne",
            Comparison::Lt => "lt",
            Comparison::Le => "le",
            Comparison::Gt => "gt",
            Comparison::Ge => "ge",
        }
    }
}

// Written out: an error that quotes a bound inside a macro quotes the macro too.
impl<D: Device, G: GradMode, T: Compared> Tensor<D, G, T> {
    /// `self == other`, elementwise, with a tensor or a number.
    ///
    /// # Errors
    /// Fails if the shapes cannot be broadcast together, or the device is out of memory.
    #[track_caller]
    pub fn eq(&self, other: impl Comparand<D, T>) -> Result<Tensor<D, NoGrad, bool>> {
        other.compare(Comparison::Eq, &self.detach())
    }

    /// `self != other`, elementwise, with a tensor or a number.
    ///
    /// # Errors
    /// Fails if the shapes cannot be broadcast together, or the device is out of memory.
    #[track_caller]
    pub fn ne(&self, other: impl Comparand<D, T>) -> Result<Tensor<D, NoGrad, bool>> {
        other.compare(Comparison::Ne, &self.detach())
    }

    /// `self < other`, elementwise, with a tensor or a number.
    ///
    /// # Errors
    /// Fails if the shapes cannot be broadcast together, or the device is out of memory.
    #[track_caller]
    pub fn lt(&self, other: impl Comparand<D, T>) -> Result<Tensor<D, NoGrad, bool>> {
        other.compare(Comparison::Lt, &self.detach())
    }

    /// `self <= other`, elementwise, with a tensor or a number.
    ///
    /// # Errors
    /// Fails if the shapes cannot be broadcast together, or the device is out of memory.
    #[track_caller]
    pub fn le(&self, other: impl Comparand<D, T>) -> Result<Tensor<D, NoGrad, bool>> {
        other.compare(Comparison::Le, &self.detach())
    }

    /// `self > other`, elementwise, with a tensor or a number.
    ///
    /// # Errors
    /// Fails if the shapes cannot be broadcast together, or the device is out of memory.
    #[track_caller]
    pub fn gt(&self, other: impl Comparand<D, T>) -> Result<Tensor<D, NoGrad, bool>> {
        other.compare(Comparison::Gt, &self.detach())
    }

    /// `self >= other`, elementwise, with a tensor or a number.
    ///
    /// # Errors
    /// Fails if the shapes cannot be broadcast together, or the device is out of memory.
    #[track_caller]
    pub fn ge(&self, other: impl Comparand<D, T>) -> Result<Tensor<D, NoGrad, bool>> {
        other.compare(Comparison::Ge, &self.detach())
    }
}
