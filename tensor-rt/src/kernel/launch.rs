//! Running a schedule: arrays by name, kernels in order.
//!
//! A [`Frame`] holds every array that a schedule may name. Arrays that nobody needs are absent: a kernel none of whose
//! writes is present does not run, and an absent write of a kernel that runs goes nowhere. What is needed is decided
//! backwards over the schedule before anything runs.
//!
//! Invariant: an array is written by the kernels of its schedule only while nobody else holds a handle on its storage, or
//! it is an edited parameter, whose place is borrowed exclusively, or an atomic one, which is only combined into, by atomic
//! operations. An output may lie in the storage of a donated parameter, exactly on its elements, if the program says so.

use smallvec::SmallVec;

use super::block::{FaultKind, Scalar};
use super::body::{InstructionSet, PassFn};
use super::program::{Array, ArrayDecl, Intent, Kernel, Pass, PassKind, Program, Schedule, WriteKind};
use super::sizes::Resolved;
use crate::accounting;
use crate::device::DeviceId;
use crate::element::DType;
use crate::engine::cpu::{CpuEngine, needs_elements};
use crate::engine::{ArrayRef, Engine, Launch, LaunchError, LaunchFault, OutOfMemory};
use crate::error::{Error, Origin, Result, Sizes};
use crate::tensor::raw::{Exclusive, Raw};

/// The tensor arguments of a call, in order.
#[derive(Default)]
pub(crate) struct Arguments<'a> {
    order: SmallVec<[Argument<'a>; 4]>,
    /// Places that are edited.
    edited: SmallVec<[Exclusive<'a>; 4]>,
    /// Tensors that the call owns.
    donated: SmallVec<[Raw; 2]>,
}

#[derive(Clone, Copy)]
enum Argument<'a> {
    Read(&'a Raw),
    /// By position among the edited places.
    Edit(usize),
    /// By position among the donated tensors.
    Donate(usize),
}

/// An argument.
pub(crate) enum Part<'p, 'a> {
    Read(&'p Raw),
    Edit(&'p mut Exclusive<'a>),
}

impl<'a> Arguments<'a> {
    /// Adds a tensor that is only read, or only combined into by atomic operations.
    pub fn read(&mut self, raw: &'a Raw) {
        self.order.push(Argument::Read(raw));
    }

    /// Adds a place that is edited.
    pub fn edit(&mut self, place: Exclusive<'a>) {
        self.order.push(Argument::Edit(self.edited.len()));
        self.edited.push(place);
    }

    /// Adds a tensor that the call owns.
    pub fn donate(&mut self, raw: Raw) {
        self.order.push(Argument::Donate(self.donated.len()));
        self.donated.push(raw);
    }

    /// An output in the storage of the first donated tensor that it may take: no other handle sees the storage, the tensor
    /// is dense in it, and if the call is tracked, no gradient needs its value.
    pub fn donated(&mut self, program: &Program, output: u16, tracked: bool) -> Option<Raw> {
        if self.donated.is_empty() {
            return None;
        }
        for (param, declared) in program.tensors.iter().enumerate() {
            let (Intent::Donate(takers), Argument::Donate(place)) = (declared.intent, self.order[param]) else {
                continue;
            };
            let is_needed = || {
                let backward = program.backward.as_ref().filter(|_| tracked);
                backward.is_some_and(|backward| reads(backward, Array::Param(param as u16)))
            };
            let raw = &mut self.donated[place];
            if takers.contains(&output) && raw.is_alone() && raw.is_dense() && !is_needed() {
                return Some(raw.detached());
            }
        }
        None
    }

    /// The number of arguments.
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// An argument by position.
    pub fn raw(&self, param: usize) -> &Raw {
        self.at(&self.order[param])
    }

    #[inline]
    fn at(&self, argument: &Argument<'a>) -> &Raw {
        match *argument {
            Argument::Read(raw) => raw,
            Argument::Edit(place) => self.edited[place].raw(),
            Argument::Donate(place) => &self.donated[place],
        }
    }

    /// All arguments, each as it may be used.
    pub fn parts(&mut self) -> impl Iterator<Item = Part<'_, 'a>> {
        let (mut edited, donated) = (self.edited.iter_mut(), &self.donated);
        self.order.iter().map(move |argument| match *argument {
            Argument::Read(raw) => Part::Read(raw),
            Argument::Donate(place) => Part::Read(&donated[place]),
            // Places are in the order of their arguments.
            Argument::Edit(_) => Part::Edit(edited.next().expect("bug in a call: a place for each edited argument")),
        })
    }

    /// All arguments.
    pub fn raws(&self) -> impl Iterator<Item = &Raw> {
        self.order.iter().map(|argument| self.at(argument))
    }
}

/// Arrays, by position.
pub(crate) type Arrays = SmallVec<[Option<Raw>; 3]>;

/// Places for so many arrays.
pub(crate) fn absent(count: usize) -> Arrays {
    let mut arrays = Arrays::new();
    for _ in 0..count {
        arrays.push(None);
    }
    arrays
}

/// What is the same for both directions of a call.
#[derive(Clone, Copy)]
pub(crate) struct Setting<'a> {
    pub program: &'static Program,
    /// The element of a generic kernel.
    pub generic: DType,
    pub resolved: &'a Resolved,
    pub scalars: &'a [Scalar],
    pub device: DeviceId,
    pub origin: Origin,
}

/// The tensor parameters of a schedule.
pub(crate) enum Params<'a, 'p> {
    /// The arguments of a call, which nobody else uses while it runs.
    Given(&'a mut Arguments<'p>),
    /// What a backward pass kept of them.
    Kept(&'a [Option<Raw>]),
}

/// The arrays of a schedule.
pub(crate) struct Frame<'a, 'p> {
    pub setting: Setting<'a>,
    pub schedule: &'static Schedule,
    pub bodies: &'static [&'static [PassFn]],
    pub params: Params<'a, 'p>,
    pub cotangents: Arrays,
    pub outputs: Arrays,
    pub gradients: Arrays,
    pub saved: Arrays,
    pub temps: Arrays,
}

impl Setting<'_> {
    /// A new array.
    pub fn allocate(&self, decl: &ArrayDecl) -> Result<Raw> {
        let shape = self.resolved.shape(self.program, decl.axes);
        Raw::empty(self.device, decl.elem.dtype(self.generic), shape, self.origin)
    }
}

