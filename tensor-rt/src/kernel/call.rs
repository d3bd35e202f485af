//! A call of a kernel: from arguments to results.
//!
//! The typed wrapper that `tensor_fn!` writes puts its arguments into a [`Call`], runs it, and takes the results out of
//! [`Outputs`] with their types. Everything between is without types: sizes are resolved and checked, arrays made, the
//! forward schedule run, and, if an argument is tracked, a node of the graph attached to the results.
//!
//! Invariant: nothing is launched before every check that needs no device has passed.

use smallvec::SmallVec;

use super::adjoint::ProgramAdjoint;
use super::block::Scalar;
use super::body::Bodies;
use super::bounds::check_indices;
use super::elementwise;
use super::launch::{Arguments, Arrays, Frame, Params, Setting, absent, check_empty_reductions, reads};
use super::program::{Array, Intent, Program};
use super::sizes::Resolved;
use crate::autograd::{self, Adjoint};
use crate::device::Device;
use crate::element::{DType, Element};
use crate::error::{Error, Origin, Result};
use crate::home::Home;
use crate::mode::GradMode;
use crate::relation::InPlace;
use crate::tensor::raw::{Exclusive, Raw};
use crate::tensor::{AtomicTensor, Tensor};

/// A call of a kernel that is being put together: arguments in the order of the signature.
pub struct Call<'a> {
    pub(super) program: &'static Program,
    bodies: Bodies,
    pub(super) generic: DType,
    pub(super) origin: Origin,
    /// That of the first tensor, or of the device.
    home: Option<Home>,
    pub(super) arguments: Arguments<'a>,
    pub(super) scalars: SmallVec<[Scalar; 4]>,
    /// The first error of an edited place.
    failed: Option<Error>,
}

/// The results of a call, to be taken in order.
pub struct Outputs {
    raws: Arrays,
    taken: usize,
}

impl<'a> Call<'a> {
    /// A call of `program` for the element `generic`.
    #[track_caller]
    pub fn new(program: &'static Program, bodies: Bodies, generic: DType) -> Self {
        Self::from(program, bodies, generic, Origin::of(program.name))
    }

    /// A call that another operation makes on behalf of its caller.
    pub(crate) fn from(program: &'static Program, bodies: Bodies, generic: DType, origin: Origin) -> Self {
        let (arguments, scalars) = (Arguments::default(), SmallVec::new());
        Self { program, bodies, generic, origin, home: None, arguments, scalars, failed: None }
    }

    /// A tensor that is read.
    pub fn tensor<D: Device, G: GradMode, T: Element>(&mut self, tensor: &'a Tensor<D, G, T>) {
        self.at(tensor.raw.home());
        self.arguments.read(&tensor.raw);
    }

    /// A place that is edited; its storage is made unique.
    pub fn edit<Y: InPlace>(&mut self, place: &'a mut Y) {
        match place.exclusive(self.origin) {
            Ok(place) => self.raw_place(place),
            Err(error) => self.failed = self.failed.take().or(Some(error)),
        }
    }

    /// A tensor whose storage an output may take.
    pub fn donate<D: Device, G: GradMode, T: Element>(&mut self, tensor: Tensor<D, G, T>) {
        self.at(tensor.raw.home());
        self.arguments.donate(tensor.raw);
    }

    /// A tensor that is accumulated into.
    pub fn atomic<D: Device, T: Element>(&mut self, tensor: &'a AtomicTensor<D, T>) {
        self.raw(&tensor.raw);
    }

    /// A tensor without types that is read, or accumulated into.
    pub(crate) fn raw(&mut self, raw: &'a Raw) {
        self.at(raw.home());
        self.arguments.read(raw);
    }

    /// A place without types that is edited.
    pub(crate) fn raw_place(&mut self, place: Exclusive<'a>) {
        self.at(place.raw().home());
        self.arguments.edit(place);
    }

