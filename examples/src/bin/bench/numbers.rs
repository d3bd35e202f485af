//! The numbers in the arrays: from a congruential generator that is easily written in every language, so that other
//! libraries compute the same results.

use std::ops::Range;

use tensor_rt::prelude::*;

/// A tensor of numbers in `range`.
pub fn numbers(shape: impl Into<Vec<usize>>, seed: u64, range: Range<f32>) -> Result<Tensor> {
    let shape = shape.into();
    let data: Vec<f32> = uniform(seed, range).take(shape.iter().product()).collect();
    Tensor::from_vec(&Cpu, data, shape)
}

/// Class numbers below `classes`.
pub fn labels(len: usize, seed: u64, classes: usize) -> Result<Tensor<Cpu, NoGrad, i64>> {
    let classes = classes as f32;
    let data: Vec<i64> =
        uniform(seed, 0.0..1.0).take(len).map(|x| (x * classes).floor().min(classes - 1.0) as i64).collect();
    Tensor::from_vec(&Cpu, data, [len])
}

fn uniform(seed: u64, range: Range<f32>) -> impl Iterator<Item = f32> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    std::iter::repeat_with(move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        range.start + (range.end - range.start) * ((state >> 40) as f32 / (1u64 << 24) as f32)
    })
}
