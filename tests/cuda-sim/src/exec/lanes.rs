//! Instructions that only compute: one function, 32 lanes.
//!
//! An instruction becomes a closure that holds its rows and its function. The function of all lanes is computed, of
//! inactive ones too, and masked afterwards: so it must be total, and the loop has no branch and vectorises. Each
//! loop is compiled twice on x86-64, once with AVX2 and FMA: without FMA `mul_add` is a call per lane.

use std::marker::PhantomData;

use super::registers::{LANES, Lane, Registers};

/// A decoded instruction: computes the lanes of a mask.
pub(crate) type LaneStep = Box<dyn Fn(&mut Registers, u32) + Send + Sync>;

/// A loop over the lanes.
trait LaneLoop: Copy + Send + Sync + 'static {
    fn run(self, registers: &mut Registers, mask: u32);
}

fn step(lane_loop: impl LaneLoop) -> LaneStep {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
        return Box::new(move |registers, mask| {
            // SAFETY: the processor has the features that `run_fast` is compiled for (checked above).
            unsafe { run_fast(lane_loop, registers, mask) }
        });
    }
    Box::new(move |registers, mask| lane_loop.run(registers, mask))
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn run_fast(lane_loop: impl LaneLoop, registers: &mut Registers, mask: u32) {
    lane_loop.run(registers, mask);
}

/// `to = function(a)`
pub(crate) fn map1<A: Lane, R: Lane>(
    to: u32,
    a: u32,
    function: impl Fn(A) -> R + Copy + Send + Sync + 'static,
) -> LaneStep {
    step(Map1 { to, a, function, types: PhantomData::<fn(A) -> R> })
}

/// `to = function(a, b)`
pub(crate) fn map2<A: Lane, B: Lane, R: Lane>(
    to: u32,
    [a, b]: [u32; 2],
    function: impl Fn(A, B) -> R + Copy + Send + Sync + 'static,
) -> LaneStep {
    step(Map2 { to, a, b, function, types: PhantomData::<fn(A, B) -> R> })
}

/// `to = function(a, b, c)`
pub(crate) fn map3<A: Lane, B: Lane, C: Lane, R: Lane>(
    to: u32,
    [a, b, c]: [u32; 3],
    function: impl Fn(A, B, C) -> R + Copy + Send + Sync + 'static,
) -> LaneStep {
    step(Map3 { to, a, b, c, function, types: PhantomData::<fn(A, B, C) -> R> })
}

/// A predicate of two operands, as a mask, given to `finish` with the mask of the lanes.
pub(crate) fn compare<A: Lane>(
    [a, b]: [u32; 2],
    function: impl Fn(A, A) -> bool + Copy + Send + Sync + 'static,
    finish: impl Fn(&mut Registers, u32, u32) + Copy + Send + Sync + 'static,
) -> LaneStep {
    step(Compare { a, b, function, finish, types: PhantomData::<fn(A)> })
}

/// `to = if predicate { a } else { b }`
pub(crate) fn select<A: Lane>(to: u32, [a, b]: [u32; 2], predicate: u32, negated: bool) -> LaneStep {
    step(Select { to, a, b, predicate, negated, types: PhantomData::<fn(A)> })
}

#[derive(Clone, Copy)]
struct Map1<F, T> {
    to: u32,
    a: u32,
    function: F,
    types: PhantomData<T>,
}

impl<A: Lane, R: Lane, F: Fn(A) -> R + Copy + Send + Sync + 'static> LaneLoop for Map1<F, fn(A) -> R> {
    #[inline(always)]
    fn run(self, registers: &mut Registers, mask: u32) {
        let a = registers.row::<A::Bits>(self.a);
        let mut out = [R::Bits::default(); LANES];
        for lane in 0..LANES {
            out[lane] = (self.function)(A::from_bits(a[lane])).to_bits();
        }
        registers.write(self.to, &out, mask);
    }
}

#[derive(Clone, Copy)]
struct Map2<F, T> {
    to: u32,
    a: u32,
    b: u32,
    function: F,
    types: PhantomData<T>,
}

impl<A: Lane, B: Lane, R: Lane, F> LaneLoop for Map2<F, fn(A, B) -> R>
where
    F: Fn(A, B) -> R + Copy + Send + Sync + 'static,
{
    #[inline(always)]
    fn run(self, registers: &mut Registers, mask: u32) {
        let a = registers.row::<A::Bits>(self.a);
        let b = registers.row::<B::Bits>(self.b);
        let mut out = [R::Bits::default(); LANES];
        for lane in 0..LANES {
            out[lane] = (self.function)(A::from_bits(a[lane]), B::from_bits(b[lane])).to_bits();
        }
        registers.write(self.to, &out, mask);
    }
}

#[derive(Clone, Copy)]
struct Map3<F, T> {
    to: u32,
    a: u32,
    b: u32,
    c: u32,
    function: F,
    types: PhantomData<T>,
}

impl<A: Lane, B: Lane, C: Lane, R: Lane, F> LaneLoop for Map3<F, fn(A, B, C) -> R>
where
    F: Fn(A, B, C) -> R + Copy + Send + Sync + 'static,
{
    #[inline(always)]
    fn run(self, registers: &mut Registers, mask: u32) {
        let a = registers.row::<A::Bits>(self.a);
        let b = registers.row::<B::Bits>(self.b);
        let c = registers.row::<C::Bits>(self.c);
        let mut out = [R::Bits::default(); LANES];
        for lane in 0..LANES {
            let value = (self.function)(A::from_bits(a[lane]), B::from_bits(b[lane]), C::from_bits(c[lane]));
            out[lane] = value.to_bits();
        }
        registers.write(self.to, &out, mask);
    }
}

#[derive(Clone, Copy)]
struct Compare<F, G, T> {
    a: u32,
    b: u32,
    function: F,
    finish: G,
    types: PhantomData<T>,
}

impl<A: Lane, F, G> LaneLoop for Compare<F, G, fn(A)>
where
    F: Fn(A, A) -> bool + Copy + Send + Sync + 'static,
    G: Fn(&mut Registers, u32, u32) + Copy + Send + Sync + 'static,
{
    #[inline(always)]
    fn run(self, registers: &mut Registers, mask: u32) {
        let a = registers.row::<A::Bits>(self.a);
        let b = registers.row::<A::Bits>(self.b);
        let mut bits = 0;
        for lane in 0..LANES {
            bits |= u32::from((self.function)(A::from_bits(a[lane]), A::from_bits(b[lane]))) << lane;
        }
        (self.finish)(registers, bits, mask);
    }
}

#[derive(Clone, Copy)]
struct Select<T> {
    to: u32,
    a: u32,
    b: u32,
    predicate: u32,
    negated: bool,
    types: PhantomData<T>,
}

impl<A: Lane> LaneLoop for Select<fn(A)> {
    #[inline(always)]
    fn run(self, registers: &mut Registers, mask: u32) {
        let predicate = registers.predicates[self.predicate as usize];
        let chosen = if self.negated { !predicate } else { predicate };
        let a = registers.row::<A::Bits>(self.a);
        let b = registers.row::<A::Bits>(self.b);
        let mut out = [A::Bits::default(); LANES];
        for lane in 0..LANES {
            out[lane] = if chosen >> lane & 1 != 0 { a[lane] } else { b[lane] };
        }
        registers.write(self.to, &out, mask);
    }
}
