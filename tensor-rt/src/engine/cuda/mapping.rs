//! How threads go through the dimensions of a launch.
//!
//! A kernel without reductions gives each thread a few neighboring points. One with rows gives each row to `lanes` threads,
//! which are neighbors along the row, or, if memory is contiguous along a free dimension, lie `vertical`: neighboring
//! threads are on neighboring rows. Few long rows are cut into chunks that are folded in one step and merged in another.
//!
//! Invariant: everything here depends on sizes and strides alone, so that the same launch adds in the same order on every
//! device.

use smallvec::SmallVec;

use super::geometry::{Geometry, Place};
use super::product::Product;
use crate::engine::Launch;
use crate::kernel::program::{Pass, PassKind};

/// Threads of a block.
const BLOCK: i64 = 256;
/// Most blocks of a grid: threads go on to the next points when they have done theirs.
const MOST_BLOCKS: i64 = 1 << 16;
/// Blocks that occupy a device; with fewer, long rows are cut into chunks.
const FEW_BLOCKS: i64 = 128;
/// Elements that one thread folds at least before a row is cut.
const THREAD_ELEMENTS: i64 = 16;
/// Summed points that pass through shared memory at once, as in `prelude/product.cu`.
const TILE_K: i64 = 16;
/// Fewest summed points of a chunk of a product.
const SUMMED: i64 = 256;
/// Bytes of what a reduction knows of a chunk, as in `prelude/row.cu`.
const PART: i64 = 32;

/// The part of a reduction that a kernel does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Phase {
    /// Everything.
    Whole,
    /// Chunks of rows, into scratch memory.
    Partial,
    /// The chunks of each row.
    Finish,
}

/// How a product of matrices goes through its tiles.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Tiling {
    /// Sums of a thread along each side of a tile.
    pub thread: i64,
    /// True if neighboring threads read neighbors along the summed dimensions of the left operand.
    pub lhs_along_k: bool,
    /// The same of the right operand.
    pub rhs_along_k: bool,
}

/// How a launch is traversed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Mapping {
    /// Neighbors that a thread visits at once.
    pub vector: i64,
    /// Arrays, by position, whose neighbors lie next to each other.
    pub contiguous: u64,
    /// Threads per row; 0 in a kernel without rows.
    pub lanes: i64,
    pub vertical: bool,
    /// Elements of a chunk.
    pub chunk: i64,
    /// Chunks of a row.
    pub chunks: i64,
    /// True if a thread visits a chunk of points one after the other, or a single one all rows.
    pub ordered: bool,
    /// Set for a product of matrices.
    pub tiling: Option<Tiling>,
}

/// One kernel of a launch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Step {
    pub phase: Phase,
    pub vector: i64,
    pub contiguous: u64,
    pub lanes: i64,
    /// Rows of a block.
    pub rows: i64,
    pub vertical: bool,
    pub chunk: i64,
    pub chunks: i64,
    pub ordered: bool,
    pub tiling: Option<Tiling>,
    pub grid: [u32; 3],
    pub block: [u32; 3],
}

impl Step {
    /// True if some index needs 64 bits.
    pub fn is_wide(&self, geometry: &Geometry) -> bool {
        // Loops over elements end at most one step beyond a chunk.
        geometry.is_wide(self.chunk + self.lanes * self.vector)
    }
}

impl Mapping {
    /// One point per thread.
    const SIMPLE: Self =
        Self { vector: 1, contiguous: 0, lanes: 0, vertical: false, chunk: 0, chunks: 1, ordered: false, tiling: None };

