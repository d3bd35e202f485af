//! The adjoint of a call: its backward schedule, with what it needs of the forward pass.
//!
//! Invariant: what is kept is outside the graph, and never changes: an edit of a kept tensor copies it first.

use super::block::Scalar;
use super::body::PassFn;
use super::bounds::check_indices;
use super::elementwise;
use super::launch::{Arrays, Frame, Params, Setting, absent, reads};
use super::program::{Array, Program, Schedule};
use super::sizes::Resolved;
use crate::autograd::{Adjoint, Cotangents};
use crate::element::DType;
use crate::error::{Origin, Result};
use crate::home::Home;
use crate::shape::Shape;
use crate::tensor::raw::Raw;
use crate::tensor::view::Movement;

/// The way back through a program.
pub(crate) struct ProgramAdjoint {
    pub program: &'static Program,
    pub bodies: &'static [&'static [PassFn]],
    pub generic: DType,
    pub home: Home,
    pub resolved: Resolved,
    pub scalars: Box<[Scalar]>,
    /// Parameters that the backward schedule reads.
    pub params: Arrays,
    /// Residuals.
    pub saved: Arrays,
}

impl Adjoint for ProgramAdjoint {
    fn cotangents(&self, outputs: &[Option<Raw>], wanted: &[bool], origin: Origin) -> Result<Cotangents> {
        let program = self.program;
        let Some(backward) = &program.backward else {
            unreachable!("bug in tensor_fn!: the adjoint of a kernel without a gradient")
        };
        let setting = Setting {
            program,
            generic: self.generic,
            resolved: &self.resolved,
            scalars: &self.scalars,
            home: self.home,
            origin: Origin { op: program.name, at: origin.at },
        };
        if !backward.elementwise {
            check_indices(&setting, backward)?;
        }
        let mut cotangents = Arrays::new();
        for (position, cotangent) in outputs.iter().enumerate() {
            cotangents.push(self.cotangent(&setting, backward, position, cotangent.as_ref())?);
        }
        let mut passed_on = absent(program.tensors.len());
        for &(param, output) in backward.passed_on {
            // A repeated cotangent is written out: who reads the gradient expects neighbors in memory.
            let cotangent = cotangents[output as usize].as_ref().filter(|cotangent| cotangent.is_dense());
            passed_on[param as usize] = cotangent.filter(|_| wanted[param as usize]).cloned();
        }
        let mut gradients = Arrays::new();
        for ((param, decl), &wanted) in program.tensors.iter().enumerate().zip(wanted) {
            let array = super::program::ArrayDecl { elem: decl.elem, axes: decl.axes };
            let made = wanted && passed_on[param].is_none() && writes(backward, Array::Gradient(param as u16));
            gradients.push(if made { Some(setting.allocate(&array)?) } else { None });
        }
        let raw = |array| match array {
            Array::Param(param) => self.params[param as usize].as_ref(),
            Array::Cotangent(output) => cotangents[output as usize].as_ref(),
            Array::Gradient(param) => gradients[param as usize].as_ref(),
            Array::Saved(residual) => self.saved[residual as usize].as_ref(),
            Array::Output(_) | Array::Temp(_) => None,
        };
        if backward.elementwise && elementwise::run(&setting, backward, self.bodies, raw)? {
            return Ok(beside(passed_on, gradients));
        }
        let mut frame = Frame {
            setting,
            schedule: backward,
            bodies: self.bodies,
            params: Params::Kept(&self.params),
            cotangents,
            outputs: Arrays::new(),
            gradients,
            saved: self.saved.clone(),
            temps: absent(backward.temps.len()),
        };
        frame.run()?;
        Ok(beside(passed_on, frame.gradients))
    }
}

/// The gradients that were passed on, and those that were made.
fn beside(passed_on: Arrays, mut made: Arrays) -> Arrays {
    for (gradient, passed_on) in made.iter_mut().zip(passed_on) {
        *gradient = passed_on.or(gradient.take());
    }
    made
}

impl ProgramAdjoint {
    /// The cotangent of an output in the element that the backward schedule reads; one zero for all of a missing one.
    fn cotangent(
        &self,
        setting: &Setting<'_>,
        backward: &Schedule,
        output: usize,
        given: Option<&Raw>,
    ) -> Result<Option<Raw>> {
        let array = Array::Cotangent(output as u16);
        if !reads(backward, array) {
            return Ok(None);
        }
        let decl = &self.program.outputs[output];
        let dtype = decl.elem.dtype(self.generic).compute();
        let shape = self.resolved.shape(self.program, decl.axes);
        cotangent(given, self.home, dtype, &shape, setting.origin).map(Some)
    }
}

/// A cotangent as one of element `dtype` and this shape; one zero for all elements of a missing one.
pub(super) fn cotangent(given: Option<&Raw>, home: Home, dtype: DType, shape: &Shape, origin: Origin) -> Result<Raw> {
    let cotangent = match given {
        Some(raw) if raw.dtype() == dtype && raw.shape() == shape => return Ok(raw.detached()),
        Some(raw) if raw.dtype() == dtype => raw.detached(),
        Some(raw) => Movement::Cast(dtype).apply(raw, origin)?,
        None => Raw::zeros(home, dtype, [], origin)?,
    };
    let layout = cotangent.layout().broadcast_to(shape, origin)?;
    Ok(cotangent.with_layout(layout))
}

fn writes(schedule: &Schedule, array: Array) -> bool {
    schedule.kernels.iter().any(|kernel| kernel.writes.iter().any(|write| write.array == array))
}
