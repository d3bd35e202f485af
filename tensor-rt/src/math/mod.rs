//! Elementary functions that vectorise, for `f32` ([`single`]) and `f64` ([`double`]), and the conversions of the two
//! half-precision elements ([`half`]).
//!
//! Random numbers are in [`random`].
//!
//! Every function is `#[inline(always)]`, generic over the instruction set, and straight-line: both sides of a choice
//! are evaluated and one is selected, so that a loop over a slice becomes a vector loop. Polynomials use a fused
//! multiply-add where the instruction set has one; nothing else does.
//!
//! Coefficients are Chebyshev interpolants, which are within a small factor of the minimax polynomial, computed with 60
//! digits for the intervals that each function states, converted to monomials and rounded to the type. They stand highest
//! power first.
//!
//! Functions in `f32` that need more than `f32` inside (`sin`, `powf`, `erfc`, ...) compute in `f64` (module [`wide`]).
//! The largest errors, in units in the last place, are asserted in `accuracy`:
//!
//! | function (`f32`) | ulp |
//! |---|---|
//! | `sqrt abs sign floor ceil round trunc rem fma` | exact rounding |
//! | `sin cos tan asin acos atan atan2 cbrt log10 powf powi erfc` | 1 |
//! | `exp exp2 ln log1p rsqrt` | 1.5 |
//! | `log2 expm1 tanh sinh cosh erf` | 2 |
//! | `sigmoid softplus` | 3 |
//!
//! In `f64` own functions are within 3 ulp (`erf`, `erfc`: 6); `sin cos tan asin acos atan atan2 cbrt log10 powf powi rem`
//! are the standard library's there, and do not vectorise.

/// A polynomial, highest power first: `horner!(I, x; c2, c1, c0)`.
macro_rules! horner {
    ($isa:ty, $x:expr; $first:expr $(, $rest:expr)* $(,)?) => {{
        let x = $x;
        let sum = $first;
        $(let sum = $crate::isa::mul_add::<$isa, _>(sum, x, $rest);)*
        sum
    }};
}

#[cfg(test)]
mod accuracy;
pub(crate) mod double;
pub(crate) mod half;
mod quadrant;
pub(crate) mod random;
pub(crate) mod single;
mod wide;
