//! A thread's execution of groups.
//!
//! An executor owns what a thread needs: two views (over the group's elements, and over its free points), buffers for
//! reduction bodies and for finished reductions, and one tree of partials per reduction. [`Executor::run_group`] does a
//! group from start to end; the finer steps let several threads share one large group.
//!
//! A *leaf* is the unit of folding: one block of a row (`Horizontal`), or a fixed number of blocks (`Vertical`).
//!
//! Invariant: the leaves of a level and their order depend on the plan alone.

use std::ops::Range;

use smallvec::SmallVec;

use super::partial::{Pairwise, Partial};
use super::plan::{Content, Mode, Plan, Stream};
use super::reduce::Partials;
use super::scratch::Scratch;
use super::space::{Sizes, Space, distance, linear};
use super::stage::{Strides, dense_strides};
use super::view::View;
use crate::element::DType;
use crate::kernel::block::{BLOCK, FaultKind, GatherSlot, Slot};
use crate::kernel::program::{PassKind, WriteKind};

/// Fewest reduced points in a leaf of a vertical traversal: they are added up one after the other.
const LEAF_POINTS: usize = 32;

/// A fault and where it is.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Found {
    /// Row-major position over the kernel's free axes.
    pub free: usize,
    /// Row-major position over its reduced axes.
    pub reduced: usize,
    /// The order of faults: that in which a traversal by one thread would find them.
    pub order: (usize, usize, usize),
    /// What it is.
    pub kind: FaultKind,
}

impl Found {
    /// The lower of two faults.
    pub fn lower(a: Option<Found>, b: Option<Found>) -> Option<Found> {
        match (a, b) {
            (Some(a), Some(b)) => Some(if b.order < a.order { b } else { a }),
            (a, b) => a.or(b),
        }
    }
}

/// What one thread needs to run groups.
pub(super) struct Executor<'p> {
    pub(super) plan: &'p Plan<'p>,
    pub(super) scratch: Scratch,
    /// Over the group's free and reduced points.
    pub(super) element: View,
    /// Over the group's free points.
    pub(super) outer: View,
    pub(super) start: Sizes,
    pub(super) extent: Sizes,
    /// True if the group is a whole tile; false before the first.
    pub(super) whole: bool,
    /// Free points of the group.
    pub(super) lanes: usize,
    /// Finished reductions, one value per free point of the group.
    pub(super) rows: SmallVec<[Stream; 4]>,
    pub(super) trees: SmallVec<[Pairwise; 4]>,
    /// Values of the rows of a block while their positions are what counts.
    pub(super) extremes: *mut u8,
    /// Values of scatters.
    pub(super) scattered: SmallVec<[*mut u8; 4]>,
    pub(super) operands: SmallVec<[Slot; 8]>,
    pub(super) gathers: SmallVec<[GatherSlot<'p>; 4]>,
    pub(super) axes: SmallVec<[Slot; 4]>,
    pub(super) row_slots: SmallVec<[Slot; 4]>,
    /// Bodies that a pass reads.
    pub(super) kept: SmallVec<[Slot; 4]>,
    /// Bodies that a pass fills.
    pub(super) values: SmallVec<[Slot; 4]>,
    pub(super) bodies: SmallVec<[*mut u8; 4]>,
    pub(super) outputs: SmallVec<[Slot; 4]>,
    pub(super) indices: SmallVec<[Slot; 4]>,
    pub(super) index_buffers: SmallVec<[*mut u8; 4]>,
    /// The lowest fault so far.
    pub fault: Option<Found>,
}

