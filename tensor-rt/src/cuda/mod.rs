//! What is particular to CUDA devices.
//!
//! [`version`] has the versions that everything depends on; [`compile`] turns CUDA C into code that a device loads.

#[allow(dead_code, reason = "the engine that loads what is compiled is still to come")]
pub(crate) mod compile;
#[forbid(unsafe_code)]
pub(crate) mod version;

use std::sync::OnceLock;

/// True if `TENSOR_LAUNCH_BLOCKING` asks that every launch waits for its end, so that errors return at the call.
#[allow(dead_code, reason = "the engine that launches is still to come")]
pub(crate) fn launch_blocking() -> bool {
    static ASKED: OnceLock<bool> = OnceLock::new();
    *ASKED.get_or_init(|| std::env::var_os("TENSOR_LAUNCH_BLOCKING").is_some_and(|value| value != "" && value != "0"))
}
