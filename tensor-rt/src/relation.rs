//! Relations between the types of a call's arguments, each a trait with a sentence of its own.
//!
//! A generic function states a relation as a bound with a parameter of its own (`D1: SameDevice<D>`) instead of using one
//! parameter twice: the compiler then shows our sentence instead of two types that differ somewhere.
//!
//! Invariant: every trait here is sealed, by a sealed supertrait or by its one blanket implementation.

use crate::device::{Cpu, Device};
use crate::element::Element;
use crate::error::{Origin, Result};
use crate::mode::{Grad, GradMode, NoGrad};
use crate::tensor::raw::Exclusive;
use crate::tensor::{Tensor, TensorMut};

/// The same device as `D`.
#[diagnostic::on_unimplemented(
    message = "device mismatch: expected a tensor on `{D}`, found one on `{Self}`",
    label = "this tensor is on `{Self}`",
    note = "nothing is copied behind your back; move one tensor: `t.to(&device)?`"
)]
pub trait SameDevice<D: Device>: Device {}

impl<D: Device> SameDevice<D> for D {}

/// The same element as `T`.
#[diagnostic::on_unimplemented(
    message = "element mismatch: expected a tensor of `{T}`, found one of `{Self}`",
    label = "this tensor holds `{Self}`",
    note = "elements are never converted silently; convert one tensor: `t.to_element::<{T}>()?`, or `t.cast::<{T}>()?` between floats, which keeps the gradient"
)]
pub trait SameElement<T: Element>: Element {}

impl<T: Element> SameElement<T> for T {}

/// The mode of a tensor that records how it was made.
#[diagnostic::on_unimplemented(
    message = "expected a tracked tensor, found an untracked one: its mode is `{Self}`",
    label = "nothing was recorded for this tensor",
    note = "a result is tracked if it is made from `x.requires_grad()` or `param.tracked()`"
)]
pub trait Tracked: GradMode {}

#[diagnostic::do_not_recommend]
impl Tracked for Grad {}

/// A device whose memory the host can read.
#[diagnostic::on_unimplemented(
    message = "the data of a tensor on `{Self}` cannot be read from the host",
    label = "this tensor is on `{Self}`",
    note = "copy it first: `t.to_host()?`"
)]
pub trait HostReadable: Device {}

#[diagnostic::do_not_recommend]
impl HostReadable for Cpu {}

/// The mode of a tensor that is read by a kernel with `&mut` or `&atomic` tensors.
#[diagnostic::on_unimplemented(
    message = "expected an untracked tensor beside an edit in place, found one with mode `{Self}`",
    label = "the edit would lose the gradient of this tensor",
    note = "pass `t.detach()` if no gradient is wanted, or use an operation that returns its result"
)]
pub trait UntrackedBesideEdit: GradMode {}

#[diagnostic::do_not_recommend]
impl UntrackedBesideEdit for NoGrad {}

/// The mode of a tensor that no gradient can reach.
#[diagnostic::on_unimplemented(
    message = "expected an untracked tensor, found one with mode `{Self}`: no gradient passes through here",
    label = "the gradient of this tensor would be lost",
    note = "pass `t.detach()` if no gradient is wanted"
)]
pub trait WithoutGradient: GradMode {}

#[diagnostic::do_not_recommend]
impl WithoutGradient for NoGrad {}

/// A place that can be edited: an untracked tensor, or a writable view of one.
#[diagnostic::on_unimplemented(
    message = "expected a place that can be edited, found `{Self}`",
    label = "cannot be edited in place",
    note = "a tracked tensor is a value of its graph: edit `t.detach()`, or a `Param` through `param.value_mut()`"
)]
pub trait InPlace: sealed::Place {
    /// Where it is.
    type Device: Device;
    /// What it holds.
    type Element: Element;
}

pub(crate) mod sealed {
    use super::{Exclusive, Origin, Result};

    /// Access to the storage of a place.
    pub trait Place {
        /// The place, once writing through it is seen by no other handle: the storage of a tensor is made unique first,
        /// which is a counted copy; a writable view has borrowed a storage that already is.
        fn exclusive(&mut self, origin: Origin) -> Result<Exclusive<'_>>;
    }
}

impl<D: Device, T: Element> InPlace for Tensor<D, NoGrad, T> {
    type Device = D;
    type Element = T;
}

impl<D: Device, T: Element> sealed::Place for Tensor<D, NoGrad, T> {
    fn exclusive(&mut self, origin: Origin) -> Result<Exclusive<'_>> {
        self.raw.exclusive(false, origin)
    }
}

impl<D: Device, T: Element> InPlace for TensorMut<'_, D, T> {
    type Device = D;
    type Element = T;
}

impl<D: Device, T: Element> sealed::Place for TensorMut<'_, D, T> {
    fn exclusive(&mut self, _origin: Origin) -> Result<Exclusive<'_>> {
        Ok(self.place.reborrow())
    }
}
