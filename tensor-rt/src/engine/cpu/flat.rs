//! Pointwise launches over contiguous arrays, without a plan.
//!
//! Most calls of a program's operators are of this kind, and for a few elements a plan would cost more than the pass.
//!
//! Invariant: a launch is taken only if every array that it touches is one run of elements in the order of the kernel's
//! free axes, or a single element.

use rayon::prelude::*;
use smallvec::SmallVec;

use super::executor::Found;
use super::scratch::Scratch;
use super::stage::{STREAMED, finish_streams, splat, stream};
use super::traverse;
use crate::element::DType;
use crate::engine::{ArrayRef, Launch, RunLaunch};
use crate::kernel::block::{BLOCK, Block, BlockParts, Scalar, Slot};
use crate::kernel::body::{InstructionSet, PassFn};
use crate::kernel::program::{Index, Kernel, Write, WriteKind};

/// An array of a launch: how far its pointer moves per point, in bytes.
#[derive(Clone, Copy)]
struct Run {
    pointer: *mut u8,
    dtype: DType,
    step: usize,
    /// True if the memory must not be lent to the pass, because it also writes it.
    copied: bool,
}

/// Bytes of a launch that are more than caches keep, so that what is written is gone before it is read again.
const UNCACHED: usize = 64 << 20;

/// Runs a launch of this kind and gives its lowest fault; `None` if it is of another kind.
pub(super) fn run(launch: &Launch<'_>, set: InstructionSet) -> Option<Option<Found>> {
    let kernel = launch.kernel;
    let [pass] = kernel.passes else { return None };
    if !kernel.reduced.is_empty() || !pass.axes.is_empty() {
        return None;
    }
    let points: usize = kernel.free.iter().flat_map(|&axis| launch.axis_sizes(axis)).product();
    let mut operands: SmallVec<[Run; 4]> = SmallVec::new();
    for (position, (operand, array)) in kernel.operands.iter().zip(launch.operands).enumerate() {
        let own = operand.index.len() == kernel.free.len()
            && operand
                .index
                .iter()
                .zip(kernel.free)
                .all(|(index, free)| matches!(index, Index::Axis(axis) if axis == free));
        let plain = own || operand.index.iter().all(|index| matches!(index, Index::Axis(_)));
        let run = Run::of_operand(launch, position);
        let step = match repeats(array) {
            true if plain && !run.copied => 0,
            _ if own && is_dense(array) => run.step,
            _ => return None,
        };
        operands.push(Run { step, ..run });
    }
    for (write, array) in kernel.writes.iter().zip(launch.writes) {
        let WriteKind::Own { axes, .. } = write.kind else { return None };
        if axes != kernel.free || !(array.pointer.is_null() || is_dense(array)) {
            return None;
        }
    }

    let mut scratch: Option<Scratch> = None;
    for operand in operands.iter_mut().filter(|operand| operand.step == 0 && points > 1) {
        let scratch = scratch.get_or_insert_with(Scratch::acquire);
        let buffer = scratch.take(BLOCK * 8);
        // SAFETY: the operand has one element, which is initialised; the buffer has room for `BLOCK`.
        unsafe { splat(operand.dtype.size(), buffer, operand.pointer, points.min(BLOCK)) };
        operand.pointer = buffer;
    }
    let writes = launch.writes.iter().map(Run::of_write).collect();
    let (pass, scalars, sizes) = (launch.passes[0], launch.scalars, launch.sizes);
    Some(Flat { kernel, pass, set, points, operands, writes, scalars, sizes }.run())
}

