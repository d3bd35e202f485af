//! Which device something is on, as a run-time value: for storage, errors and messages.
//!
//! It stands below [`device`](crate::device), whose types say the same thing at compile time, because errors name devices.

use std::fmt::{Debug, Display};

/// A device, as a run-time value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DeviceId {
    /// The host's processor.
    Cpu,
    /// A CUDA device by ordinal.
    Cuda(usize),
}

impl Display for DeviceId {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            DeviceId::Cpu => out.write_str("cpu"),
            DeviceId::Cuda(ordinal) => write!(out, "cuda:{ordinal}"),
        }
    }
}

impl Debug for DeviceId {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        Display::fmt(self, out)
    }
}
