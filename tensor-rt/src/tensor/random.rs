//! Random numbers, counted by element.
//!
//! Element `i` of a tensor made with `seed` is number `i` of stream 0, as [`crate::math::random`] makes it, whatever the
//! shape, the number of threads or the device: a kernel whose first call is `uniform(seed)` has the same numbers over the
//! same shape. Only uniform half elements are made with fewer bits, since rounding could give 1.

use rayon::prelude::*;

use super::Tensor;
use super::raw::Raw;
use crate::device::Device;
use crate::element::{Compute, DType, Float};
use crate::error::{Origin, Result};
use crate::isa::Isa;
use crate::kernel::body::{InstructionSet, Routine};
use crate::math::random::words;
use crate::mode::NoGrad;
use crate::shape::Shape;

/// Elements per task.
const BLOCK: usize = 1 << 14;

pub(super) fn uniform<D: Device, T: Float>(
    device: &D,
    shape: Shape,
    seed: u64,
    origin: Origin,
) -> Result<Tensor<D, NoGrad, T>> {
    filled(device, shape, origin, |index| match T::DTYPE {
        DType::F16 => T::narrow(first_bits(seed, index, 11)),
        DType::Bf16 => T::narrow(first_bits(seed, index, 8)),
        _ => T::narrow(T::Compute::uniform(seed, 0, index)),
    })
}

/// The first bits of a uniform number: as many as a half element has.
fn first_bits<C: Compute>(seed: u64, index: u64, bits: u32) -> C {
    C::from_u32(words(seed, 0, index)[0] >> (32 - bits)) / C::from_u32(1 << bits)
}

pub(super) fn normal<D: Device, T: Float>(
    device: &D,
    shape: Shape,
    seed: u64,
    origin: Origin,
) -> Result<Tensor<D, NoGrad, T>> {
    filled(device, shape, origin, |index| T::narrow(T::Compute::normal(seed, 0, index)))
}

fn filled<D: Device, T: Float>(
    device: &D,
    shape: Shape,
    origin: Origin,
    element: impl Fn(u64) -> T + Sync,
) -> Result<Tensor<D, NoGrad, T>> {
    // The numbers are the same on all.
    let set = InstructionSet::available().pop().unwrap_or(InstructionSet::BASELINE);
    let raw = Raw::written(device.home(), shape, origin, |elements: &mut [T]| {
        let block = |(block, elements): (usize, &mut [T])| {
            set.dispatch(Fill { elements, first: (block * BLOCK) as u64, element: &element });
        };
        elements.par_chunks_mut(BLOCK).enumerate().for_each(block);
    });
    raw.map(Tensor::from_raw)
}

/// The elements of one task.
struct Fill<'a, T, F> {
    elements: &'a mut [T],
    /// The position of the first one.
    first: u64,
    element: &'a F,
}

impl<T: Float, F: Fn(u64) -> T> Routine for Fill<'_, T, F> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        for (index, target) in self.elements.iter_mut().enumerate() {
            *target = (self.element)(self.first + index as u64);
        }
    }
}