    /// The mapping of a launch with at least one free point.
    pub fn choose(launch: &Launch<'_>, geometry: &Geometry, product: Option<Product>) -> Self {
        if let Some(product) = product {
            return Self::product(geometry, product);
        }
        if let Some(chunk) = geometry.chunk {
            let lanes = i64::from(!launch.has_points());
            return Self { lanes, chunk: chunk.max(geometry.elements()), ordered: true, ..Self::SIMPLE };
        }
        if launch.has_points() {
            let arrays = (0..geometry.arrays.len()).collect();
            return Self::points(geometry, arrays);
        }
        let (rows, elements) = (geometry.rows(), geometry.elements());
        let vertical = is_vertical(launch, geometry);
        let lanes = match (vertical, elements) {
            (true, ..64) => 1,
            (true, _) => {
                if rows >= 1 << 15 {
                    1
                } else {
                    8
                }
            }
            (false, ..8) => 1,
            (false, ..1024) => 32,
            (false, _) => 256,
        };
        let mut this = Self { lanes, vertical, chunk: elements, ..Self::SIMPLE };
        if !vertical && lanes > 1 {
            (this.vector, this.contiguous) = vectors(geometry, element_arrays(launch), Some(geometry.dims.len()));
        }
        this.cut(launch, geometry);
        this
    }

    /// The mapping of a kernel without rows, whose `arrays` are read and written at the points' own indices.
    pub fn points(geometry: &Geometry, arrays: SmallVec<[usize; 6]>) -> Self {
        let (vector, contiguous) = vectors(geometry, arrays, Some(geometry.free));
        Self { vector, contiguous, ..Self::SIMPLE }
    }

    /// The mapping of a product of matrices.
    fn product(geometry: &Geometry, product: Product) -> Self {
        let (free, elements) = (geometry.free, geometry.elements());
        let along_k = |operand: usize| {
            let strides = &geometry.arrays[operand].strides;
            let nearest = |strides: &[i64]| strides.iter().map(|stride| stride.unsigned_abs()).filter(|&s| s > 0).min();
            nearest(&strides[free..]).unwrap_or(u64::MAX) <= nearest(&strides[..free]).unwrap_or(u64::MAX)
        };
        let thread = product.thread;
        let tiling = Tiling { thread, lhs_along_k: along_k(product.lhs), rhs_along_k: along_k(product.rhs) };
        let mut this = Self { lanes: 1, chunk: elements, tiling: Some(tiling), ..Self::SIMPLE };
        let tiles = this.blocks(geometry);
        // A sum with guards is looked at when it is complete.
        if !product.guarded && tiles < FEW_BLOCKS && elements >= 2 * SUMMED {
            let most = (2 * FEW_BLOCKS / tiles).max(2);
            let chunk = ((elements as u64).div_ceil(most as u64)).max(SUMMED as u64);
            this.chunk = chunk.next_multiple_of(TILE_K as u64) as i64;
            this.chunks = (elements as u64).div_ceil(this.chunk as u64) as i64;
        }
        this
    }

    /// Cuts rows into chunks, if they are long and few and one traversal does everything.
    fn cut(&mut self, launch: &Launch<'_>, geometry: &Geometry) {
        let elements = geometry.elements();
        let over_elements = |pass: &&Pass| pass.kind != PassKind::Outer;
        let single = launch.kernel.passes.iter().filter(over_elements).count() == 1
            && launch.kernel.passes.iter().all(|pass| pass.kind != PassKind::Inner);
        let blocks = self.blocks(geometry);
        let least = self.lanes * self.vector * THREAD_ELEMENTS;
        if !single || blocks >= FEW_BLOCKS || elements < 2 * least {
            return;
        }
        let most = (2 * FEW_BLOCKS / blocks).max(2);
        let steps = self.lanes * self.vector;
        let chunk = ((elements as u64).div_ceil(most as u64) as i64).max(least);
        self.chunk = (chunk as u64).next_multiple_of(steps as u64) as i64;
        self.chunks = (elements as u64).div_ceil(self.chunk as u64) as i64;
    }

    /// Bytes of scratch memory for the parts of all rows.
    pub fn part_bytes(&self, launch: &Launch<'_>, geometry: &Geometry) -> usize {
        match self.chunks {
            1 => 0,
            chunks => (launch.kernel.reductions.len() as i64 * chunks * geometry.rows() * PART) as usize,
        }
    }