impl<'p> Executor<'p> {
    /// An executor of a plan.
    pub fn new(plan: &'p Plan<'p>) -> Self {
        let kernel = plan.launch.kernel;
        let mut scratch = Scratch::acquire();
        let no_gather = GatherSlot { base: std::ptr::null(), dtype: DType::Bool, offsets: std::ptr::null(), dims: &[] };
        let reduced = plan.mode != Mode::Pointwise;
        let lanes: usize = plan.groups.tile.iter().product();
        let mut rows = SmallVec::new();
        let mut trees = SmallVec::new();
        let mut bodies = SmallVec::new();
        for reducer in plan.reducers.iter().filter(|_| reduced) {
            let row = Stream::memory(scratch.take(lanes * 8), reducer.result());
            rows.push(Stream { of_lines: plan.has_line_rows, ..row });
            let tree_lanes = if plan.mode == Mode::Vertical { lanes } else { 1 };
            trees.push(Pairwise::new(*reducer, plan.set, tree_lanes));
            bodies.push(scratch.take(BLOCK * 8));
        }
        let positional = reduced && plan.reducers.iter().any(|reducer| reducer.positional());
        let extremes = if positional { scratch.take(BLOCK * 8) } else { std::ptr::null_mut() };
        let mut scattered = SmallVec::new();
        let mut index_buffers = SmallVec::new();
        for (write, dynamic) in kernel.writes.iter().zip(&plan.scatters) {
            let scatter = matches!(write.kind, WriteKind::Scatter { .. });
            scattered.push(if scatter { scratch.take(BLOCK * 8) } else { std::ptr::null_mut() });
            index_buffers.extend(dynamic.iter().map(|_| scratch.take(BLOCK * 8)));
        }
        let most_axes = kernel.passes.iter().map(|pass| pass.axes.len()).max().unwrap_or(0);
        let reductions = kernel.reductions.len();
        Self {
            plan,
            scratch,
            element: View::default(),
            outer: View::default(),
            start: SmallVec::from_elem(0, plan.free),
            extent: SmallVec::from_elem(0, plan.free),
            whole: false,
            lanes: 0,
            rows,
            trees,
            extremes,
            scattered,
            operands: SmallVec::from_elem(Slot::VACANT, kernel.operands.len()),
            gathers: SmallVec::from_elem(no_gather, kernel.operands.len()),
            axes: SmallVec::from_elem(Slot::VACANT, most_axes),
            row_slots: SmallVec::from_elem(Slot::VACANT, reductions),
            kept: SmallVec::from_elem(Slot::VACANT, reductions),
            values: SmallVec::from_elem(Slot::VACANT, reductions),
            bodies,
            outputs: SmallVec::from_elem(Slot::VACANT, kernel.writes.len()),
            indices: SmallVec::from_elem(Slot::VACANT, index_buffers.len()),
            index_buffers,
            fault: None,
        }
    }

    /// Runs a group from start to end.
    pub fn run_group(&mut self, group: usize) {
        self.enter(group);
        if self.plan.mode != Mode::Pointwise {
            if !self.plan.has_elements() {
                self.reduce_nothing();
            } else if self.has_whole_rows() {
                self.run_whole_rows();
            } else {
                for row in 0..self.split_rows() {
                    for pass in 0..self.plan.launch.kernel.passes.len() {
                        let leaves = 0..self.leaves();
                        self.run_leaves(pass, row, leaves);
                        self.finish_level(pass, row);
                    }
                }
            }
        }
        self.finish_group();
    }

    /// Moves to a group.
    pub fn enter(&mut self, group: usize) {
        let plan = self.plan;
        let whole = plan.groups.locate(group, &mut self.start, &mut self.extent);
        // Groups that are whole tiles have one shape; the others have shapes of their own.
        if !(whole && self.whole) {
            self.lanes = self.extent.iter().product();
            self.reshape();
        }
        self.whole = whole;
        for (position, stream) in plan.streams.iter().chain(&plan.finished).enumerate() {
            let base = match stream.content {
                Content::Affine(base) => base as usize,
                Content::Memory => stream.base.addr(),
                Content::Nothing => continue,
            };
            let base = base.wrapping_add_signed(distance(&self.start, &stream.strides));
            self.outer.set_base(position, base);
            if plan.has_elements() {
                self.element.set_base(position, base);
            }
        }
    }