impl Frame<'_, '_> {
    /// Decides which kernels run, makes the temporaries (and residuals) that they need, and runs them.
    pub fn run(&mut self) -> Result<()> {
        let engine = engine(self.setting.device)?;
        let mut runs: SmallVec<[bool; 8]> = SmallVec::from_elem(false, self.schedule.kernels.len());
        for (position, kernel) in self.schedule.kernels.iter().enumerate().rev() {
            if !kernel.writes.iter().any(|write| self.raw(write.array).is_some()) && !self.checks(position) {
                continue;
            }
            runs[position] = true;
            for operand in kernel.operands {
                self.need(operand.array)?;
            }
        }
        for (position, kernel) in self.schedule.kernels.iter().enumerate() {
            if runs[position] {
                self.launch(engine, kernel, self.bodies[position])?;
            }
        }
        Ok(())
    }

    /// True if a kernel checks an assertion: those of a forward pass, unless it writes nothing.
    fn checks(&self, kernel: usize) -> bool {
        let Setting { program, resolved, .. } = self.setting;
        matches!(self.params, Params::Given(_))
            && program.assertions.iter().any(|assertion| assertion.kernel as usize == kernel)
            && resolved.writes_something(program)
    }

    /// Makes an array that a kernel which runs reads.
    fn need(&mut self, array: Array) -> Result<()> {
        let (place, decl) = match array {
            Array::Temp(temp) => (&mut self.temps[temp as usize], &self.schedule.temps[temp as usize]),
            Array::Saved(saved) => (&mut self.saved[saved as usize], &self.setting.program.saved[saved as usize].array),
            Array::Param(_) | Array::Cotangent(_) | Array::Output(_) | Array::Gradient(_) => return Ok(()),
        };
        if place.is_none() {
            *place = Some(self.setting.allocate(decl)?);
        }
        Ok(())
    }

    fn raw(&self, array: Array) -> Option<&Raw> {
        match array {
            Array::Param(param) => match &self.params {
                Params::Given(arguments) => Some(arguments.raw(param as usize)),
                Params::Kept(kept) => kept[param as usize].as_ref(),
            },
            Array::Cotangent(output) => self.cotangents[output as usize].as_ref(),
            Array::Output(output) => self.outputs[output as usize].as_ref(),
            Array::Gradient(param) => self.gradients[param as usize].as_ref(),
            Array::Saved(saved) => self.saved[saved as usize].as_ref(),
            Array::Temp(temp) => self.temps[temp as usize].as_ref(),
        }
    }

