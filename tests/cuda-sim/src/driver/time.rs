//! Virtual time: how long operations would take on a device, roughly, and the same on every run.
//!
//! An operation begins when those before it have ended and the host has enqueued it, and streams overlap. Kernels are
//! charged by their instructions, copies by their bytes; caches, memory traffic of kernels and contention are not
//! modeled. So times between events are ordered and overlap as on a device, but their sizes mean little.

use std::sync::{Arc, OnceLock};

use super::device::MULTIPROCESSORS;

/// Microseconds since the start of the driver.
pub(crate) type Time = f64;

/// When an operation ended; empty until it has run.
pub(crate) type Reached = Arc<OnceLock<Time>>;

/// What one more call costs the host.
pub(crate) const CALL: Time = 1.0;
/// What the device needs to begin anything.
const START: Time = 2.0;
/// Warp instructions of one multiprocessor in a microsecond: four schedulers at 1.4 GHz.
const INSTRUCTIONS: f64 = 5600.0;
/// Bytes in a microsecond between host and device.
const HOST_BYTES: f64 = 25_000.0;
/// Bytes in a microsecond within a device.
const DEVICE_BYTES: f64 = 1_500_000.0;

/// A kernel, which occupies as many multiprocessors as it has blocks.
pub(crate) fn of_kernel(warp_instructions: u64, blocks: u64) -> Time {
    START + warp_instructions as f64 / (blocks.clamp(1, u64::from(MULTIPROCESSORS)) as f64 * INSTRUCTIONS)
}

/// A copy between host and device, or between devices.
pub(crate) fn of_host_copy(bytes: usize) -> Time {
    START + bytes as f64 / HOST_BYTES
}

/// A copy or a fill within a device.
pub(crate) fn of_device_copy(bytes: usize) -> Time {
    START + bytes as f64 / DEVICE_BYTES
}
