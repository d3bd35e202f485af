//! Random numbers, counted by element.
//!
//! Element `i` of a tensor made with `seed` comes from the Philox4x32-10 block of counter `i` and key `seed`, whatever the
//! shape, the number of threads or the device: nothing is drawn in sequence. Uniform numbers use the first word (or two,
//! for `f64`); normal numbers are the Box-Muller transform of the first two (or four).

use rayon::prelude::*;

use super::Tensor;
use super::raw::Raw;
use crate::device::Device;
use crate::element::{Compute, DType, Float};
use crate::error::{Origin, Result};
use crate::mode::NoGrad;
use crate::shape::Shape;

/// Elements per task.
const BLOCK: usize = 1 << 14;

/// Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011).
pub(crate) fn philox(counter: u64, key: u64) -> [u32; 4] {
    let mut words = [counter as u32, (counter >> 32) as u32, 0, 0];
    let mut keys = [key as u32, (key >> 32) as u32];
    for _ in 0..10 {
        let (first, second) = (0xD251_1F53_u64 * u64::from(words[0]), 0xCD9E_8D57_u64 * u64::from(words[2]));
        words = [
            (second >> 32) as u32 ^ words[1] ^ keys[0],
            second as u32,
            (first >> 32) as u32 ^ words[3] ^ keys[1],
            first as u32,
        ];
        keys = [keys[0].wrapping_add(0x9E37_79B9), keys[1].wrapping_add(0xBB67_AE85)];
    }
    words
}

pub(super) fn uniform<D: Device, T: Float>(
    device: &D,
    shape: Shape,
    seed: u64,
    origin: Origin,
) -> Result<Tensor<D, NoGrad, T>> {
    filled(device, shape, origin, |index| {
        let words = philox(index, seed);
        match T::DTYPE {
            DType::F64 => unit53(words[0], words[1]),
            // The value may not round up to 1: as many bits as the element has.
            DType::F16 => f64::from(words[0] >> 21) / f64::from(1 << 11),
            DType::Bf16 => f64::from(words[0] >> 24) / f64::from(1 << 8),
            _ => unit24(words[0]),
        }
    })
}

pub(super) fn normal<D: Device, T: Float>(
    device: &D,
    shape: Shape,
    seed: u64,
    origin: Origin,
) -> Result<Tensor<D, NoGrad, T>> {
    filled(device, shape, origin, |index| {
        let words = philox(index, seed);
        // One minus a number below 1 is above 0, so that its logarithm is finite.
        let (radius, turn) = match T::DTYPE {
            DType::F64 => (1.0 - unit53(words[0], words[1]), unit53(words[2], words[3])),
            _ => (1.0 - unit24(words[0]), unit24(words[1])),
        };
        (-2.0 * radius.ln()).sqrt() * (std::f64::consts::TAU * turn).cos()
    })
}

/// 24 bits as a number in `[0, 1)`.
fn unit24(word: u32) -> f64 {
    f64::from(word >> 8) / f64::from(1 << 24)
}

/// 53 bits as a number in `[0, 1)`.
fn unit53(high: u32, low: u32) -> f64 {
    let bits = (u64::from(high) << 32 | u64::from(low)) >> 11;
    bits as f64 / (1u64 << 53) as f64
}

fn filled<D: Device, T: Float>(
    device: &D,
    shape: Shape,
    origin: Origin,
    element: impl Fn(u64) -> f64 + Sync,
) -> Result<Tensor<D, NoGrad, T>> {
    let raw = Raw::written(device.id(), shape, origin, |elements: &mut [T]| {
        let block = |(block, elements): (usize, &mut [T])| {
            for (index, target) in elements.iter_mut().enumerate() {
                *target = narrow((block * BLOCK + index) as u64, &element);
            }
        };
        elements.par_chunks_mut(BLOCK).enumerate().for_each(block);
    });
    raw.map(Tensor::from_raw)
}

fn narrow<T: Float>(index: u64, element: &impl Fn(u64) -> f64) -> T {
    T::narrow(<T::Value as Compute>::from_f64(element(index)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The test vectors of the authors' Random123, whose counters fit in 64 bits.
    #[test]
    fn philox_matches_its_authors() {
        assert_eq!(philox(0, 0), [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]);
    }
}
