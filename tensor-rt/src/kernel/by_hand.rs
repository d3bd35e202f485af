//! Kernels that are written by hand: functions of the user in place of a schedule.
//!
//! The typed wrapper is that of any kernel: sizes are resolved and checked, outputs made. Then the `#[cpu]` function gets a
//! [`TensorView`] of every tensor that it reads and a [`TensorViewMut`] of every tensor that it writes, and if an argument
//! is tracked, the `#[backward]` function is kept for the backward pass, with the inputs and the outputs.
//!
//! Invariants: a view is dense, in row-major order; the function is not called if nothing that it writes has an element;
//! what is kept is outside the graph and never changes.

use smallvec::SmallVec;

use super::adjoint::cotangent;
use super::by_hand_cuda;
use super::call::{Call, Outputs};
use super::launch::{Arrays, Part, Setting};
use super::program::{CudaFunction, Intent, Program};
use crate::accounting;
use crate::autograd::{Adjoint, Cotangents};
use crate::device::Device;
use crate::element::Element;
use crate::error::{Error, Origin, Result};
use crate::mode::NoGrad;
use crate::tensor::Tensor;
use crate::tensor::raw::{Exclusive, Raw};

/// A tensor that a hand-written kernel reads.
#[derive(Clone, Copy, Debug)]
pub struct TensorView<'a, T> {
    elements: &'a [T],
    shape: &'a [usize],
}

impl<'a, T: Element> TensorView<'a, T> {
    /// The sizes of the axes, outermost first.
    pub fn shape(&self) -> &'a [usize] {
        self.shape
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.elements.len()
    }

    /// True if there are no elements.
    pub fn is_empty(&self) -> bool {
        self.elements.is_empty()
    }

    /// The elements in row-major order.
    pub fn as_slice(&self) -> &'a [T] {
        self.elements
    }
}

/// A tensor that a hand-written kernel writes: an output, whose elements are stale until they are written, or a `&mut`
/// parameter.
#[derive(Debug)]
pub struct TensorViewMut<'a, T> {
    elements: &'a mut [T],
    shape: Box<[usize]>,
}

impl<T: Element> TensorViewMut<'_, T> {
    /// The sizes of the axes, outermost first.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.elements.len()
    }

    /// True if there are no elements.
    pub fn is_empty(&self) -> bool {
        self.elements.is_empty()
    }

    /// The elements in row-major order.
    pub fn as_slice(&self) -> &[T] {
        self.elements
    }

    /// The elements for writing, in row-major order.
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        self.elements
    }
}

/// The tensors of a call, to be taken in the order of the signature, outputs last.
pub struct Views<'a> {
    views: std::vec::IntoIter<View<'a>>,
}

enum View<'a> {
    Read(&'a Raw),
    Write(Exclusive<'a>),
}

impl<'a> Views<'a> {
    /// The next tensor, which is read.
    pub fn read<T: Element>(&mut self) -> TensorView<'a, T> {
        let Some(View::Read(raw)) = self.views.next() else { out_of_order() };
        let Some(elements) = raw.as_slice::<T>() else { out_of_order() };
        TensorView { elements, shape: raw.shape() }
    }

    /// The next tensor, which is written.
    pub fn write<T: Element>(&mut self) -> TensorViewMut<'a, T> {
        let Some(View::Write(place)) = self.views.next() else { out_of_order() };
        let shape = place.raw().shape().sizes();
        let Some(elements) = place.into_mut_slice::<T>() else { out_of_order() };
        TensorViewMut { elements, shape }
    }
}

/// What a backward function takes, in order: inputs, outputs, the cotangents of float outputs; and what it gives.
pub struct Kept {
    tensors: std::vec::IntoIter<Raw>,
    gradients: SmallVec<[Raw; 2]>,
}

impl Kept {
    /// The next tensor.
    pub fn tensor<D: Device, T: Element>(&mut self) -> Tensor<D, NoGrad, T> {
        self.tensors.next().map_or_else(|| out_of_order(), Tensor::from_raw)
    }

    /// The gradient of the next float input.
    pub fn gradient<D: Device, T: Element>(&mut self, gradient: Tensor<D, NoGrad, T>) {
        self.gradients.push(gradient.raw);
    }
}

fn out_of_order() -> ! {
    unreachable!("bug in tensor_fn!: the tensors of a hand-written kernel are taken in another order")
}

