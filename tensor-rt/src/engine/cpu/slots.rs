//! One pass over one block: streams into slots, the body, and buffers back.
//!
//! Invariant: outside of a pass every slot is vacant, so a body can reach what its table names and nothing else.

use super::executor::{Executor, Found};
use super::plan::{Content, Mode};
use super::scatter;
use super::space::Sizes;
use crate::element::DType;
use crate::kernel::block::{Block, BlockParts, Fault, GatherSlot, Slot};
use crate::kernel::program::WriteKind;

impl Executor<'_> {
    /// Runs a pass over the current block of a view.
    pub(super) fn run_pass(&mut self, elements: bool, index: usize) {
        let plan = self.plan;
        let launch = plan.launch;
        let kernel = launch.kernel;
        let pass = &kernel.passes[index];
        let view = if elements { &mut self.element } else { &mut self.outer };
        let scratch = &mut self.scratch;
        // As slices, so that an access is one comparison away.
        let (streams, gathers) = (&plan.streams[..], &plan.gathers[..]);
        let (operand_slots, row_slots) = (&mut self.operands[..], &mut self.row_slots[..]);
        for &operand in pass.operands {
            let operand = operand as usize;
            let source = &streams[operand];
            if gathers[operand].is_empty() {
                // SAFETY: operands are in memory.
                let pointer = unsafe { view.read(scratch, operand, source) };
                operand_slots[operand] = Slot { pointer, dtype: source.dtype, of_lines: elements && source.of_lines };
            } else {
                let offsets = view.affine(scratch, operand).cast();
                let dims = &gathers[operand];
                self.gathers[operand] = GatherSlot { base: source.base, dtype: source.dtype, offsets, dims };
            }
        }
        for (place, &axis) in pass.axes.iter().enumerate() {
            let pointer = view.affine(scratch, plan.axis_stream(axis));
            self.axes[place] = Slot::of_points(pointer, DType::I64);
        }
        for &row in pass.rows {
            let row = row as usize;
            let source = plan.finished.as_ref().unwrap_or_else(|| &self.rows[row]);
            // SAFETY: finished rows are in memory: the group's own buffers, or the plan's array.
            let pointer = unsafe { view.read(scratch, streams.len() + row, source) };
            row_slots[row] = Slot { pointer, dtype: source.dtype, of_lines: elements && source.of_lines };
        }
        for &reduction in pass.bodies {
            let reduction = reduction as usize;
            self.kept[reduction] = Slot::of_points(self.bodies[reduction], plan.reducers[reduction].value);
        }
        for &reduction in pass.reductions {
            let reduction = reduction as usize;
            self.values[reduction] = Slot::of_points(self.bodies[reduction], plan.reducers[reduction].value);
        }
        for &write in pass.writes {
            let position = plan.write_stream(write);
            let write = write as usize;
            let target = &streams[position];
            let pointer = match kernel.writes[write].kind {
                // SAFETY: writes are in memory or unwanted; those that are read are initialised.
                WriteKind::Own { reads_old, .. } => unsafe { view.open(scratch, position, target, reads_old) },
                WriteKind::Scatter { .. } => {
                    for dynamic in 0..plan.scatters[write].len() {
                        let place = plan.index_starts[write] as usize + dynamic;
                        self.indices[place] = Slot::of_points(self.index_buffers[place], DType::I64);
                    }
                    self.scattered[write]
                }
            };
            self.outputs[write] = Slot::of_points(pointer, target.dtype);
        }

        let parts = BlockParts {
            len: view.len,
            line: view.line_len(),
            operands: &self.operands,
            axes: &self.axes,
            rows: &self.row_slots,
            bodies: &self.kept,
            values: &self.values,
            outputs: &self.outputs,
            indices: &self.indices,
            index_starts: &plan.index_starts,
            gathers: &self.gathers,
            scalars: launch.scalars,
            sizes: launch.sizes,
        };
        // SAFETY: every slot is either memory that the launch lends for this (operands apart from writes, writes of
        // distinct points), or a buffer of `BLOCK` elements of this executor that only this slot refers to. Streams that
        // a pass both reads and writes are copied, as the plan says. `Launch` guarantees the gathers' arrays.
        let block = unsafe { Block::new(&parts) };
        launch.passes[index].call(plan.set, &block);
        let mut fault = block.into_fault();

        for &write in pass.writes {
            let position = plan.write_stream(write);
            let target = &streams[position];
            match kernel.writes[write as usize].kind {
                // SAFETY: the slot was opened for this block.
                WriteKind::Own { .. } => unsafe { view.put(position, target) },
                WriteKind::Scatter { .. } if target.content == Content::Nothing => {}
                WriteKind::Scatter { op, .. } => {
                    let offsets = view.affine(scratch, position).cast::<i64>();
                    let entries = scatter::Entries {
                        len: view.len,
                        values: self.scattered[write as usize],
                        offsets,
                        indices: &self.indices[plan.index_starts[write as usize] as usize..],
                        dims: &plan.scatters[write as usize],
                    };
                    let array = &launch.writes[write as usize];
                    // SAFETY: the pass filled the values and indices; `Launch` guarantees the array.
                    let found = unsafe {
                        match launch.is_atomic(write as usize) {
                            true => entries.combine_atomically(op, array.dtype, target.base),
                            false => entries.combine(op, target.dtype, target.base),
                        }
                    };
                    fault =
                        lower(fault, found.map(|(point, dim, value)| Fault { point, kind: dim.fault(write, value) }));
                }
            }
        }
        self.vacate(index);
        if let Some(fault) = fault {
            self.locate_fault(elements, index, fault);
        }
    }

    /// Takes the slots of a pass away, so that the next pass sees its own alone.
    fn vacate(&mut self, index: usize) {
        let pass = &self.plan.launch.kernel.passes[index];
        for &operand in pass.operands {
            self.operands[operand as usize] = Slot::VACANT;
            self.gathers[operand as usize].base = std::ptr::null();
        }
        self.axes.fill(Slot::VACANT);
        for &row in pass.rows {
            self.row_slots[row as usize] = Slot::VACANT;
        }
        for &reduction in pass.bodies {
            self.kept[reduction as usize] = Slot::VACANT;
        }
        for &reduction in pass.reductions {
            self.values[reduction as usize] = Slot::VACANT;
        }
        for &write in pass.writes {
            self.outputs[write as usize] = Slot::VACANT;
        }
        self.indices.fill(Slot::VACANT);
    }

    #[cold]
    fn locate_fault(&mut self, elements: bool, pass: usize, fault: Fault) {
        let plan = self.plan;
        let view = if elements { &self.element } else { &self.outer };
        let rank = view.extent.len();
        let mut rest = fault.point as usize;
        let mut index: Sizes = view.start.clone();
        for dim in (0..rank).rev() {
            index[dim] += rest % view.extent[dim];
            rest /= view.extent[dim];
        }
        let reduced_first = elements && plan.mode == Mode::Vertical;
        let free_at = if reduced_first { rank - plan.free } else { 0 };
        let reduced_at = if reduced_first { 0 } else { plan.free };
        let free: usize =
            (0..plan.free).map(|dim| (self.start[dim] + index[free_at + dim]) * plan.dims[dim].weight).sum();
        let reduced: usize =
            (0..rank - plan.free).map(|dim| index[reduced_at + dim] * plan.dims[plan.free + dim].weight).sum();
        let order = if reduced_first { (reduced, free, pass) } else { (free, reduced, pass) };
        let found = Found { free, reduced, order, kind: fault.kind };
        self.fault = Found::lower(self.fault, Some(found));
    }
}

fn lower(a: Option<Fault>, b: Option<Fault>) -> Option<Fault> {
    match (a, b) {
        (Some(a), Some(b)) => Some(if b.point < a.point { b } else { a }),
        (a, b) => a.or(b),
    }
}