    /// Adapts the views to the extent of the group.
    fn reshape(&mut self) {
        let plan = self.plan;
        let free: SmallVec<[usize; 6]> = (0..plan.free).collect();
        let outer = match &plan.square {
            Some(tile) => {
                let tile = tile.iter().zip(&self.extent).map(|(tile, extent)| *tile.min(extent)).collect();
                Space::new(self.extent.clone(), tile)
            }
            None => Space::standard(self.extent.clone(), BLOCK),
        };
        self.outer.set_space(plan, outer, &free, None);
        if !plan.has_elements() {
            self.set_row_strides(false);
            return;
        }
        let reduced = plan.free..plan.dims.len();
        let reduced_sizes = plan.dims[reduced.clone()].iter().map(|dim| dim.size);
        let (sizes, dims): (Sizes, SmallVec<[usize; 6]>) = if plan.mode == Mode::Vertical {
            (reduced_sizes.chain(self.extent.iter().copied()).collect(), reduced.chain(free).collect())
        } else {
            (self.extent.iter().copied().chain(reduced_sizes).collect(), free.into_iter().chain(reduced).collect())
        };
        let inner = if plan.mode == Mode::Vertical { plan.free } else { dims.len() - plan.free };
        let line_dims = plan.has_lines.then_some(inner);
        let space = Space::standard(sizes, plan.block);
        let space = match plan.folds_in_place(&space.tile, &dims) {
            true => space,
            // Lanes of one reduced point lie in memory where they are more than a buffer holds.
            false => {
                Space::standard(space.sizes, if plan.mode == Mode::Vertical { BLOCK.max(self.lanes) } else { BLOCK })
            }
        };
        self.element.set_space(plan, space, &dims, line_dims);
        self.set_row_strides(true);
        if plan.mode == Mode::Vertical {
            for (tree, &reducer) in self.trees.iter_mut().zip(&plan.reducers) {
                *tree = Pairwise::new(reducer, plan.set, self.lanes);
            }
        }
    }

    fn set_row_strides(&mut self, elements: bool) {
        let plan = self.plan;
        let reduced = plan.dims.len() - plan.free;
        for (reduction, row) in self.rows.iter_mut().enumerate() {
            let position = plan.streams.len() + reduction;
            let size = row.dtype.size();
            let dense = dense_strides(&self.extent, size);
            let base = row.base.addr();
            if elements {
                let none = std::iter::repeat_n(0, reduced);
                let strides: Strides = if plan.mode == Mode::Vertical {
                    none.chain(dense.iter().copied()).collect()
                } else {
                    dense.iter().copied().chain(none).collect()
                };
                let tile = self.element.space.tile.clone();
                self.element.set_strides(position, strides, row, &tile);
                self.element.set_base(position, base);
            }
            let tile = self.outer.space.tile.clone();
            self.outer.set_strides(position, dense, row, &tile);
            self.outer.set_base(position, base);
            row.strides = Strides::new();
        }
    }

    /// True if a block holds whole rows, so that all passes can run over it before the next block.
    pub fn has_whole_rows(&self) -> bool {
        let space = &self.element.space;
        self.plan.mode == Mode::Horizontal && space.tile[self.plan.free..] == space.sizes[self.plan.free..]
    }

    /// Rows that are traversed one after the other, unless blocks hold whole rows.
    pub fn split_rows(&self) -> usize {
        if self.plan.mode == Mode::Vertical { 1 } else { self.lanes }
    }

    /// Leaves of one of the [`Executor::split_rows`].
    pub fn leaves(&self) -> usize {
        let blocks = self.element.space.blocks / self.split_rows();
        blocks.div_ceil(self.leaf_blocks())
    }

    fn leaf_blocks(&self) -> usize {
        match self.plan.mode {
            Mode::Pointwise | Mode::Horizontal => 1,
            Mode::Vertical => {
                let space = &self.element.space;
                let points: usize = space.tile[..space.tile.len() - self.plan.free].iter().product();
                LEAF_POINTS.div_ceil(points)
            }
        }
    }

