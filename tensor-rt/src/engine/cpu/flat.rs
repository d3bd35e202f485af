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
use crate::engine::{ArrayRef, Launch};
use crate::kernel::block::{BLOCK, Block, BlockParts, Slot};
use crate::kernel::body::InstructionSet;
use crate::kernel::program::{Index, WriteKind};

/// An array of a launch: how far its pointer moves per point, in bytes.
#[derive(Clone, Copy)]
struct Run {
    pointer: *mut u8,
    dtype: DType,
    step: usize,
    /// True if the memory must not be lent to the pass, because it also writes it.
    copied: bool,
    /// True if it is written past the caches, from a buffer.
    streamed: bool,
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
        let dtype = launch.dtype(operand.elem);
        let own = operand.index.len() == kernel.free.len()
            && operand
                .index
                .iter()
                .zip(kernel.free)
                .all(|(index, free)| matches!(index, Index::Axis(axis) if axis == free));
        let plain = own || operand.index.iter().all(|index| matches!(index, Index::Axis(_)));
        let copied = (0..kernel.writes.len()).any(|write| launch.is_written(position, write));
        let step = match repeats(array) {
            true if plain && !copied => 0,
            _ if own && is_dense(array) => dtype.size(),
            _ => return None,
        };
        operands.push(Run { pointer: array.pointer, dtype, step, copied, streamed: false });
    }
    let mut writes: SmallVec<[Run; 2]> = SmallVec::new();
    for (write, array) in kernel.writes.iter().zip(launch.writes) {
        let WriteKind::Own { axes, reads_old } = write.kind else { return None };
        if axes != kernel.free || array.pointer.is_null() || !is_dense(array) {
            return None;
        }
        let dtype = launch.dtype(write.elem);
        let streamed = !reads_old && array.pointer.addr().is_multiple_of(STREAMED);
        writes.push(Run { pointer: array.pointer, dtype, step: dtype.size(), copied: false, streamed });
    }
    let bytes: usize = operands.iter().chain(&writes).map(|run| run.step * points).sum();
    // What is also read is in the cache already.
    if bytes < UNCACHED || operands.iter().any(|run| run.copied) {
        writes.iter_mut().for_each(|run| run.streamed = false);
    }

    let mut scratch: Option<Scratch> = None;
    for operand in operands.iter_mut().filter(|operand| operand.step == 0 && points > 1) {
        let scratch = scratch.get_or_insert_with(Scratch::acquire);
        let buffer = scratch.take(BLOCK * 8);
        // SAFETY: the operand has one element, which is initialised; the buffer has room for `BLOCK`.
        unsafe { splat(operand.dtype.size(), buffer, operand.pointer, points.min(BLOCK)) };
        operand.pointer = buffer;
    }
    let flat = Flat { launch, set, points, operands: &operands, writes: &writes };
    let tasks = traverse::tasks(points, pass.cost);
    if tasks == 1 {
        return Some(flat.run_blocks(0, flat.blocks()));
    }
    let blocks = flat.blocks();
    let found = (0..tasks)
        .into_par_iter()
        .map(|task| flat.run_blocks(blocks * task / tasks, blocks * (task + 1) / tasks))
        .reduce(|| None, Found::lower);
    Some(found)
}

/// A launch of this kind.
struct Flat<'a> {
    launch: &'a Launch<'a>,
    set: InstructionSet,
    points: usize,
    operands: &'a [Run],
    writes: &'a [Run],
}

// SAFETY: the pointers are dereferenced under the invariants of `Launch`, each thread writing the points of its own blocks.
unsafe impl Sync for Flat<'_> {}

impl Flat<'_> {
    fn blocks(&self) -> usize {
        self.points.div_ceil(BLOCK)
    }

    /// Runs some blocks in order; gives the lowest fault.
    fn run_blocks(&self, first: usize, end: usize) -> Option<Found> {
        let mut lowest = None;
        let mut operands: SmallVec<[Slot; 4]> = SmallVec::from_elem(Slot::VACANT, self.operands.len());
        let mut outputs: SmallVec<[Slot; 2]> = SmallVec::from_elem(Slot::VACANT, self.writes.len());
        let mut scratch: Option<Scratch> = None;
        let mut buffer = |_: &Run| scratch.get_or_insert_with(Scratch::acquire).take(BLOCK * 8);
        let copies: SmallVec<[Option<*mut u8>; 4]> =
            self.operands.iter().map(|run| Some(run).filter(|run| run.copied).map(&mut buffer)).collect();
        let streams: SmallVec<[Option<*mut u8>; 2]> =
            self.writes.iter().map(|run| Some(run).filter(|run| run.streamed).map(&mut buffer)).collect();
        for block in first..end {
            let start = block * BLOCK;
            for (slot, run) in operands.iter_mut().zip(self.operands).chain(outputs.iter_mut().zip(self.writes)) {
                *slot = Slot::of_points(run.pointer.wrapping_add(start * run.step), run.dtype);
            }
            let len = (self.points - start).min(BLOCK);
            for ((slot, run), copy) in operands.iter_mut().zip(self.operands).zip(&copies) {
                if let Some(copy) = *copy {
                    // SAFETY: the operand has these `len` elements of `step` bytes; the buffer has room for `BLOCK`.
                    unsafe { std::ptr::copy_nonoverlapping(slot.pointer, copy, len * run.step) };
                    slot.pointer = copy;
                }
            }
            for (slot, stream) in outputs.iter_mut().zip(&streams) {
                slot.pointer = stream.unwrap_or(slot.pointer);
            }
            let parts = BlockParts {
                len,
                line: 0,
                operands: &operands,
                axes: &[],
                rows: &[],
                bodies: &[],
                values: &[],
                outputs: &outputs,
                indices: &[],
                index_starts: &[],
                gathers: &[],
                scalars: self.launch.scalars,
                sizes: self.launch.sizes,
            };
            // SAFETY: every array is one run of `points` elements (or a buffer that repeats its element), of which the
            // block is the next part, or a buffer of this thread; `Launch` lends operands for reading and writes for
            // writing, and an operand that is written was copied.
            let block = unsafe { Block::new(parts) };
            self.launch.passes[0].call(self.set, &block);
            for (run, buffer) in self.writes.iter().zip(&streams) {
                if let Some(buffer) = *buffer {
                    // SAFETY: the pass has filled `len` elements of `step` bytes of the buffer, which go to their place; a
                    // block starts a multiple of `BLOCK` elements after an aligned one.
                    unsafe { stream(run.pointer.wrapping_add(start * run.step), buffer, len * run.step) };
                }
            }
            if let Some(fault) = block.into_fault() {
                // Blocks run in order, so the first fault is the lowest.
                let free = start + fault.point as usize;
                lowest = lowest.or(Some(Found { free, reduced: 0, order: (free, 0, 0), kind: fault.kind }));
            }
        }
        if streams.iter().any(Option::is_some) {
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