/// Runs a launch that is known to be of this kind, and whose arrays are all runs; gives its lowest fault.
pub(super) fn run_over_runs(launch: &RunLaunch<'_>, set: InstructionSet) -> Option<Found> {
    let RunLaunch { kernel, pass, points, operands, writes, scalars, sizes } = *launch;
    let copied = |operand: &Slot| writes.iter().any(|write| write.pointer == operand.pointer);
    if points <= BLOCK && !operands.iter().any(copied) {
        let (mut scratch, mut kept): (Option<Scratch>, SmallVec<[Slot; 4]>) = (None, SmallVec::new());
        let mut outputs = writes;
        if writes.iter().any(|write| write.pointer.is_null()) {
            kept.extend_from_slice(writes);
            for slot in kept.iter_mut().filter(|slot| slot.pointer.is_null()) {
                slot.pointer = scratch.get_or_insert_with(Scratch::acquire).take(BLOCK * 8);
            }
            outputs = &kept;
        }
        let parts = BlockParts { operands, outputs, ..empty(points, scalars, sizes) };
        // SAFETY: `RunLaunch` lends the operands for reading and the writes for writing, and none is both; a write that
        // nobody wants goes to a buffer of `BLOCK` elements.
        return unsafe { call(pass, set, 0, &parts) };
    }
    let run = |slot: &Slot| Run { step: slot.dtype.size(), pointer: slot.pointer, dtype: slot.dtype, copied: false };
    let (mut runs, mut kept) = (SmallVec::new(), SmallVec::new());
    operands.iter().for_each(|operand| runs.push(Run { copied: copied(operand), ..run(operand) }));
    writes.iter().for_each(|write| kept.push(run(write).kept()));
    let (operands, writes) = (runs, kept);
    Flat { kernel, pass, set, points, operands, writes, scalars, sizes }.run()
}

/// A block of so many points without arrays.
fn empty<'a>(len: usize, scalars: &'a [Scalar], sizes: &'a [i64]) -> BlockParts<'a> {
    BlockParts {
        len,
        line: 0,
        operands: &[],
        axes: &[],
        rows: &[],
        bodies: &[],
        values: &[],
        outputs: &[],
        indices: &[],
        index_starts: &[],
        gathers: &[],
        scalars,
        sizes,
    }
}

/// Runs the block whose first point is `start`; gives its lowest fault.
///
/// # Safety
/// As [`Block::new`].
unsafe fn call(pass: PassFn, set: InstructionSet, start: usize, parts: &BlockParts<'_>) -> Option<Found> {
    // SAFETY: the caller's.
    let block = unsafe { Block::new(parts) };
    pass.call(set, &block);
    let fault = block.into_fault()?;
    let free = start + fault.point as usize;
    Some(Found { free, reduced: 0, order: (free, 0, 0), kind: fault.kind })
}

impl Run {
    /// A dense operand.
    fn of_operand(launch: &Launch<'_>, position: usize) -> Run {
        let ArrayRef { pointer, dtype, .. } = launch.operands[position];
        let copied = (0..launch.writes.len()).any(|write| launch.is_written(position, write));
        Run { pointer, dtype, step: dtype.size(), copied }
    }

    fn of_write(write: &ArrayRef<'_>) -> Run {
        let ArrayRef { pointer, dtype, .. } = *write;
        Run { pointer, dtype, step: dtype.size(), copied: false }.kept()
    }

    /// A write, repeated in place if nobody wants it.
    fn kept(self) -> Run {
        if self.pointer.is_null() { Run { step: 0, ..self } } else { self }
    }
}

/// A launch of this kind.
struct Flat<'a> {
    kernel: &'a Kernel,
    pass: PassFn,
    set: InstructionSet,
    points: usize,
    operands: SmallVec<[Run; 4]>,
    /// Null if nobody wants it.
    writes: SmallVec<[Run; 2]>,
    scalars: &'a [Scalar],
    sizes: &'a [i64],
}

// SAFETY: the pointers are dereferenced under the invariants of `Launch`, each thread writing the points of its own blocks.
unsafe impl Sync for Flat<'_> {}