    fn run_whole_rows(&mut self) {
        let plan = self.plan;
        for block in 0..self.element.space.blocks {
            self.element.locate(block);
            let first = linear(&self.extent, &self.element.start[..plan.free]);
            let rows: usize = self.element.extent[..plan.free].iter().product();
            let len = self.element.len / rows;
            for (index, pass) in plan.launch.kernel.passes.iter().enumerate() {
                if pass.kind == PassKind::Outer {
                    continue;
                }
                if !plan.is_idle(pass) {
                    self.run_pass(true, index);
                }
                for &reduction in pass.reductions {
                    let reduction = reduction as usize;
                    let reducer = plan.reducers[reduction];
                    let bodies = self.bodies_of(reduction);
                    let row = &self.rows[reduction];
                    let place = row.base.wrapping_add(first * row.dtype.size());
                    let partials = if reducer.positional() {
                        Partials::new(self.extremes, place.cast())
                    } else {
                        Partials::new(place, std::ptr::null_mut())
                    };
                    // SAFETY: `bodies` holds those of the block, `rows * len`; the group's buffer holds one value per free
                    // point, of which the block's rows are `first..first + rows`; `extremes` holds `BLOCK` values.
                    unsafe { reducer.rows(plan.set, bodies, rows, len, 0, partials) };
                    self.forget_row(reduction);
                }
            }
        }
    }

    /// Runs some leaves of a pass over elements, and folds its reductions into their trees.
    pub fn run_leaves(&mut self, pass: usize, row: usize, leaves: Range<usize>) {
        let plan = self.plan;
        let table = &plan.launch.kernel.passes[pass];
        if table.kind == PassKind::Outer {
            return;
        }
        let row_blocks = self.element.space.blocks / self.split_rows();
        let leaf_blocks = self.leaf_blocks();
        for leaf in leaves {
            if plan.mode == Mode::Vertical {
                for &reduction in table.reductions {
                    let leaf = self.trees[reduction as usize].leaf.parts();
                    // SAFETY: the tree's leaf has a lane per free point of the group.
                    unsafe { plan.reducers[reduction as usize].identity(self.lanes, leaf) };
                }
            }
            for block in leaf * leaf_blocks..row_blocks.min((leaf + 1) * leaf_blocks) {
                self.element.locate(row * row_blocks + block);
                self.evaluate_kept(pass);
                if !plan.is_idle(table) {
                    self.run_pass(true, pass);
                }
                for &reduction in table.reductions {
                    self.fold(reduction as usize);
                }
            }
            for &reduction in table.reductions {
                self.trees[reduction as usize].push(0);
            }
        }
    }

    /// Evaluates what a pass reads of earlier bodies once more, as other blocks came between.
    fn evaluate_kept(&mut self, pass: usize) {
        let passes = self.plan.launch.kernel.passes;
        let wanted = passes[pass].bodies;
        if self.element.space.blocks == 1 {
            return;
        }
        for (earlier, table) in passes[..pass].iter().enumerate() {
            if table.reductions.iter().any(|reduction| wanted.contains(reduction)) {
                self.evaluate_kept(earlier);
                self.run_pass(true, earlier);
            }
        }
    }

    /// Folds the bodies of the current block into the leaf of a reduction's tree.
    fn fold(&mut self, reduction: usize) {
        let plan = self.plan;
        let reducer = plan.reducers[reduction];
        let leaf = self.trees[reduction].leaf.parts();
        let bodies = self.bodies_of(reduction);
        let reduced_at = if plan.mode == Mode::Vertical { 0 } else { plan.free };
        let first: usize = self.element.start[reduced_at..]
            .iter()
            .zip(&plan.dims[plan.free..])
            .map(|(start, dim)| start * dim.weight)
            .sum();
        let len = self.element.len;
        // SAFETY: `bodies` holds those of the block: `len` elements of one row, or rows of `lanes` elements;
        // the tree's leaf has one lane, or `lanes`.
        unsafe {
            if plan.mode == Mode::Vertical {
                reducer.columns(plan.set, bodies, len / self.lanes, self.lanes, first as i64, leaf);
            } else {
                reducer.rows(plan.set, bodies, 1, len, first as i64, leaf);
            }
        }
    }

    /// The bodies of a reduction over the current block: where the pass has just put them, or the operand that they are.
    fn bodies_of(&mut self, reduction: usize) -> *const u8 {
        match self.plan.reduced_operands[reduction] {
            // SAFETY: the operand is in memory.
            Some(operand) => unsafe {
                self.element.read(&mut self.scratch, operand as usize, &self.plan.streams[operand as usize])
            },
            None => self.bodies[reduction],
        }
    }

