//! What is particular to CUDA devices.
//!
//! [`context`] opens a device, [`stream`] orders what it is given, [`event`] lets streams wait for each other. A
//! [`buffer`] is memory of a device that knows its uses, from a [`pool`]; [`host`] is pinned memory. [`record`] is where
//! kernels report what they find wrong, and [`log`] says which call they belong to. [`driver`] has the functions of the
//! driver, and no other module names the library.
//!
//! Locks are taken in this order: contexts, order of streams, uses of a buffer or state of a pool.

pub(crate) mod buffer;
pub(crate) mod compile;
pub(crate) mod context;
pub(crate) mod copy;
mod driver;
pub(crate) mod event;
#[forbid(unsafe_code)]
pub mod hook;
pub(crate) mod host;
pub(crate) mod launch;
#[forbid(unsafe_code)]
pub(crate) mod log;
pub(crate) mod module;
pub(crate) mod moves;
#[forbid(unsafe_code)]
pub(crate) mod pinned;
pub(crate) mod pool;
pub(crate) mod record;
pub(crate) mod stream;
#[forbid(unsafe_code)]
pub(crate) mod version;
#[forbid(unsafe_code)]
pub(crate) mod waker;

use std::sync::OnceLock;

/// True if `TENSOR_LAUNCH_BLOCKING` asks that every launch waits for its end, so that errors return at the call.
pub(crate) fn launch_blocking() -> bool {
    static ASKED: OnceLock<bool> = OnceLock::new();
    *ASKED.get_or_init(|| {
        std::env::var_os("TENSOR_LAUNCH_BLOCKING").is_some_and(|value| !value.is_empty() && value != "0")
    })
}