impl Call<'_> {
    /// Runs a hand-written kernel without a gradient.
    ///
    /// # Errors
    /// Fails if sizes do not agree or have no value, if the device is out of memory or has no such kernel, and with what
    /// the function gives.
    pub fn run_by_hand(
        mut self,
        cuda: Option<&'static CudaFunction>,
        cpu: impl FnOnce(&mut Views<'_>) -> Result<()>,
    ) -> Result<Outputs> {
        self.write_outputs(cuda, cpu).map(Outputs::new)
    }

    /// Runs a hand-written kernel; `backward` is called by the backward pass if an argument is tracked.
    ///
    /// # Errors
    /// As [`Call::run_by_hand`].
    pub fn run_by_hand_with_backward(
        mut self,
        cuda: Option<&'static CudaFunction>,
        cpu: impl FnOnce(&mut Views<'_>) -> Result<()>,
        backward: impl Fn(&mut Kept) -> Result<()> + Send + Sync + 'static,
    ) -> Result<Outputs> {
        let mut outputs = self.write_outputs(cuda, cpu)?;
        if self.arguments.raws().any(|raw| raw.node().is_some()) {
            let adjoint = AdjointByHand {
                program: self.program,
                inputs: self.arguments.raws().map(Raw::detached).collect(),
                outputs: outputs.iter().flatten().cloned().collect(),
                backward: Box::new(backward),
            };
            self.record(&mut outputs, adjoint)?;
        }
        Ok(Outputs::new(outputs))
    }

    /// The outputs, once the function has written them and the edited parameters.
    fn write_outputs(
        &mut self,
        cuda: Option<&'static CudaFunction>,
        cpu: impl FnOnce(&mut Views<'_>) -> Result<()>,
    ) -> Result<Arrays> {
        let (resolved, home) = self.resolve()?;
        let (program, origin) = (self.program, self.origin);
        if !home.is_cpu() && cuda.is_none() {
            let (op, at) = (origin.op, origin.at);
            return Err(Error::NoCudaKernel { op, device: home.device(), at });
        }
        let setting =
            Setting { program, generic: self.generic, resolved: &resolved, scalars: &self.scalars, home, origin };
        let mut outputs: SmallVec<[Raw; 2]> = SmallVec::new();
        for output in program.outputs {
            outputs.push(setting.allocate(output)?);
        }
        let edits = program.tensors.iter().filter(|param| param.intent == Intent::Edit).map(|param| param.axes);
        let mut written = program.outputs.iter().map(|output| output.axes).chain(edits);
        if written.any(|axes| resolved.points(program, axes) != 0) {
            let dense = |raw: &Raw| if raw.is_dense() { Ok(None) } else { raw.copied(origin).map(Some) };
            let mut copies: Arrays = self.arguments.raws().map(dense).collect::<Result<_>>()?;
            accounting::launch(origin.at, 1);
            if let (Some(stream), Some(function)) = (home.stream(), cuda) {
                {
                    let tensors = self.arguments.raws().zip(&copies);
                    let tensors: SmallVec<[&Raw; 4]> =
                        tensors.map(|(raw, copy)| copy.as_ref().unwrap_or(raw)).collect();
                    by_hand_cuda::launch(stream, function, &setting, &tensors, &outputs)?;
                }
                return self.copy_back(&copies, outputs, origin);
            }
            let parts = self.arguments.parts().zip(&mut copies).map(|(part, copy)| match (part, copy) {
                (Part::Read(raw), copy) => View::Read(copy.as_ref().unwrap_or(raw)),
                (Part::Edit(place), None) => View::Write(place.reborrow()),
                (Part::Edit(_), Some(copy)) => View::Write(copy.fresh()),
            });
            let views: Vec<View<'_>> =
                parts.chain(outputs.iter_mut().map(|output| View::Write(output.fresh()))).collect();
            cpu(&mut Views { views: views.into_iter() })?;
            return self.copy_back(&copies, outputs, origin);
        }
        Ok(outputs.into_iter().map(Some).collect())
    }

    /// The outputs, once edited parameters have what was written to a dense copy of them.
    fn copy_back(&mut self, copies: &[Option<Raw>], outputs: SmallVec<[Raw; 2]>, origin: Origin) -> Result<Arrays> {
        for (part, copy) in self.arguments.parts().zip(copies) {
            if let (Part::Edit(place), Some(copy)) = (part, copy) {
                place.copy_from(copy, origin)?;
            }
        }
        Ok(outputs.into_iter().map(Some).collect())
    }
}

/// The user's function, with everything about types done around it.
type Backward = dyn Fn(&mut Kept) -> Result<()> + Send + Sync;

/// The way back through a hand-written kernel.
struct AdjointByHand {
    program: &'static Program,
    inputs: SmallVec<[Raw; 4]>,
    outputs: SmallVec<[Raw; 2]>,
    backward: Box<Backward>,
}

impl Adjoint for AdjointByHand {
    fn cotangents(&self, outputs: &[Option<Raw>], wanted: &[bool], origin: Origin) -> Result<Cotangents> {
        let origin = Origin { op: self.program.name, at: origin.at };
        let mut tensors: Vec<Raw> = self.inputs.iter().chain(&self.outputs).cloned().collect();
        for (given, output) in outputs.iter().zip(&self.outputs).filter(|(_, output)| output.dtype().is_float()) {
            tensors.push(cotangent(given.as_ref(), output.home(), output.dtype(), output.shape(), origin)?);
        }
        let mut kept = Kept { tensors: tensors.into_iter(), gradients: SmallVec::new() };
        (self.backward)(&mut kept)?;
        let mut gradients = kept.gradients.into_iter();
        let mut cotangents = Cotangents::new();
        for (input, &wanted) in self.inputs.iter().zip(wanted) {
            let gradient = if input.dtype().is_float() { gradients.next() } else { None };
            if let Some(gradient) = gradient.as_ref().filter(|gradient| gradient.shape() != input.shape()) {
                let (lhs, rhs) = (input.shape().sizes(), gradient.shape().sizes());
                return Err(Error::ShapeMismatch { op: origin.op, lhs, rhs, at: origin.at });
            }
            cotangents.push(gradient.filter(|_| wanted));
        }
        Ok(cotangents)
    }
}
