//! How a plan is traversed: its mode, its groups, and what its blocks are made of.
//!
//! All of it follows from sizes, strides and the kernel's tables.

use smallvec::SmallVec;

use super::plan::{Content, Mode, Plan, Raw};
use super::space::{Sizes, Space};
use super::stage::{Class, Strides, classify};
use crate::kernel::block::BLOCK;
use crate::kernel::program::{Along, Lines, Pass, PassKind};

/// Side of a square block, in points.
const SIDE: usize = 32;
/// Side of a group of square blocks, in blocks: its pages fit the second level of the address cache.
const GROUP_SIDE: usize = 8;
/// Most points of a block that is folded where it lies, and so needs no buffer: a call costs little then. A block has at most
/// `BLOCK` rows nevertheless.
const FOLDED: usize = 8 * BLOCK;
/// Blocks of a pointwise group, which spread the cost of moving to it.
const GROUP_BLOCKS: usize = 16;

impl Plan<'_> {
    /// Chooses the mode and the groups.
    pub(super) fn choose(&mut self) {
        let kernel = self.launch.kernel;
        let sizes: Sizes = self.dims[..self.free].iter().map(|dim| dim.size).collect();
        if self.finished.is_some() || kernel.reduced.is_empty() {
            self.mode = Mode::Pointwise;
            self.square = self.transposed(SIDE);
            self.groups = match self.transposed(SIDE * GROUP_SIDE) {
                Some(tile) => Space::new(sizes, tile),
                None => Space::standard(sizes, GROUP_BLOCKS * BLOCK),
            };
            return;
        }
        let points = self.reduced_points();
        if let Some(most) = self.lanes(points) {
            self.mode = Mode::Vertical;
            self.groups = Space::standard(sizes.clone(), most);
            let free: SmallVec<[usize; 6]> = (0..self.free).collect();
            if most > BLOCK && !self.folds_in_place(&self.groups.tile, &free) {
                self.block = BLOCK;
                self.groups = Space::standard(sizes, most.min(BLOCK));
            }
        } else {
            self.mode = Mode::Horizontal;
            // Some rows at a time, so that the `Outer` pass has lanes and the cost of a group is spread.
            let most = (16 * BLOCK / points.max(1)).clamp(1, 256);
            self.groups = Space::standard(sizes, most);
        }
    }

    /// Finds out whether blocks are made of the kernel's lines, and which streams have one element for each.
    pub(super) fn find_lines(&mut self) {
        let Some(Lines { along, operands }) = self.launch.kernel.lines else { return };
        self.has_lines = match self.mode {
            Mode::Pointwise => false,
            Mode::Horizontal => along == Along::Reduced,
            Mode::Vertical => along == Along::Free,
        };
        self.has_line_rows = self.has_lines && along == Along::Reduced;
        for &operand in operands {
            self.streams[operand as usize].of_lines = self.has_lines;
        }
    }

    /// Finds out which reductions fold an operand itself: those whose body is one of the same element that varies over all
    /// points.
    pub(super) fn find_reduced_operands(&mut self) {
        let kernel = self.launch.kernel;
        let of_lines = kernel.lines.map_or(&[][..], |lines| lines.operands);
        for (reduction, reducer) in kernel.reductions.iter().zip(&self.reducers) {
            let fits = |operand: &u16| {
                let stream = &self.streams[*operand as usize];
                stream.content == Content::Memory && stream.dtype == reducer.value && !of_lines.contains(operand)
            };
            self.reduced_operands.push(reduction.operand.filter(fits));
        }
        let mut passes = kernel.passes.iter().filter(|pass| pass.kind != PassKind::Outer);
        if self.reduced_points() >= FOLDED / BLOCK && passes.all(|pass| self.is_idle(pass)) {
            self.block = FOLDED;
        }
    }

    /// True if the operands of reductions lie in memory as a tile over some dimensions is folded.
    pub fn folds_in_place(&self, tile: &[usize], dims: &[usize]) -> bool {
        self.reduced_operands.iter().flatten().all(|&operand| {
            let stream = &self.streams[operand as usize];
            let strides: Strides = dims.iter().map(|&dim| stream.strides[dim]).collect();
            !stream.copied && stream.clips.is_empty() && classify(tile, &strides, stream.dtype.size()) == Class::Direct
        })
    }

    /// True if a pass has nothing to evaluate.
    pub fn is_idle(&self, pass: &Pass) -> bool {
        let folds_operand = |&reduction: &u16| self.reduced_operands[reduction as usize].is_some();
        pass.writes.is_empty() && !pass.reductions.is_empty() && pass.reductions.iter().all(folds_operand)
    }

    /// For a vertical traversal, the most lanes of a group.
    fn lanes(&self, points: usize) -> Option<usize> {
        if points <= 1 || self.free == 0 {
            return None;
        }
        let raws: SmallVec<[Raw; 8]> = self
            .dims
            .iter()
            .enumerate()
            .map(|(dim, d)| Raw {
                size: d.size,
                weight: d.weight,
                strides: self.streams.iter().map(|stream| stream.strides[dim]).collect(),
            })
            .collect();
        let strides = &self.streams[self.widest(&raws)?].strides;
        let near = |dim: &usize| strides[*dim] != 0;
        let inner_free = (0..self.free).filter(near).min_by_key(|&dim| strides[dim].unsigned_abs())?;
        let inner_reduced = (self.free..self.dims.len()).filter(near).min_by_key(|&dim| strides[dim].unsigned_abs());
        let reduced_stride = inner_reduced.map_or(usize::MAX, |dim| strides[dim].unsigned_abs());
        if strides[inner_free].unsigned_abs() >= reduced_stride {
            return None;
        }
        // Lanes within the innermost reduced dimension are contiguous in the widest operand.
        let contiguous: usize = (0..self.free)
            .rev()
            .take_while(|&dim| strides[dim].unsigned_abs() < reduced_stride)
            .map(|dim| self.dims[dim].size)
            .product();
        let most = if contiguous >= 16 { contiguous.min(self.block) } else { BLOCK };
        let levels = self.launch.kernel.passes.iter().filter(|pass| pass.kind != PassKind::Outer).count();
        // Several passes over a group should find it in the cache.
        Some(if levels > 1 { most.min((64 * BLOCK / points).max(64)) } else { most })
    }

    /// For a pointwise kernel that reads along another dimension than it writes, a square tile with sides of at most `side`.
    fn transposed(&self, side: usize) -> Option<Sizes> {
        let last = self.free.checked_sub(1)?;
        if self.dims[last].size < SIDE / 2 {
            return None;
        }
        let operands = &self.streams[..self.gathers.len()];
        let contiguous = operands.iter().filter(|stream| stream.content == Content::Memory).find_map(|stream| {
            let along = (0..last).find(|&dim| stream.strides[dim].unsigned_abs() == stream.dtype.size())?;
            let far = stream.strides[last].unsigned_abs() >= 64;
            (far && self.dims[along].size >= SIDE / 2).then_some(along)
        })?;
        let mut tile: Sizes = SmallVec::from_elem(1, self.free);
        tile[last] = self.dims[last].size.min(side);
        tile[contiguous] = self.dims[contiguous].size.min(side);
        Some(tile)
    }
}
