//! Instruction sets as types.
//!
//! A pass body is generic over `I: Isa` and is instantiated once per instruction set, inside a function that carries the
//! matching `#[target_feature]`. The type tells the arithmetic what it may rely on; it enables nothing by itself.
//!
//! Invariant: `FMA` is true only where the instantiating function enables a fused multiply-add, so that
//! `mul_add` is one instruction or two, never a call.

use crate::element::Compute;

mod sealed {
    pub trait Sealed {}
}

/// An instruction set for which pass bodies are instantiated.
pub trait Isa: sealed::Sealed + Copy + Send + Sync + 'static {
    /// True if a fused multiply-add is one instruction.
    const FMA: bool;
    /// The name that `TENSOR_ISA` takes.
    const NAME: &'static str;
}

/// What every processor of the target architecture has (SSE2 on x86-64, NEON on aarch64).
#[derive(Clone, Copy, Debug)]
pub struct Baseline;

/// AVX2 with FMA.
#[derive(Clone, Copy, Debug)]
pub struct Avx2;

/// AVX-512 F, DQ, BW and VL with FMA.
#[derive(Clone, Copy, Debug)]
pub struct Avx512;

/// No fused operation: arithmetic that is the same bits on every instruction set. No pass is instantiated for it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unfused;

impl sealed::Sealed for Baseline {}
impl sealed::Sealed for Avx2 {}
impl sealed::Sealed for Avx512 {}
impl sealed::Sealed for Unfused {}

impl Isa for Baseline {
    const FMA: bool = cfg!(target_arch = "aarch64");
    const NAME: &'static str = "baseline";
}

impl Isa for Avx2 {
    const FMA: bool = true;
    const NAME: &'static str = "avx2";
}

impl Isa for Avx512 {
    const FMA: bool = true;
    const NAME: &'static str = "avx512";
}

impl Isa for Unfused {
    const FMA: bool = false;
    const NAME: &'static str = "unfused";
}

/// `a * b + c` in the fastest way, rounded once or twice. For polynomials whose error bound allows both; a user's own
/// arithmetic is never contracted.
#[inline(always)]
pub(crate) fn mul_add<I: Isa, C: Compute>(a: C, b: C, c: C) -> C {
    if I::FMA { a.fma(b, c) } else { a * b + c }
}
