//! The nodes of operations that move elements: views, casts, copies and concatenation.

use std::sync::Arc;

use super::node::{Adjoint, Cotangents, Node, record};
use crate::element::DType;
use crate::error::{Origin, Result};
use crate::home::Home;
use crate::shape::{Shape, Span};
use crate::tensor::raw::Raw;
use crate::tensor::view::Movement;

/// The node of the result of a movement of the tracked tensor `input`.
pub(crate) fn of_movement(input: &Raw, movement: Movement, origin: Origin) -> Arc<Node> {
    let (shape, dtype, home) = (input.shape().clone(), input.dtype(), input.home());
    record(origin, [input.node()], 1, Moved { movement, shape, dtype, home }).remove(0)
}

/// The node of the concatenation of `inputs`, at least one of which is tracked, along `axis`.
pub(crate) fn of_concatenation(inputs: &[&Raw], axis: usize, origin: Origin) -> Arc<Node> {
    let sizes = inputs.iter().map(|input| input.shape()[axis]).collect();
    record(origin, inputs.iter().map(|input| input.node()), 1, Concatenated { axis, sizes }).remove(0)
}

struct Moved {
    movement: Movement,
    /// Of the input, as the next two.
    shape: Shape,
    dtype: DType,
    home: Home,
}

impl Adjoint for Moved {
    fn cotangents(&self, outputs: &[Option<Raw>], _wanted: &[bool], origin: Origin) -> Result<Cotangents> {
        let adjoint = |output: &Raw| self.movement.adjoint(output, &self.shape, self.dtype, self.home, origin);
        outputs.iter().map(|output| output.as_ref().map(adjoint).transpose()).collect()
    }
}

struct Concatenated {
    axis: usize,
    /// Of the inputs along the axis.
    sizes: Vec<usize>,
}

impl Adjoint for Concatenated {
    fn cotangents(&self, outputs: &[Option<Raw>], wanted: &[bool], origin: Origin) -> Result<Cotangents> {
        let mut start = 0;
        let part = |(length, wanted): (&usize, &bool)| {
            let span = Span { start, length: *length, step: 1 };
            start += length;
            let slice = |output: &Raw| Movement::Slice { axis: self.axis, span }.apply(output, origin);
            if *wanted { outputs[0].as_ref().map(slice).transpose() } else { Ok(None) }
        };
        self.sizes.iter().zip(wanted).map(part).collect()
    }
}
