//! Emitted kernels on the simulated device, compared with the CPU engine launch by launch.
//!
//! Without NVRTC these tests say so and pass; where `CI` is set they fail instead.

mod faults;
pub(crate) mod mirror;
mod points;
mod products;
mod resources;
mod rows;
mod scatters;

use mirror::mirrored;

use crate::prelude::*;

/// Reproducible numbers in -1..1.
fn noise(shape: &[usize], seed: u64) -> Tensor {
    noise_of(shape, seed)
}

fn noise_of<T: Float>(shape: &[usize], seed: u64) -> Tensor<Cpu, NoGrad, T> {
    let number = |i: usize| {
        let x = (i as u64 + 1 + (seed << 32)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let x = (x ^ x >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        T::narrow(<T::Compute as crate::element::Compute>::from_f64((x >> 11) as f64 / (1u64 << 52) as f64 - 1.0))
    };
    let elements = (0..shape.iter().product()).map(number).collect();
    Tensor::from_vec(&Cpu, elements, shape).expect("as many elements as the shape has")
}

/// Integers below `bound`.
fn integers(shape: &[usize], bound: i64) -> Tensor<Cpu, NoGrad, i64> {
    let elements = (0..shape.iter().product::<usize>()).map(|i| (i as i64 * 7 + 3) % bound).collect();
    Tensor::from_vec(&Cpu, elements, shape).expect("as many elements as the shape has")
}
