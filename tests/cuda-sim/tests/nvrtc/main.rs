//! CUDA C, compiled by every NVRTC at hand for two targets, whose PTX differs, and executed: all must agree.
//!
//! NVRTC is found through `TENSOR_NVRTC` (paths of libraries, separated by colons) or under `target/nvrtc`. Without it
//! nothing is tested, which is said once; on a machine with `CI` set that is a failure.

mod blocks;
mod compiler;
mod device;
mod elementwise;
mod faults;
mod programs;
mod speed;
