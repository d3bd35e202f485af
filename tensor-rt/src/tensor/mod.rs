//! Tensors.
//!
//! A [`Tensor`] is a value: a handle on a storage that others may share, whose elements no edit through another handle
//! ever changes. Device, gradient mode and element are its type; the shape is a run-time value. [`raw`] is the same thing
//! without types, [`view`] the operations that move elements, [`TensorMut`] a writable view, [`AtomicTensor`] a tensor that
//! many threads accumulate into.
//!
//! Invariants: the raw tensor inside has the device and the element of the type, and a node if and only if the mode is
//! [`Grad`](crate::Grad).

#[forbid(unsafe_code)]
mod atomic;
#[forbid(unsafe_code)]
mod cast;
#[forbid(unsafe_code)]
mod constructors;
mod copy;
#[forbid(unsafe_code)]
mod display;
#[forbid(unsafe_code)]
mod edit;
#[forbid(unsafe_code)]
mod nested;
mod on_device;
mod pending;
mod pinned;
#[forbid(unsafe_code)]
mod random;
pub(crate) mod raw;
#[forbid(unsafe_code)]
mod reading;
#[forbid(unsafe_code)]
pub(crate) mod view;
#[forbid(unsafe_code)]
mod views;

use std::fmt::Debug;
use std::marker::PhantomData;

pub use atomic::AtomicTensor;
pub use edit::TensorMut;
pub use nested::Nested;
pub use pending::Pending;
pub use pinned::PinnedTensor;

use crate::autograd;
use crate::device::{Cpu, Device, DeviceId};
use crate::element::{DType, Element, Float};
use crate::error::{Origin, Result};
use crate::home::Home;
use crate::mode::{Grad, GradMode, NoGrad};
use crate::relation::WithoutGradient;
use crate::shape::Shape;
use raw::Raw;
use view::Movement;

/// An array of elements of type `T` on device `D`, tracked by the graph if `G` is [`Grad`].
///
/// A clone is a cheap handle on the same storage; an edit in place makes its storage its own first, so no handle ever
/// sees an edit made through another one.
pub struct Tensor<D: Device = Cpu, G: GradMode = NoGrad, T: Element = f32> {
    pub(crate) raw: Raw,
    types: PhantomData<(D, G, T)>,
}

impl<D: Device, G: GradMode, T: Element> Tensor<D, G, T> {
    /// A typed handle; checks that the types say what the raw tensor is.
    pub(crate) fn from_raw(raw: Raw) -> Self {
        assert!(
            raw.home().device() == D::ID && raw.dtype() == T::DTYPE && raw.node().is_some() == G::TRACKED,
            "bug in tensor-rt: {raw:?} (tracked: {}) is no {}",
            raw.node().is_some(),
            type_name::<D, G, T>(),
        );
        Tensor { raw, types: PhantomData }
    }

    /// The sizes of the axes, outermost first.
    pub fn shape(&self) -> &Shape {
        self.raw.shape()
    }

    /// The number of axes.
    pub fn rank(&self) -> usize {
        self.raw.shape().rank()
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.raw.elements()
    }

    /// True if there are no elements.
    pub fn is_empty(&self) -> bool {
        self.raw.elements() == 0
    }

    /// The distance in elements between neighbours along each axis; below zero for a reversed axis, 0 for a repeated one.
    pub fn strides(&self) -> &[isize] {
        self.raw.strides()
    }

    /// The element type, as a run-time value.
    pub fn dtype(&self) -> DType {
        T::DTYPE
    }

    /// The device.
    pub fn device(&self) -> D {
        D::of_home(self.raw.home())
    }

    /// The device, as a run-time value.
    pub fn device_id(&self) -> DeviceId {
        D::ID
    }

    /// The same value outside the graph: no gradient passes through it. Shares the storage.
    pub fn detach(&self) -> Tensor<D, NoGrad, T> {
        Tensor::from_raw(self.raw.detached())
    }

    /// The same numbers as another float element; the gradient is converted back.
    ///
    /// # Errors
    /// Fails if the device is out of memory.
    #[track_caller]
    pub fn cast<U: Float>(&self) -> Result<Tensor<D, G, U>> {
        self.raw.moved(Movement::Cast(U::DTYPE), Origin::of("cast")).map(Tensor::from_raw)
    }

    /// The same numbers as any other element, with the meaning of Rust's `as`: floats saturate to integers and NaN
    /// becomes 0, integers wrap, `bool` is `x != 0`.
    ///
    /// # Errors
    /// Fails if the device is out of memory.
    #[track_caller]
    pub fn to_element<U: Element>(&self) -> Result<Tensor<D, NoGrad, U>>
    where
        G: WithoutGradient,
    {
        self.raw.moved(Movement::Cast(U::DTYPE), Origin::of("to_element")).map(Tensor::from_raw)
    }

    /// The same value on another device; on its own device a handle on the same storage.
    ///
    /// # Errors
    /// Fails if that device is out of memory.
    #[track_caller]
    pub fn to<E: Device>(&self, device: &E) -> Result<Tensor<E, G, T>> {
        self.raw.moved(Movement::Transfer(device.home()), Origin::of("to")).map(Tensor::from_raw)
    }

    /// The same value at home on the stream of another handle of its device: kernels whose first tensor it is run there.
    /// Shares the storage; what the other stream does with it waits for what was done so far.
    pub fn on(&self, device: &D) -> Self {
        Tensor { raw: self.raw.clone().at(device.home()), types: PhantomData }
    }

    /// The same value on the host.
    ///
    /// # Errors
    /// Fails if an earlier operation on the device did.
    #[track_caller]
    pub fn to_host(&self) -> Result<Tensor<Cpu, G, T>> {
        self.raw.moved(Movement::Transfer(Home::CPU), Origin::of("to_host")).map(Tensor::from_raw)
    }
}

impl<D: Device, T: Element> Tensor<D, NoGrad, T> {
    /// The same value as a leaf of a new graph: `backward` finds its gradient.
    #[track_caller]
    pub fn requires_grad(self) -> Tensor<D, Grad, T>
    where
        T: Float,
    {
        let leaf = autograd::leaf(T::DTYPE, std::panic::Location::caller());
        Tensor::from_raw(self.raw.with_node(Some(leaf)))
    }
}

impl<D: Device, G: GradMode, T: Element> Clone for Tensor<D, G, T> {
    /// Another handle on the same storage.
    fn clone(&self) -> Self {
        Tensor { raw: self.raw.clone(), types: PhantomData }
    }
}

impl<D: Device, G: GradMode, T: Element> Debug for Tensor<D, G, T> {
    /// Type, shape and device; never data.
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{}{:?} on {}", type_name::<D, G, T>(), self.shape(), D::ID)
    }
}

/// The type as a user writes it.
fn type_name<D: Device, G: GradMode, T: Element>() -> String {
    format!("Tensor<{}, {}, {}>", device_name::<D>(), G::NAME, T::DTYPE)
}

/// The device as a user writes it.
fn device_name<D: Device>() -> String {
    match D::ID {
        DeviceId::Cpu => "Cpu".to_owned(),
        DeviceId::Cuda(0) => "Cuda".to_owned(),
        DeviceId::Cuda(ordinal) => format!("Cuda<{ordinal}>"),
    }
}

const _: () = {
    const fn assert_shared_between_threads<T: Send + Sync>() {}
    assert_shared_between_threads::<Tensor<Cpu, Grad, f32>>();
    assert_shared_between_threads::<Tensor<crate::Cuda, NoGrad, bool>>();
    assert_shared_between_threads::<TensorMut<'static, Cpu, f32>>();
};
