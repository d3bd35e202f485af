//! A simulated CUDA driver: device memory with exact bounds, and an interpreter of PTX.
//!
//! A program that would run on a device is compiled by the real NVRTC to PTX; this crate executes that text one warp
//! at a time, and reports what a device would do silently: an access outside its allocation, a use after free, a read
//! of memory nobody wrote, a race, a deadlock, each with kernel, thread, PTX line and source line.

mod api;
pub mod client;
mod code;
mod decode;
mod driver;
pub mod exec;
pub mod fault;
mod library;
pub mod memory;
pub mod module;
mod numeric;
mod ptx;

pub use driver::{
    code::Code,
    config::Knob,
    report::{Category, KernelCost},
};
