//! Arithmetic that Rust does not have: halves, directed rounding, and the device's approximate functions.
//!
//! Everything here is total and, where kernels use it in their inner loops, free of branches, so that the loops of
//! [`crate::exec::lanes`] vectorise.

pub(crate) mod approx;
pub(crate) mod half;
pub(crate) mod round;
