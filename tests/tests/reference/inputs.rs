//! The inputs of a case as tensors.

use std::collections::BTreeMap;

use tensor_rt::prelude::*;

use crate::table::{Array, Case};

/// How the elements of the inputs lie in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Row-major.
    Dense,
    /// The last axis outermost.
    Transposed,
    /// Every axis from its end, so all strides are negative.
    Reversed,
}

/// Tensors by name.
pub struct Inputs<D: Device, M: GradMode, T: Float> {
    floats: BTreeMap<String, Tensor<D, M, T>>,
    integers: BTreeMap<String, Tensor<D, NoGrad, i64>>,
    masks: BTreeMap<String, Tensor<D, NoGrad, bool>>,
    scalars: BTreeMap<String, f64>,
}

impl<D: Device, M: GradMode, T: Float> Inputs<D, M, T> {
    /// The inputs of `case`; `track` gives the float inputs their mode.
    pub fn of(
        device: &D,
        case: &Case,
        layout: Layout,
        track: impl Fn(Tensor<D, NoGrad, T>) -> Result<Tensor<D, M, T>>,
    ) -> Inputs<D, M, T> {
        let mut inputs = Inputs {
            floats: BTreeMap::new(),
            integers: BTreeMap::new(),
            masks: BTreeMap::new(),
            scalars: case.scalars.clone(),
        };
        for (name, array) in &case.inputs {
            let all = || tensor(device, array, layout).expect("the array of the table is a tensor");
            match array.element.as_str() {
                "float" => {
                    let float = all().cast::<T>().expect("a float converts");
                    let float = strided(float, layout);
                    inputs.floats.insert(name.clone(), track(float).expect("a tensor can be tracked"));
                }
                "i64" => {
                    inputs.integers.insert(name.clone(), strided(all().to_element().expect("an integer"), layout));
                }
                "bool" => {
                    inputs.masks.insert(name.clone(), strided(all().to_element().expect("a truth value"), layout));
                }
                other => panic!("the table has an element `{other}`"),
            }
        }
        inputs
    }

    /// A float input.
    pub fn float(&self, name: &str) -> &Tensor<D, M, T> {
        self.leaf(name)
    }

    /// A float input that has no gradient.
    pub fn fixed(&self, name: &str) -> Tensor<D, NoGrad, T> {
        self.leaf(name).detach()
    }

    /// A float input, as the leaf that its gradient belongs to.
    pub fn leaf(&self, name: &str) -> &Tensor<D, M, T> {
        self.floats.get(name).unwrap_or_else(|| panic!("the case has no float input `{name}`"))
    }

    /// An integer input.
    pub fn integer(&self, name: &str) -> &Tensor<D, NoGrad, i64> {
        self.integers.get(name).unwrap_or_else(|| panic!("the case has no integer input `{name}`"))
    }

    /// A bool input.
    pub fn mask(&self, name: &str) -> &Tensor<D, NoGrad, bool> {
        self.masks.get(name).unwrap_or_else(|| panic!("the case has no mask `{name}`"))
    }

    /// A scalar.
    pub fn scalar(&self, name: &str) -> f64 {
        self.scalar_or(name, f64::NAN)
    }

    /// A scalar, or its default where the case gives none.
    pub fn scalar_or(&self, name: &str, default: f64) -> f64 {
        self.scalars.get(name).copied().unwrap_or(default)
    }

    /// The case gives this scalar.
    pub fn has_scalar(&self, name: &str) -> bool {
        self.scalars.contains_key(name)
    }

    /// The case has this float input.
    pub fn has(&self, name: &str) -> bool {
        self.floats.contains_key(name)
    }
}

/// A dense tensor in the element `T`.
pub fn dense<D: Device, T: Float>(device: &D, array: &Array) -> Result<Tensor<D, NoGrad, T>> {
    Tensor::from_vec(device, array.floats().collect(), array.shape.as_slice())?.cast()
}

/// The elements in the order in which the layout has them in memory, with the axes in that order.
fn tensor<D: Device>(device: &D, array: &Array, layout: Layout) -> Result<Tensor<D, NoGrad, f64>> {
    let dense = Tensor::from_vec(device, array.floats().collect(), array.shape.as_slice())?;
    strided(dense, layout).contiguous()
}

/// Undoes [`tensor`]'s change of order with strides alone: both changes are their own inverse.
fn strided<D: Device, T: Element>(tensor: Tensor<D, NoGrad, T>, layout: Layout) -> Tensor<D, NoGrad, T> {
    let axes = 0..tensor.rank();
    match layout {
        Layout::Dense => tensor,
        Layout::Transposed => tensor.permute(axes.rev().collect::<Vec<_>>()).expect("a permutation"),
        Layout::Reversed => axes.fold(tensor, |tensor, axis| tensor.flip(axis).expect("an axis")),
    }
}
