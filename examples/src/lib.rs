//! Support for the example programs: the digits data set, seeded shuffling, and the reports of a training run.
//!
//! Nothing here knows about gradients or kernels; those stand in the programs themselves, where a reader looks for them.

#![forbid(unsafe_code)]

pub mod confusion;
pub mod curve;
pub mod digits;
pub mod measure;
pub mod shuffle;
pub mod trap;