    /// The kernels of the launch, in order.
    pub fn steps(&self, geometry: &Geometry) -> SmallVec<[Step; 2]> {
        let step = |phase, mapping: Mapping| {
            let Mapping { vector, contiguous, lanes, vertical, chunk, chunks, ordered, tiling } = mapping;
            let columns = if phase == Phase::Partial { chunks } else { 1 };
            Step {
                phase,
                vector,
                contiguous,
                lanes: lanes.max(1),
                rows: if ordered { 1 } else { BLOCK / lanes.max(1) },
                vertical,
                chunk,
                chunks,
                ordered,
                tiling,
                grid: [mapping.blocks(geometry).clamp(1, MOST_BLOCKS) as u32, columns as u32, 1],
                // Of a row's own warp, one thread visits them all.
                block: [if ordered && lanes > 0 { 32 } else { BLOCK as u32 }, 1, 1],
            }
        };
        if self.chunks == 1 {
            return SmallVec::from_iter([step(Phase::Whole, *self)]);
        }
        let finish = Self { lanes: 32, chunk: self.chunk, chunks: self.chunks, ..Self::SIMPLE };
        SmallVec::from([step(Phase::Partial, *self), step(Phase::Finish, finish)])
    }

    /// Blocks that one step over all free points takes.
    fn blocks(&self, geometry: &Geometry) -> i64 {
        let tiles = |size: i64, side: i64| (size as u64).div_ceil(side as u64) as i64;
        if let Some(tiling) = self.tiling {
            let [batches, m, n] = geometry.group_points();
            let side = 16 * tiling.thread;
            return batches.saturating_mul(tiles(m, side)).saturating_mul(tiles(n, side));
        }
        match self.lanes {
            0 if self.ordered => tiles(geometry.rows() / self.chunk, BLOCK),
            _ if self.ordered => 1,
            0 => tiles(geometry.rows() / self.vector, BLOCK),
            lanes => tiles(geometry.rows(), BLOCK / lanes),
        }
    }
}

/// True if memory is contiguous along a free dimension in what is read most.
fn is_vertical(launch: &Launch<'_>, geometry: &Geometry) -> bool {
    let Some(widest) = geometry.widest(launch) else { return false };
    let nearest = |range: std::ops::Range<usize>| {
        widest.strides[range].iter().filter(|stride| **stride != 0).map(|stride| stride.unsigned_abs()).min()
    };
    let reduced = nearest(geometry.free..geometry.dims.len());
    geometry.elements() > 1 && nearest(0..geometry.free).is_some_and(|free| free < reduced.unwrap_or(u64::MAX))
}

/// The arrays that the passes over elements read or write, by position.
fn element_arrays(launch: &Launch<'_>) -> SmallVec<[usize; 6]> {
    let passes = || launch.kernel.passes.iter().filter(|pass| pass.kind != PassKind::Outer);
    let operands = launch.kernel.operands.len();
    let read = passes().flat_map(|pass| pass.operands).map(|&operand| operand as usize);
    let written = passes().flat_map(|pass| pass.writes).map(|&write| operands + write as usize);
    read.chain(written).collect()
}

/// How many neighbors before `end` a thread visits at once, and in which of the arrays they lie next to each other.
fn vectors(geometry: &Geometry, arrays: SmallVec<[usize; 6]>, end: Option<usize>) -> (i64, u64) {
    let scalar = (1, 0);
    let Some(last) = end.and_then(|end| end.checked_sub(1)) else { return scalar };
    let mut contiguous = 0;
    let mut largest = 0;
    for &position in &arrays {
        let array = &geometry.arrays[position];
        if array.place == Place::Address(0) {
            continue;
        }
        match array.strides.get(last) {
            _ if !array.is_plain() => return scalar,
            Some(1) if position < u64::BITS as usize => {
                contiguous |= 1 << position;
                largest = largest.max(array.dtype.size() as i64);
            }
            Some(0) => {}
            _ => return scalar,
        }
    }
    if largest == 0 {
        return scalar;
    }
    let vector = (16 / largest).min(8);
    let fits = |position: &usize| {
        let array = &geometry.arrays[*position];
        let address = match array.place {
            Place::Address(address) | Place::Scratch(address) => address,
        };
        let bytes = (vector * array.dtype.size() as i64).min(16) as u64;
        contiguous >> *position & 1 == 0
            || address % bytes == 0
                && array.strides.iter().enumerate().all(|(dim, stride)| dim == last || stride % vector == 0)
    };
    if geometry.dims[last].size % vector == 0 && arrays.iter().all(fits) { (vector, contiguous) } else { scalar }
}