impl Flat<'_> {
    /// Runs all blocks; gives the lowest fault.
    fn run(&self) -> Option<Found> {
        let (blocks, tasks) = (self.points.div_ceil(BLOCK), traverse::tasks(self.points, self.kernel.passes[0].cost));
        if tasks == 1 {
            return self.run_blocks(0, blocks);
        }
        (0..tasks)
            .into_par_iter()
            .map(|task| self.run_blocks(blocks * task / tasks, blocks * (task + 1) / tasks))
            .reduce(|| None, Found::lower)
    }

    /// True if a write goes past the caches, from a buffer: a line that is written whole need not be read from memory first.
    fn is_streamed(&self, write: usize) -> bool {
        let run = &self.writes[write];
        let reads_old = |write: &Write| matches!(write.kind, WriteKind::Own { reads_old: true, .. });
        let bytes = || self.operands.iter().chain(&self.writes).map(|run| run.step * self.points).sum::<usize>();
        // What is read as well is in the cache already.
        !reads_old(&self.kernel.writes[write])
            && !self.operands.iter().any(|run| run.copied)
            && run.step != 0
            && run.pointer.addr().is_multiple_of(STREAMED)
            && bytes() >= UNCACHED
    }

    /// Runs some blocks in order; gives the lowest fault.
    fn run_blocks(&self, first: usize, end: usize) -> Option<Found> {
        let mut scratch: Option<Scratch> = None;
        let mut buffer = || scratch.get_or_insert_with(Scratch::acquire).take(BLOCK * 8);
        let mut copies: SmallVec<[(usize, *mut u8); 2]> = SmallVec::new();
        for (position, run) in self.operands.iter().enumerate() {
            if run.copied {
                copies.push((position, buffer()));
            }
        }
        let mut writes: SmallVec<[Run; 2]> = SmallVec::from_slice(&self.writes);
        for write in writes.iter_mut().filter(|write| write.pointer.is_null()) {
            write.pointer = buffer();
        }
        let mut streams: SmallVec<[(usize, *mut u8); 2]> = SmallVec::new();
        for write in (0..writes.len()).filter(|&write| self.is_streamed(write)) {
            streams.push((write, buffer()));
        }
        let (mut operands, mut outputs) = (SmallVec::<[Slot; 4]>::new(), SmallVec::<[Slot; 2]>::new());
        let mut lowest = None;
        for block in first..end {
            let start = block * BLOCK;
            let len = (self.points - start).min(BLOCK);
            let slot = |run: &Run| Slot::of_points(run.pointer.wrapping_add(start * run.step), run.dtype);
            operands.clear();
            outputs.clear();
            self.operands.iter().for_each(|run| operands.push(slot(run)));
            writes.iter().for_each(|run| outputs.push(slot(run)));
            for &(position, copy) in &copies {
                let (slot, step) = (&mut operands[position], self.operands[position].step);
                // SAFETY: the operand has these `len` elements of `step` bytes; the buffer has room for `BLOCK`.
                unsafe { std::ptr::copy_nonoverlapping(slot.pointer, copy, len * step) };
                slot.pointer = copy;
            }
            streams.iter().for_each(|&(write, buffer)| outputs[write].pointer = buffer);
            let parts = BlockParts { operands: &operands, outputs: &outputs, ..empty(len, self.scalars, self.sizes) };
            // SAFETY: every array is one run of `points` elements (or a buffer that repeats its element), of which the
            // block is the next part; the launch lends operands for reading and writes for writing, an operand that is
            // written was copied, and a write that is streamed or that nobody wants goes to a buffer of `BLOCK` elements.
            let found = unsafe { call(self.pass, self.set, start, &parts) };
            // Blocks run in order, so the first fault is the lowest.
            lowest = lowest.or(found);
            for &(write, buffer) in &streams {
                let Run { pointer, step, .. } = self.writes[write];
                // SAFETY: the pass has filled `len` elements of `step` bytes of the buffer, which go to their place; a block
                // starts a multiple of `BLOCK` elements after an aligned one.
                unsafe { stream(pointer.wrapping_add(start * step), buffer, len * step) };
            }
        }
        if !streams.is_empty() {
            finish_streams();
        }
        lowest
    }
}

/// True if the elements follow each other in row-major order.
fn is_dense(array: &ArrayRef<'_>) -> bool {
    let mut stride = 1;
    for (&size, &found) in array.shape.iter().zip(array.strides).rev() {
        if size != 1 && found != stride {
            return false;
        }
        stride *= size as isize;
    }
    true
}

/// True if there is one element, perhaps repeated.
fn repeats(array: &ArrayRef<'_>) -> bool {
    array.shape.iter().zip(array.strides).all(|(&size, &stride)| size == 1 || stride == 0)
}
