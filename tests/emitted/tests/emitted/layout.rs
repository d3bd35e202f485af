//! How the elements of an argument lie in memory.

use tensor_rt::Slice;
use tensor_rt::prelude::*;
use tensor_rt_compiler::interp::Value;

use crate::call::Number;

/// A layout.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Layout {
    /// Row-major.
    Dense,
    /// The last axis outermost.
    Permuted,
    /// Every axis from its end: negative strides.
    Flipped,
    /// Every other element of a larger tensor, whose other elements are NaN or as wrong.
    Sliced,
    /// One element for all along an axis: a stride of 0.
    Broadcast(usize),
}

impl Layout {
    /// The name in the histogram.
    pub fn name(self) -> &'static str {
        match self {
            Layout::Dense => "dense",
            Layout::Permuted => "permuted",
            Layout::Flipped => "flipped",
            Layout::Sliced => "sliced",
            Layout::Broadcast(_) => "broadcast",
        }
    }

    /// A tensor of `shape` in this layout, with the row-major elements `values`; a broadcast one repeats those at index 0.
    pub fn tensor<D: Device, T: Number>(
        self,
        device: &D,
        values: &[Value],
        shape: &[usize],
    ) -> Result<Tensor<D, NoGrad, T>> {
        let dense = Tensor::from_vec(device, values.iter().map(|&value| T::of(value)).collect(), shape)?;
        let axes = 0..shape.len();
        match self {
            Layout::Dense => Ok(dense),
            Layout::Permuted => {
                let reversed: Vec<usize> = axes.rev().collect();
                dense.permute(reversed.clone())?.contiguous()?.permute(reversed)
            }
            Layout::Flipped => {
                let flip =
                    |tensor: Tensor<D, NoGrad, T>| axes.clone().try_fold(tensor, |tensor, axis| tensor.flip(axis));
                flip(flip(dense)?.contiguous()?)
            }
            Layout::Sliced => sliced(device, values, shape),
            Layout::Broadcast(axis) => dense.narrow(axis, 0, 1)?.broadcast_to(shape),
        }
    }
}

/// The elements at the odd indices of every axis of a tensor twice as long, and one element longer.
fn sliced<D: Device, T: Number>(device: &D, values: &[Value], shape: &[usize]) -> Result<Tensor<D, NoGrad, T>> {
    let outer: Vec<usize> = shape.iter().map(|size| 2 * size + 1).collect();
    let wrong = match values.first() {
        Some(Value::Float(_)) | None => Value::Float(f64::NAN),
        Some(Value::Int(_)) => Value::Int(101),
        Some(Value::Bool(first)) => Value::Bool(!first),
    };
    if values.is_empty() {
        return Tensor::from_vec(device, vec![], shape);
    }
    let mut all = vec![T::of(wrong); outer.iter().product()];
    for (position, &value) in values.iter().enumerate() {
        let (mut rest, mut place, mut stride) = (position, 0, 1);
        for (&size, &outer) in shape.iter().zip(&outer).rev() {
            place += (2 * (rest % size) + 1) * stride;
            rest /= size;
            stride *= outer;
        }
        all[place] = T::of(value);
    }
    let ranges: Vec<Slice> = shape.iter().map(|size| Slice::from(1..2 * size + 1).step_by(2)).collect();
    Tensor::from_vec(device, all, outer)?.slice(&ranges[..])
}
