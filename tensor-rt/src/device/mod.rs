//! Devices: where a tensor lives, as a type and as a value.
//!
//! A device is a type, so that operands on two devices do not meet by accident; `cuda:0` and `cuda:1` are two types. Its
//! value is a cheap handle that constructors take. [`DeviceId`] is the same fact at run time, for storage and messages;
//! [`DeviceChoice`] is what a user asked for, and [`with_device!`](crate::with_device) turns it into a type.
//!
//! Invariant: a value of a device type exists only if the device can be used.

mod choice;
mod cuda;

use std::fmt::Debug;

pub use crate::device_id::DeviceId;
#[doc(hidden)]
pub use choice::{Candidate, Selection};
pub use choice::{DeviceChoice, Taken};
pub use cuda::Cuda;

use crate::error::Result;
use crate::home::Home;

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

    /// Where tensors made with this handle are at home.
    #[doc(hidden)]
    fn home(&self) -> Home;

    /// A handle for tensors at a home on this device.
    #[doc(hidden)]
    fn of_home(home: Home) -> Self;
}

/// The host's processor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Cpu;

impl sealed::Sealed for Cpu {}

impl Device for Cpu {
    const ID: DeviceId = DeviceId::Cpu;

    fn open() -> Result<Self> {
        Ok(Cpu)
    }

    fn synchronize(&self) -> Result<()> {
        Ok(())
    }

    fn home(&self) -> Home {
        Home::CPU
    }

    fn of_home(_home: Home) -> Self {
        Cpu
    }
}
