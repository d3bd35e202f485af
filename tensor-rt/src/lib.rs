//! Typed tensors, kernels with derived gradients, and the engines that run them.

extern crate self as tensor_rt;

pub mod element;
mod engine;
pub mod isa;
pub mod kernel;
mod math;
