//! Devices: where a tensor lives, as a type and as a value.
//!
//! A device is a type, so that operands on two devices do not meet by accident; `cuda:0` and `cuda:1` are two types. Its
//! value is a cheap handle that constructors take. [`DeviceId`] is the same fact at run time, for storage and messages;
//! [`DeviceChoice`] is what a user asked for, and [`with_device!`](crate::with_device) turns it into a type.
//!
//! Invariant: a value of a device type exists only if the device can be used. There is no engine for CUDA yet, so there
//! are no values of [`Cuda`].

mod choice;

use std::convert::Infallible;
use std::fmt::Debug;

pub use crate::device_id::DeviceId;
#[doc(hidden)]
pub use choice::{Candidate, Selection};
pub use choice::{DeviceChoice, Taken};

use crate::error::{Error, Result};

mod sealed {
    pub trait Sealed {}
}

/// A device: [`Cpu`] or [`Cuda`].
#[diagnostic::on_unimplemented(
    message = "expected a device, found `{Self}`",
    label = "expected `Cpu` or `Cuda`",
    note = "the parameters of a tensor are device, gradient mode and element: `Tensor<Cpu, NoGrad, f32>`"
)]
pub trait Device: sealed::Sealed + Clone + Debug + Send + Sync + 'static {
    /// The device, as a run-time value.
    const ID: DeviceId;

    /// The device of this handle, as a run-time value.
    fn id(&self) -> DeviceId {
        Self::ID
    }

    /// A handle of the device.
    ///
    /// # Errors
    /// Fails if the device cannot be used.
    fn open() -> Result<Self>;

    /// Waits until all work given to the device is done.
    ///
    /// # Errors
    /// Fails with what went wrong in that work.
    fn synchronize(&self) -> Result<()>;

    /// The handle that a tensor on this device was made with.
    #[doc(hidden)]
    fn of_tensor() -> Self;
}

/// The host's processor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Cpu;

/// A CUDA device; `Cuda` alone is `cuda:0`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Cuda<const ORDINAL: usize = 0> {
    /// There is no value until there is an engine.
    never: Infallible,
}

impl sealed::Sealed for Cpu {}
impl<const ORDINAL: usize> sealed::Sealed for Cuda<ORDINAL> {}

impl Device for Cpu {
    const ID: DeviceId = DeviceId::Cpu;

    fn open() -> Result<Self> {
        Ok(Cpu)
    }

    fn synchronize(&self) -> Result<()> {
        Ok(())
    }

    fn of_tensor() -> Self {
        Cpu
    }
}

impl<const ORDINAL: usize> Device for Cuda<ORDINAL> {
    const ID: DeviceId = DeviceId::Cuda(ORDINAL);

    fn open() -> Result<Self> {
        Err(Error::CudaUnavailable { device: Self::ID, reason: "this build has no CUDA engine" })
    }

    fn synchronize(&self) -> Result<()> {
        match self.never {}
    }

    fn of_tensor() -> Self {
        unreachable!("bug in tensor-rt: a tensor exists on a device without an engine")
    }
}

impl Cuda {
    /// A handle of `cuda:0`; other ordinals are opened by `Cuda::<1>::open()`.
    ///
    /// # Errors
    /// Fails if there is no usable driver or device.
    pub fn new() -> Result<Cuda> {
        Cuda::<0>::open()
    }
}