    fn launch(&self, engine: &dyn Engine, kernel: &Kernel, passes: &[PassFn]) -> Result<()> {
        let Setting { program, generic, resolved, scalars, origin, .. } = self.setting;
        // No elements, no launch; but a scatter also fills what it adds to.
        let scatters = kernel.writes.iter().any(|write| matches!(write.kind, WriteKind::Scatter { .. }));
        if !scatters && resolved.points(program, kernel.free) == 0 {
            return Ok(());
        }
        let mut operands: SmallVec<[ArrayRef<'_>; 4]> = SmallVec::new();
        for operand in kernel.operands {
            let Some(raw) = self.raw(operand.array) else {
                unreachable!("bug in a program: {:?} is read and never written", operand.array)
            };
            operands.push(array_of(raw));
        }
        let mut writes: SmallVec<[ArrayRef<'_>; 2]> = SmallVec::new();
        for write in kernel.writes {
            let dtype = write.elem.dtype(generic);
            let unwanted = ArrayRef { pointer: std::ptr::null_mut(), dtype, shape: &[], strides: &[] };
            writes.push(self.raw(write.array).map_or(unwanted, array_of));
        }
        accounting::launch(origin.at, traversals(kernel));
        // SAFETY: arrays are raw tensors, whose elements are allocated and of their type, and initialised by whoever made
        // them or by the kernels before. Written ones are fresh storages that only this frame refers to, or places that
        // it borrows exclusively; so no array overlaps a written one, and nobody else reads or writes those. Atomic ones
        // are not read, and nobody has another kind of handle on their storage. An output in the storage of a donated
        // parameter is that parameter's elements, which the program lets it take. Shapes were resolved against
        // parameters and made from the same sizes; affine indices were checked.
        let launch = unsafe {
            Launch::new(program, kernel, passes, generic, &resolved.sizes, &resolved.rest, scalars, &operands, &writes)
        };
        engine.launch(&launch).or_else(|error| match error {
            // The kernel ran for another reason than its assertion.
            LaunchError::Fault(LaunchFault { kind: FaultKind::Assertion { .. }, .. })
                if !resolved.writes_something(program) =>
            {
                Ok(())
            }
            error => Err(error_of(error, self.schedule, kernel, self.setting)),
        })
    }
}

/// How often a kernel passes over its data: once for each level, and once to write what has its reduced axes. Writing the
/// results of rows is no pass of its own.
fn traversals(kernel: &Kernel) -> usize {
    let outer = |pass: &&Pass| pass.kind != PassKind::Outer || kernel.reduced.is_empty();
    kernel.passes.iter().filter(outer).count()
}

/// The elements of a tensor, for an engine.
fn array_of(raw: &Raw) -> ArrayRef<'_> {
    ArrayRef { pointer: raw.pointer().cast_mut(), dtype: raw.dtype(), shape: raw.shape(), strides: raw.strides() }
}

pub(super) fn error_of(error: LaunchError, schedule: &Schedule, kernel: &Kernel, setting: Setting<'_>) -> Error {
    let Origin { op, at } = setting.origin;
    let fault = match error {
        LaunchError::Fault(fault) => fault,
        LaunchError::OutOfMemory(OutOfMemory { requested, free, largest_block }) => {
            let (requested, free, largest_block) = (requested as u64, free as u64, largest_block as u64);
            return Error::OutOfMemory { requested, free, largest_block, device: setting.device, op, at };
        }
    };
    let position = fault.position;
    let program = setting.program;
    let out_of_range = |array: Array, dim: u16, value: i64, bound: i64, position| {
        let axis = array.axes(program, schedule)[dim as usize];
        let (param, axis) = (array.param_name(program), Some(program.axes[axis as usize].name));
        Error::IndexOutOfRange { op, param, axis, value, bound: bound as usize, position, at }
    };
    match fault.kind {
        FaultKind::Gather { operand, dim, value, bound } => {
            out_of_range(kernel.operands[operand as usize].array, dim, value, bound, position)
        }
        FaultKind::Scatter { write, dim, value, bound } => {
            out_of_range(kernel.writes[write as usize].array, dim, value, bound, position)
        }
        FaultKind::DivisionByZero | FaultKind::DivisionOverflow => Error::DivisionByZero { op, position, at },
        FaultKind::Assertion { assertion } => {
            let assertion = &setting.program.assertions[assertion as usize];
            let position = along(assertion.axes, &position, kernel, setting);
            Error::Assertion { op, text: assertion.text, position, at }
        }
    }
}

/// The part of a position in a kernel that is the index along some of its axes.
fn along(axes: &[u16], position: &[usize], kernel: &Kernel, setting: Setting<'_>) -> Sizes {
    let rank = |axis: u16| if setting.program.axes[axis as usize].rest { setting.resolved.rest.len() } else { 1 };
    let mut index = vec![];
    for &axis in axes {
        let mut start = 0;
        for &own in kernel.free.iter().chain(kernel.reduced) {
            if own == axis {
                index.extend_from_slice(&position[start..start + rank(own)]);
            }
            start += rank(own);
        }
    }
    index.into()
}

/// The engine of a device.
fn engine(device: DeviceId) -> Result<&'static dyn Engine> {
    #[cfg(test)]
    if let Some(engine) = crate::engine::cuda::tests::mirror::engine() {
        return Ok(engine);
    }
    match device {
        DeviceId::Cpu => Ok(cpu_engine()?),
        DeviceId::Cuda(_) => Err(Error::CudaUnavailable { device, reason: "this build has no CUDA engine" }),
    }
}

