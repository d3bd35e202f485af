//! The CPU engine.
//!
//! A launch becomes a [`plan`]: dimensions, streams, and a [`choice`] of how to traverse them. The [`traverse`] module gives groups of it to threads, each
//! with an [`executor`] that turns streams into slots ([`view`], [`stage`], [`clip`]), calls pass bodies and folds reductions
//! ([`reduce`], [`moments`], [`partial`]). Pointwise launches over contiguous arrays skip all that ([`flat`]); contractions
//! go through a matrix product first ([`contraction`], [`product`]).
//!
//! Invariant: results are the same bits for any number of threads.

mod choice;
mod clip;
mod contraction;
mod executor;
mod flat;
mod moments;
mod monoid;
mod partial;
mod plan;
mod product;
mod reduce;
mod scatter;
mod scratch;
mod slots;
mod space;
mod stage;
mod traverse;
mod view;

#[cfg(test)]
mod tests;

use smallvec::SmallVec;

use self::executor::Found;
use self::plan::Plan;
pub(crate) use self::plan::needs_elements;
use super::{ArrayRef, Engine, Launch, LaunchError, LaunchFault, OutOfMemory, RunLaunch};
use crate::element::DType;
use crate::kernel::block::FaultKind;
use crate::kernel::body::InstructionSet;
use crate::kernel::program::{ReduceOp, WriteKind};

/// Runs kernels on the processor's cores.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CpuEngine {
    set: InstructionSet,
}

impl CpuEngine {
    /// An engine that uses an instruction set.
    pub(crate) fn new(set: InstructionSet) -> Self {
        Self { set }
    }

    /// Runs an elementwise kernel to its end; gives the lowest point at which it found something wrong.
    pub(crate) fn launch_over_runs(&self, launch: &RunLaunch<'_>) -> Option<(usize, FaultKind)> {
        flat::run_over_runs(launch, self.set).map(|found| (found.free, found.kind))
    }
}

impl Engine for CpuEngine {
    fn launch(&self, launch: &Launch<'_>) -> Result<(), LaunchError> {
        self.zero_scattered(launch);
        if launch.kernel.free.iter().any(|&axis| launch.axis_sizes(axis).any(|size| size == 0)) {
            return Ok(());
        }
        let found = match self.scatter_halves(launch) {
            Some(found) => found,
            None => self.run(launch),
        };
        match found.map_err(LaunchError::OutOfMemory)? {
            None => Ok(()),
            Some(found) => {
                let position = launch.position(found.free, found.reduced);
                Err(LaunchError::Fault(LaunchFault { kind: found.kind, position }))
            }
        }
    }
}

impl CpuEngine {
    fn run(&self, launch: &Launch<'_>) -> Result<Option<Found>, OutOfMemory> {
        if let Some(found) = flat::run(launch, self.set) {
            return Ok(found);
        }
        if let Some(found) = contraction::run(launch, self.set) {
            return found;
        }
        Ok(traverse::run(&Plan::new(launch, self.set, None)))
    }

    /// Fills the arrays whose scatters start from nothing.
    fn zero_scattered(&self, launch: &Launch<'_>) {
        for (write, array) in launch.kernel.writes.iter().zip(launch.writes) {
            if let WriteKind::Scatter { op, zeroed: true, .. } = write.kind
                && !array.pointer.is_null()
            {
                fill_identity(op, array);
            }
        }
    }

    /// Runs a launch that scatters into half arrays through `f32` arrays, so that sums are rounded once. Not into those
    /// that other launches change meanwhile.
    fn scatter_halves(&self, launch: &Launch<'_>) -> Option<Result<Option<Found>, OutOfMemory>> {
        let half = |position: usize| {
            let array = &launch.writes[position];
            matches!(launch.kernel.writes[position].kind, WriteKind::Scatter { .. })
                && matches!(array.dtype, DType::F16 | DType::Bf16)
                && !array.pointer.is_null()
                && !launch.is_atomic(position)
        };
        let halves: SmallVec<[usize; 2]> = (0..launch.writes.len()).filter(|&position| half(position)).collect();
        if halves.is_empty() {
            return None;
        }
        let mut wide: Vec<Wide> = halves.iter().map(|&position| Wide::of(self.set, &launch.writes[position])).collect();
        let mut writes: SmallVec<[ArrayRef<'_>; 4]> = SmallVec::from_slice(launch.writes);
        for (copy, &position) in wide.iter_mut().zip(&halves) {
            let pointer = copy.values.as_mut_ptr().cast();
            let shape = launch.writes[position].shape;
            writes[position] = ArrayRef { pointer, dtype: DType::F32, shape, strides: &copy.strides };
        }
        let found = self.run(&Launch { writes: &writes, ..*launch });
        drop(writes);
        for (copy, &position) in wide.iter().zip(&halves) {
            copy.narrow_into(self.set, &launch.writes[position]);
        }
        Some(found)
    }
}

/// A dense `f32` copy of a half array.
struct Wide {
    values: Vec<f32>,
    strides: SmallVec<[isize; 6]>,
}

impl Wide {
    fn of(set: InstructionSet, array: &ArrayRef<'_>) -> Self {
        let len = array.shape.iter().product();
        let bytes: SmallVec<[isize; 6]> = array.strides.iter().map(|stride| stride * 2).collect();
        let (mut halves, mut values) = (vec![0u16; len], vec![0f32; len]);
        // SAFETY: the array is the launch's; the vectors have its number of elements.
        unsafe {
            let dense = stage::dense_strides(array.shape, 2);
            stage::copy_box(array.shape, 2, halves.as_mut_ptr().cast(), &dense, array.pointer, &bytes);
            stage::widen(set, array.dtype, values.as_mut_ptr().cast(), halves.as_ptr().cast(), len);
        }
        Self { values, strides: stage::dense_strides(array.shape, 1) }
    }

    fn narrow_into(&self, set: InstructionSet, array: &ArrayRef<'_>) {
        let bytes: SmallVec<[isize; 6]> = array.strides.iter().map(|stride| stride * 2).collect();
        let mut halves = vec![0u16; self.values.len()];
        // SAFETY: as in `of`; the launch lends the array for writing.
        unsafe {
            let dense = stage::dense_strides(array.shape, 2);
            let len = halves.len();
            stage::narrow(set, array.dtype, halves.as_mut_ptr().cast(), self.values.as_ptr().cast(), len);
            stage::copy_box(array.shape, 2, array.pointer, &bytes, halves.as_ptr().cast(), &dense);
        }
    }
}

/// Fills an array with what a reduction gives for no elements.
fn fill_identity(op: ReduceOp, array: &ArrayRef<'_>) {
    let size = array.dtype.size();
    let strides: SmallVec<[isize; 6]> = array.strides.iter().map(|stride| stride * size as isize).collect();
    let still: SmallVec<[isize; 6]> = SmallVec::from_elem(0, array.shape.len());
    let mut identity = 0u64;
    let partials = reduce::Partials::new((&raw mut identity).cast(), std::ptr::null_mut());
    // A sum starts from 0, whose bits are 0 in every element; halves are filled through their wide copy.
    if op != ReduceOp::Sum {
        let reducer = reduce::Reducer { op, value: array.dtype };
        // SAFETY: `identity` has room for one value of any type.
        unsafe { reducer.identity(1, partials) };
    }
    // SAFETY: the launch lends the array for writing; the source is one element that is read again and again.
    unsafe { stage::copy_box(array.shape, size, array.pointer, &strides, (&raw const identity).cast(), &still) };
}