    /// Moves the finished partials of a level's reductions out of their trees.
    pub fn take_partials(&mut self, pass: usize) -> SmallVec<[Partial; 2]> {
        let plan = self.plan;
        let lanes = if plan.mode == Mode::Vertical { self.lanes } else { 1 };
        plan.launch.kernel.passes[pass]
            .reductions
            .iter()
            .map(|&reduction| {
                let tree = &mut self.trees[reduction as usize];
                tree.finish();
                std::mem::replace(&mut tree.leaf, Partial::new(plan.reducers[reduction as usize], lanes))
            })
            .collect()
    }

    /// Adds partials of `2^height` leaves to the trees of a level's reductions.
    pub fn push_partials(&mut self, pass: usize, partials: SmallVec<[Partial; 2]>, height: usize) {
        for (&reduction, partial) in self.plan.launch.kernel.passes[pass].reductions.iter().zip(partials) {
            let tree = &mut self.trees[reduction as usize];
            tree.leaf = partial;
            tree.push(height);
        }
    }

    /// Turns the trees of a level's reductions into finished rows.
    pub fn finish_level(&mut self, pass: usize, row: usize) {
        let plan = self.plan;
        for &reduction in plan.launch.kernel.passes[pass].reductions {
            let reduction = reduction as usize;
            let tree = &mut self.trees[reduction];
            tree.finish();
            let lanes = if plan.mode == Mode::Vertical { self.lanes } else { 1 };
            let stream = &self.rows[reduction];
            let size = stream.dtype.size();
            let partials = tree.leaf.parts();
            let reducer = plan.reducers[reduction];
            // SAFETY: the tree's leaf holds `lanes` partials.
            unsafe { reducer.finish(plan.set, lanes, partials) };
            let from = if reducer.positional() { partials.positions.cast() } else { partials.values };
            // SAFETY: both hold `lanes` results of `size` bytes; the group's buffer has one per free point.
            unsafe { std::ptr::copy_nonoverlapping(from, stream.base.wrapping_add(row * size), lanes * size) };
            self.forget_row(reduction);
        }
    }

    /// Takes over the rows that another executor of the same group has finished.
    pub fn copy_rows(&mut self, other: &RowsOf) {
        for (reduction, &from) in other.rows.iter().enumerate() {
            // SAFETY: both buffers have one result per free point of the same group.
            unsafe {
                std::ptr::copy_nonoverlapping(
                    from,
                    self.rows[reduction].base,
                    self.lanes * self.rows[reduction].dtype.size(),
                );
            }
            self.forget_row(reduction);
        }
    }

    /// Where this executor keeps its finished rows, for other threads to copy while it waits for them.
    pub fn rows(&self) -> RowsOf {
        RowsOf { rows: self.rows.iter().map(|row| row.base.cast_const()).collect() }
    }

    fn forget_row(&mut self, reduction: usize) {
        let position = self.plan.streams.len() + reduction;
        self.element.forget(position);
        self.outer.forget(position);
    }

    /// Gives every reduction its value over no elements.
    fn reduce_nothing(&mut self) {
        for (reduction, reducer) in self.plan.reducers.iter().enumerate() {
            let base = self.rows[reduction].base;
            let partials = if reducer.positional() {
                Partials::new(self.extremes, base.cast())
            } else {
                Partials::new(base, std::ptr::null_mut())
            };
            // SAFETY: the buffers hold a value per free point of the group.
            unsafe { reducer.identity(self.lanes, partials) };
            self.outer.forget(self.plan.streams.len() + reduction);
        }
    }

    /// Runs the passes over free points, which need every reduction of the group.
    pub fn finish_group(&mut self) {
        for block in 0..self.outer.space.blocks {
            self.outer.locate(block);
            for (index, pass) in self.plan.launch.kernel.passes.iter().enumerate() {
                if pass.kind == PassKind::Outer {
                    self.run_pass(false, index);
                }
            }
        }
    }
}

/// Where an executor keeps its finished rows.
pub(super) struct RowsOf {
    rows: SmallVec<[*const u8; 4]>,
}

// SAFETY: the buffers are only read, while their owner waits.
unsafe impl Sync for RowsOf {}
