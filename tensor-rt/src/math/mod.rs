//! Elementary functions that vectorise, for `f32` ([`single`]) and `f64` ([`double`]), and the conversions of the two
//! half-precision elements ([`half`]).

pub(crate) mod double;
pub(crate) mod half;
pub(crate) mod single;
