//! The arithmetic of a pass, instantiated once per instruction set.
//!
//! Generated code implements [`PassBody`] for one zero-sized type per pass, or [`LineBody`] if the pass reads values that
//! repeat along lines. [`PassFn::of`] instantiates it inside functions that carry the target features, so that the same source becomes SSE2, AVX2 and AVX-512 code. Everything
//! around the body (traversal, staging, reduction) is compiled once and calls it through a pointer, a block at a time.
//!
//! Invariant: an [`InstructionSet`] value exists only if the processor has its features; so a body may be called with it.

use std::marker::PhantomData;

use super::block::Block;
use super::lines::{LineValues, Own, Shared};
#[cfg(target_arch = "x86_64")]
use crate::isa::{Avx2, Avx512};
use crate::isa::{Baseline, Isa};

/// The arithmetic of one pass over one block: safe, straight-line code over slices.
pub trait PassBody {
    /// Evaluates the pass for every point of `block`. Implementations are `#[inline(always)]`.
    fn run<I: Isa>(block: &Block<'_>);
}

/// The arithmetic of a pass that reads values which repeat along lines: written once, and instantiated for blocks made of
/// lines and for others.
pub trait LineBody {
    /// Evaluates the pass for every point of `block`. Implementations are `#[inline(always)]`.
    fn run<I: Isa, L: LineValues>(block: &Block<'_>);
}

/// Runs a [`LineBody`] as the block is made.
struct ByLine<P>(PhantomData<P>);

impl<P: LineBody> PassBody for ByLine<P> {
    #[inline(always)]
    fn run<I: Isa>(block: &Block<'_>) {
        match block.has_lines() {
            true => P::run::<I, Shared>(block),
            false => P::run::<I, Own>(block),
        }
    }
}

/// A pass body for each instruction set.
#[derive(Clone, Copy)]
pub struct PassFn {
    baseline: fn(&Block<'_>),
    #[cfg(target_arch = "x86_64")]
    avx2: unsafe fn(&Block<'_>),
    #[cfg(target_arch = "x86_64")]
    avx512: unsafe fn(&Block<'_>),
}

impl PassFn {
    /// The instantiations of `P`.
    pub const fn of<P: PassBody>() -> Self {
        Self {
            baseline: baseline::<P>,
            #[cfg(target_arch = "x86_64")]
            avx2: avx2::<P>,
            #[cfg(target_arch = "x86_64")]
            avx512: avx512::<P>,
        }
    }

    /// The instantiations of `P`.
    pub const fn of_lines<P: LineBody>() -> Self {
        Self::of::<ByLine<P>>()
    }

    /// Evaluates the pass over `block`.
    #[inline]
    pub(crate) fn call(self, set: InstructionSet, block: &Block<'_>) {
        match set.0 {
            Features::Baseline => (self.baseline)(block),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: an `InstructionSet` exists only if the processor has its features.
            Features::Avx2 => unsafe { (self.avx2)(block) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Features::Avx512 => unsafe { (self.avx512)(block) },
        }
    }
}

#[cfg(test)]
impl PassFn {
    /// Where the code for an instruction set is in memory.
    pub(crate) fn code(self, set: InstructionSet) -> *const () {
        match set.0 {
            Features::Baseline => self.baseline as *const (),
            #[cfg(target_arch = "x86_64")]
            Features::Avx2 => self.avx2 as *const (),
            #[cfg(target_arch = "x86_64")]
            Features::Avx512 => self.avx512 as *const (),
        }
    }
}

/// The pass bodies of a program, by kernel and pass.
#[derive(Clone, Copy)]
pub struct Bodies {
    /// Of the forward schedule.
    pub forward: &'static [&'static [PassFn]],
    /// Of the backward schedule; empty if there is none.
    pub backward: &'static [&'static [PassFn]],
}

impl Bodies {
    /// Those of a hand-written kernel, whose schedule is empty.
    pub const NONE: Bodies = Bodies { forward: &[], backward: &[] };
}

fn baseline<P: PassBody>(block: &Block<'_>) {
    P::run::<Baseline>(block);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt,f16c")]
fn avx2<P: PassBody>(block: &Block<'_>) {
    P::run::<Avx2>(block);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512cd,avx2,fma,bmi1,bmi2,lzcnt,popcnt,f16c")]
fn avx512<P: PassBody>(block: &Block<'_>) {
    P::run::<Avx512>(block);
}

/// An instruction set that the processor has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InstructionSet(Features);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Features {
    Baseline,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl InstructionSet {
    /// What every processor of the target has.
    pub const BASELINE: InstructionSet = InstructionSet(Features::Baseline);

    /// All that this processor has, slowest first.
    pub fn available() -> Vec<InstructionSet> {
        #[cfg_attr(not(target_arch = "x86_64"), expect(unused_mut, reason = "other targets have the baseline alone"))]
        let mut sets = vec![Self::BASELINE];
        #[cfg(target_arch = "x86_64")]
        {
            let avx2 = std::is_x86_feature_detected!("avx2")
                && std::is_x86_feature_detected!("fma")
                && std::is_x86_feature_detected!("bmi1")
                && std::is_x86_feature_detected!("bmi2")
                && std::is_x86_feature_detected!("lzcnt")
                && std::is_x86_feature_detected!("popcnt")
                && std::is_x86_feature_detected!("f16c");
            if avx2 {
                sets.push(InstructionSet(Features::Avx2));
            }
            let avx512 = std::is_x86_feature_detected!("avx512f")
                && std::is_x86_feature_detected!("avx512bw")
                && std::is_x86_feature_detected!("avx512dq")
                && std::is_x86_feature_detected!("avx512vl")
                && std::is_x86_feature_detected!("avx512cd");
            if avx2 && avx512 {
                sets.push(InstructionSet(Features::Avx512));
            }
        }
        sets
    }

    /// The name that `TENSOR_ISA` takes.
    pub fn name(self) -> &'static str {
        match self.0 {
            Features::Baseline => Baseline::NAME,
            #[cfg(target_arch = "x86_64")]
            Features::Avx2 => Avx2::NAME,
            #[cfg(target_arch = "x86_64")]
            Features::Avx512 => Avx512::NAME,
        }
    }

    /// Calls the instantiation of `R` for this instruction set, where its features are enabled.
    #[inline]
    pub(crate) fn dispatch<R: Routine>(self, routine: R) -> R::Output {
        match self.0 {
            Features::Baseline => routine.run::<Baseline>(),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: an `InstructionSet` exists only if the processor has its features.
            Features::Avx2 => unsafe { routine_avx2(routine) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Features::Avx512 => unsafe { routine_avx512(routine) },
        }
    }
}

#[cfg(test)]
impl InstructionSet {
    /// Where the code of `R` for this instruction set is in memory.
    pub(crate) fn code<R: Routine>(self) -> *const () {
        match self.0 {
            Features::Baseline => R::run::<Baseline> as *const (),
            #[cfg(target_arch = "x86_64")]
            Features::Avx2 => routine_avx2::<R> as *const (),
            #[cfg(target_arch = "x86_64")]
            Features::Avx512 => routine_avx512::<R> as *const (),
        }
    }
}

/// A routine of the runtime that is instantiated once per instruction set, like a pass body.
pub(crate) trait Routine {
    /// What it gives.
    type Output;
    /// The routine. Implementations are `#[inline(always)]`.
    fn run<I: Isa>(self) -> Self::Output;
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt,f16c")]
fn routine_avx2<R: Routine>(routine: R) -> R::Output {
    routine.run::<Avx2>()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512cd,avx2,fma,bmi1,bmi2,lzcnt,popcnt,f16c")]
fn routine_avx512<R: Routine>(routine: R) -> R::Output {
    routine.run::<Avx512>()
}