    /// The device of a kernel without tensors.
    pub fn device<D: Device>(&mut self, device: &D) {
        self.at(device.home());
    }

    fn at(&mut self, home: Home) {
        self.home.get_or_insert(home);
    }

    /// A `float` scalar.
    pub fn float(&mut self, value: f64) {
        self.scalars.push(Scalar::Float(value));
    }

    /// An `f32` scalar.
    pub fn f32(&mut self, value: f32) {
        self.scalars.push(Scalar::F32(value));
    }

    /// An `f64` scalar.
    pub fn f64(&mut self, value: f64) {
        self.scalars.push(Scalar::F64(value));
    }

    /// An `i64` scalar.
    pub fn i64(&mut self, value: i64) {
        self.scalars.push(Scalar::Int(value));
    }

    /// A `usize` scalar; one that is no `i64` is an error when the call runs.
    pub fn usize(&mut self, value: usize) {
        let int = i64::try_from(value).unwrap_or_else(|_| {
            let (op, at) = (self.origin.op, self.origin.at);
            let name = self.program.scalars.get(self.scalars.len()).map_or("", |scalar| scalar.name);
            let expected = "at most 2^63 - 1";
            let error = Error::InvalidArgument { op, name, expected, found: value as f64, at };
            self.failed = self.failed.take().or(Some(error));
            0
        });
        self.scalars.push(Scalar::Int(int));
    }

    /// A `u64` scalar.
    pub fn u64(&mut self, value: u64) {
        self.scalars.push(Scalar::U64(value));
    }

    /// A `bool` scalar.
    pub fn bool(&mut self, value: bool) {
        self.scalars.push(Scalar::Bool(value));
    }

    /// Runs the kernel.
    ///
    /// # Errors
    /// Fails if sizes do not agree or have no value, if the device is out of memory, and with what the kernel finds wrong
    /// while it runs.
    pub fn run(mut self) -> Result<Outputs> {
        let (program, origin) = (self.program, self.origin);
        let (resolved, home) = self.resolve()?;
        let setting =
            Setting { program, generic: self.generic, resolved: &resolved, scalars: &self.scalars, home, origin };
        if !program.forward.elementwise {
            check_empty_reductions(&setting, &program.forward)?;
            check_indices(&setting, &program.forward)?;
        }

        let tracked = self.arguments.raws().any(|raw| raw.node().is_some());
        let mut outputs = Arrays::new();
        for (position, output) in program.outputs.iter().enumerate() {
            let output = match self.arguments.donated(program, position as u16, tracked) {
                Some(donated) => donated.at(home),
                None => setting.allocate(output)?,
            };
            outputs.push(Some(output));
        }
        let mut saved = absent(program.saved.len());
        if tracked {
            for (position, (residual, place)) in program.saved.iter().zip(&mut saved).enumerate() {
                if self.is_output(position) {
                    continue;
                }
                *place = Some(setting.allocate(&residual.array)?);
            }
        }
        let raw = |array| match array {
            Array::Param(param) => Some(self.arguments.raw(param as usize)),
            Array::Output(output) => outputs[output as usize].as_ref(),
            Array::Saved(residual) => saved[residual as usize].as_ref(),
            Array::Cotangent(_) | Array::Gradient(_) | Array::Temp(_) => None,
        };
        let done =
            program.forward.elementwise && elementwise::run(&setting, &program.forward, self.bodies.forward, raw)?;
        if !done {
            let mut frame = Frame {
                setting,
                schedule: &program.forward,
                bodies: self.bodies.forward,
                params: Params::Given(&mut self.arguments),
                cotangents: Arrays::new(),
                outputs,
                gradients: Arrays::new(),
                saved,
                temps: absent(program.forward.temps.len()),
            };
            frame.run()?;
            (outputs, saved) = (frame.outputs, frame.saved);
        }
        if tracked {
            for (position, place) in saved.iter_mut().enumerate() {
                if place.is_none()
                    && let Some(output) = program.saved[position].output
                {
                    place.clone_from(&outputs[output as usize]);
                }
            }
            self.attach(&mut outputs, saved, resolved)?;
        }
        Ok(Outputs::new(outputs))
    }

