//! Tests of the derivative.