/// The CPU engine on the fastest instruction set, or on the one that `TENSOR_ISA` names.
pub(super) fn cpu_engine() -> Result<&'static CpuEngine> {
    static ENGINE: std::sync::OnceLock<Result<CpuEngine, Error>> = std::sync::OnceLock::new();
    let chosen = ENGINE.get_or_init(|| {
        let available = InstructionSet::available();
        let Some(name) = std::env::var_os("TENSOR_ISA") else {
            return Ok(CpuEngine::new(*available.last().unwrap_or(&InstructionSet::BASELINE)));
        };
        let name = name.to_string_lossy();
        match available.iter().find(|set| set.name() == name) {
            Some(set) => Ok(CpuEngine::new(*set)),
            None => {
                let available = available.iter().map(|set| set.name()).collect();
                Err(Error::UnknownInstructionSet { name: name.as_ref().into(), available })
            }
        }
    });
    chosen.as_ref().map_err(Error::clone)
}

/// A reduction that has no value for no elements must have elements wherever a written element depends on it. Checked
/// before the first launch.
pub(crate) fn check_empty_reductions(setting: &Setting<'_>, schedule: &Schedule) -> Result<()> {
    let Setting { program, resolved, origin, .. } = *setting;
    if !resolved.sizes.contains(&0) {
        return Ok(());
    }
    // The reduction without a value that each temporary and each residual depends on.
    let mut temps: SmallVec<[Option<&'static str>; 4]> = SmallVec::from_elem(None, schedule.temps.len());
    let mut saved: SmallVec<[Option<&'static str>; 4]> = SmallVec::from_elem(None, program.saved.len());
    for kernel in schedule.kernels {
        if resolved.points(program, kernel.free) == 0 {
            continue;
        }
        let no_elements = !kernel.reduced.is_empty() && resolved.points(program, kernel.reduced) == 0;
        let mut rows: SmallVec<[Option<&'static str>; 4]> = kernel
            .reductions
            .iter()
            .map(|reduction| (no_elements && needs_elements(reduction.op)).then_some(reduction.name))
            .collect();
        for pass in kernel.passes {
            if no_elements && pass.kind != PassKind::Outer {
                continue;
            }
            let of_operand = |&operand: &u16| match kernel.operands[operand as usize].array {
                Array::Temp(temp) => temps[temp as usize],
                Array::Saved(position) => saved[position as usize],
                Array::Param(_) | Array::Cotangent(_) | Array::Output(_) | Array::Gradient(_) => None,
            };
            let valueless = pass
                .operands
                .iter()
                .find_map(of_operand)
                .or_else(|| pass.rows.iter().find_map(|&row| rows[row as usize]));
            let Some(reduction) = valueless else { continue };
            for &row in pass.reductions {
                rows[row as usize] = Some(reduction);
            }
            for &write in pass.writes {
                match kernel.writes[write as usize].array {
                    Array::Temp(temp) => temps[temp as usize] = Some(reduction),
                    Array::Saved(position) => saved[position as usize] = Some(reduction),
                    Array::Param(_) | Array::Cotangent(_) | Array::Output(_) | Array::Gradient(_) => {
                        return Err(Error::EmptyReduction { op: origin.op, reduction, at: origin.at });
                    }
                }
            }
        }
    }
    Ok(())
}

/// True if a kernel of a schedule reads an array.
pub(crate) fn reads(schedule: &Schedule, array: Array) -> bool {
    schedule.kernels.iter().any(|kernel| kernel.operands.iter().any(|operand| operand.array == array))
}
