//! Single PTX instructions against Rust, over all pairs of special values.

mod bits;
mod conversions;
mod floats;
mod halves;
mod integers;
mod refusals;
mod run;
