//! Parameters: values that training changes.
//!
//! A [`Param`] is an untracked value together with an identity in the graph. It is read as a tensor of either mode, so one
//! `forward<M: GradMode>` trains and evaluates, and edited in place through `&mut`. A graph that still holds the old value
//! keeps it: the edit then copies first.

use std::fmt::Debug;
use std::sync::Arc;

use crate::autograd::{self, Key, Node};
use crate::device::{Cpu, Device};
use crate::element::Float;
use crate::error::{Error, Origin, Result};
use crate::mode::{Grad, GradMode, NoGrad};
use crate::shape::Shape;
use crate::tensor::Tensor;

/// A value with an identity by which its gradient is found.
pub struct Param<D: Device = Cpu, T: Float = f32> {
    value: Tensor<D, NoGrad, T>,
    leaf: Arc<Node>,
}

/// The identity of a parameter: the same as long as it lives, and never another's.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ParamId(Key);

impl<D: Device, T: Float> Param<D, T> {
    /// A parameter with a starting value.
    #[track_caller]
    pub fn new(value: Tensor<D, NoGrad, T>) -> Self {
        Param { value, leaf: autograd::leaf(T::DTYPE, std::panic::Location::caller()) }
    }

    /// The value in the mode `M`: tracked for training, untracked for evaluation. Shares the storage.
    pub fn get<M: GradMode>(&self) -> Tensor<D, M, T> {
        let node = M::TRACKED.then(|| self.leaf.clone());
        Tensor::from_raw(self.value.raw.clone().with_node(node))
    }

    /// The identity, by which an optimizer finds what it keeps for the parameter.
    pub fn id(&self) -> ParamId {
        ParamId(self.leaf.leaf().expect("bug in tensor-rt: the node of a parameter is no leaf").0)
    }

    /// The value as a leaf of the graph.
    pub fn tracked(&self) -> Tensor<D, Grad, T> {
        self.get()
    }

    /// The value.
    pub fn value(&self) -> &Tensor<D, NoGrad, T> {
        &self.value
    }

    /// The value, for an edit in place.
    pub fn value_mut(&mut self) -> &mut Tensor<D, NoGrad, T> {
        &mut self.value
    }

    /// Replaces the value by another of the same shape.
    ///
    /// # Errors
    /// Fails if the shapes differ.
    #[track_caller]
    pub fn set_value(&mut self, value: Tensor<D, NoGrad, T>) -> Result<()> {
        if value.shape() != self.value.shape() {
            let Origin { op, at } = Origin::of("set_value");
            let (lhs, rhs) = (self.value.shape().sizes(), value.shape().sizes());
            return Err(Error::ShapeMismatch { op, lhs, rhs, at });
        }
        self.value = value;
        Ok(())
    }

    /// The value; the identity is given up.
    pub fn into_value(self) -> Tensor<D, NoGrad, T> {
        self.value
    }

    /// The sizes of the axes, outermost first.
    pub fn shape(&self) -> &Shape {
        self.value.shape()
    }

    /// The leaf by which gradients know the parameter.
    pub(crate) fn leaf(&self) -> &Arc<Node> {
        &self.leaf
    }
}

impl<D: Device, T: Float> Debug for Param<D, T> {
    /// Type, shape and device; never data.
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "Param({:?})", self.value)
    }
}