    /// The sizes of everything, and where the call runs.
    pub(super) fn resolve(&mut self) -> Result<(Resolved, Home)> {
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        debug_assert_eq!(self.arguments.len(), self.program.tensors.len());
        let shape = |param| -> &[usize] { self.arguments.raw(param).shape() };
        let alike = self.program.forward.elementwise.then(|| elementwise::sizes(self.program, self.arguments.raws()));
        let resolved = match alike.flatten() {
            Some(resolved) => resolved,
            None => Resolved::of(self.program, shape, &self.scalars, self.origin)?,
        };
        let Some(home) = self.home else { unreachable!("bug in tensor_fn!: a call without a device") };
        Ok((resolved, home))
    }

    /// True if a residual is the handle of an output: one that stores it without loss, and that no kernel of the forward
    /// schedule reads before the output is written.
    fn is_output(&self, residual: usize) -> bool {
        let saved = &self.program.saved[residual];
        saved.output.is_some_and(|output| {
            let of_output = self.program.outputs[output as usize].elem.dtype(self.generic);
            saved.array.elem.dtype(self.generic) == of_output
                && !reads(&self.program.forward, Array::Saved(residual as u16))
        })
    }

    /// Gives the results their place in the graph.
    fn attach(&self, outputs: &mut Arrays, saved: Arrays, resolved: Resolved) -> Result<()> {
        let program = self.program;
        let Some(backward) = &program.backward else {
            unreachable!("bug in tensor_fn!: a tracked argument of a kernel without a gradient")
        };
        debug_assert!(program.tensors.iter().all(|param| matches!(param.intent, Intent::Read | Intent::Donate(_))));
        let mut params = Arrays::new();
        for (param, raw) in self.arguments.raws().enumerate() {
            params.push(reads(backward, Array::Param(param as u16)).then(|| raw.detached()));
        }
        let adjoint = ProgramAdjoint {
            program,
            bodies: self.bodies.backward,
            generic: self.generic,
            home: self.home.unwrap_or(Home::CPU),
            resolved,
            scalars: self.scalars.as_slice().into(),
            params,
            saved,
        };
        self.record(outputs, adjoint)
    }

    /// Makes the results of a call with a tracked argument part of the graph.
    pub(super) fn record(&self, outputs: &mut Arrays, adjoint: impl Adjoint + 'static) -> Result<()> {
        for raw in outputs.iter().flatten() {
            autograd::check_forward(raw, self.origin)?;
        }
        let inputs = self.arguments.raws().map(|raw| raw.node());
        let nodes = autograd::record(self.origin, inputs, outputs.len(), adjoint);
        for (output, node) in outputs.iter_mut().zip(nodes) {
            // Results without a gradient (integers, masks) are not part of the graph.
            *output = output.take().map(|raw| if raw.dtype().is_float() { raw.with_node(Some(node)) } else { raw });
        }
        Ok(())
    }
}

impl Outputs {
    /// The results in order.
    pub(super) fn new(raws: Arrays) -> Self {
        Self { raws, taken: 0 }
    }

    /// The next result.
    pub fn take<D: Device, G: GradMode, T: Element>(&mut self) -> Tensor<D, G, T> {
        Tensor::from_raw(self.next())
    }

    /// The only result, without types.
    pub(crate) fn into_raw(mut self) -> Raw {
        debug_assert_eq!(self.raws.len(), 1);
        self.next()
    }

    fn next(&mut self) -> Raw {
        let raw = self.raws.get_mut(self.taken).and_then(Option::take);
        self.taken += 1;
        raw.expect("bug in tensor_fn!: more results are taken than there are")
    }
}
