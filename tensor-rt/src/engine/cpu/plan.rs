//! The plan of a launch: its dimensions, its streams, and how they are traversed.
//!
//! A *dimension* is a run-time axis of the traversal, free or reduced: named axes with `..` expanded, those of size 1
//! dropped, neighbors merged where every stream allows it. A *stream* is anything that varies over dimensions by strides:
//! an operand, a write, the base offsets of a gather or scatter, the index along an axis. Finished reductions are streams
//! too; they lie in the group's own buffers.
//!
//! A stream with *clips* may leave its array; what is outside reads as 0.
//!
//! A kernel is traversed in *groups*: boxes of free points, each with all its reduced points. Modes:
//! - `Pointwise`: nothing is reduced; a group is some blocks of the `Outer` pass.
//! - `Horizontal`: a block holds rows, or a part of one row; each row is folded.
//! - `Vertical`: a block holds some reduced points of all the group's rows, the rows side by side as lanes; columns are
//!   folded. It is taken when memory is contiguous along a free axis.
//!
//! Blocks of elements are made of *lines* where the mode's inner dimensions are those along which lines of the kernel run;
//! streams that do not vary along lines then have one element for each.
//!
//! Invariant: whatever decides the order in which numbers are combined depends on sizes and strides alone, never on the
//! number of threads.

use smallvec::SmallVec;

use super::reduce::Reducer;
use super::space::{Sizes, Space};
use super::stage::Strides;
use crate::element::DType;
use crate::engine::{ArrayRef, Launch};
use crate::kernel::block::{BLOCK, DynamicDim};
use crate::kernel::body::InstructionSet;
use crate::kernel::program::{Index, Pass, PassKind, ReduceOp, WriteKind};

/// A dimension of the traversal.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dim {
    /// Number of points.
    pub size: usize,
    /// Distance of neighbors in the row-major order of the kernel's own axes, among the free or the reduced ones.
    pub weight: usize,
}

/// What a stream holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Content {
    /// Elements of an array.
    Memory,
    /// Integers: `base + sum(index * stride)`.
    Affine(i64),
    /// Elements that nobody wants.
    Nothing,
}

/// Something that varies over dimensions by strides.
#[derive(Clone, Debug)]
pub(super) struct Stream {
    /// What it holds.
    pub content: Content,
    /// Element at index 0 of every dimension (null unless in memory).
    pub base: *mut u8,
    /// Type that the pass sees.
    pub dtype: DType,
    /// Per dimension, free ones first: bytes, or steps of an affine stream.
    pub strides: Strides,
    /// True if the memory must not be lent to the pass.
    pub copied: bool,
    /// True if passes over elements see one element per line.
    pub of_lines: bool,
    /// Dimensions of the array that the stream may leave; its own strides are those of an array without an end.
    pub clips: SmallVec<[ClipStream; 2]>,
}

/// A dimension of an array that a stream may leave.
#[derive(Clone, Copy, Debug)]
pub(super) struct ClipStream {
    /// The affine stream of what is divided.
    pub stream: usize,
    /// Elements along the dimension.
    pub size: i64,
    /// Distance of neighbors in bytes.
    pub stride: isize,
    /// What the value is divided by.
    pub divisor: i64,
}

/// A stream of clip values, before it has a place among the streams.
struct ClipValues {
    operand: usize,
    clip: usize,
    offset: i64,
    steps: Strides,
}

impl Stream {
    /// A stream of elements in memory, not moving yet.
    pub fn memory(base: *mut u8, dtype: DType) -> Self {
        let (strides, clips) = (Strides::new(), SmallVec::new());
        Self { content: Content::Memory, base, dtype, strides, copied: false, of_lines: false, clips }
    }

    /// A stream of integers.
    fn integers(base: i64, strides: Strides) -> Self {
        Self { content: Content::Affine(base), strides, ..Self::memory(std::ptr::null_mut(), DType::I64) }
    }
}

/// Dimensions of an operand or a scatter that the pass indexes itself.
pub(super) type DynamicDims = SmallVec<[DynamicDim; 2]>;

/// How groups are traversed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Mode {
    /// No reduction.
    Pointwise,
    /// Rows of reduced points.
    Horizontal,
    /// Columns of reduced points.
    Vertical,
}

/// An array with one value per free point that holds reduction 0; then only the `Outer` pass is traversed.
#[derive(Clone, Copy)]
pub(super) struct Finished<'a> {
    pub base: *mut u8,
    pub dtype: DType,
    /// The axes of its dimensions, in which it is dense.
    pub axes: &'a [u16],
}

/// Everything that a traversal needs and that is the same for all threads.
pub(super) struct Plan<'a> {
    pub launch: &'a Launch<'a>,
    pub set: InstructionSet,
    /// Free dimensions, then reduced ones.
    pub dims: SmallVec<[Dim; 6]>,
    /// Number of free dimensions.
    pub free: usize,
    /// Operands, then writes, then axis indices, by position.
    pub streams: SmallVec<[Stream; 8]>,
    /// Per operand of the kernel; empty unless it is a gather.
    pub gathers: SmallVec<[DynamicDims; 4]>,
    /// Per write of the kernel; empty unless it is a scatter.
    pub scatters: SmallVec<[DynamicDims; 4]>,
    /// Where the computed indices of each write begin.
    pub index_starts: SmallVec<[u16; 4]>,
    /// The axes whose streams follow those of the writes.
    pub axes: SmallVec<[u16; 4]>,
    /// Reductions of the kernel.
    pub reducers: SmallVec<[Reducer; 4]>,
    /// For each reduction, the operand that is folded itself: there is no body to evaluate.
    pub reduced_operands: SmallVec<[Option<u16>; 4]>,
    /// Finished reductions that lie in memory (a contraction's), by position; strides over the free dimensions.
    pub finished: Option<Stream>,
    pub mode: Mode,
    /// True if blocks of elements are made of lines.
    pub has_lines: bool,
    /// True if finished reductions have one element per line.
    pub has_line_rows: bool,
    /// Groups over the free dimensions.
    pub groups: Space,
    /// Most points of a block of elements.
    pub block: usize,
    /// Tile of a block over the free dimensions, unless it is a run of points.
    pub square: Option<Sizes>,
}

// SAFETY: a plan is read-only; its pointers are dereferenced under the invariants of `Launch`, each thread writing the
// elements of its own groups only.
unsafe impl Sync for Plan<'_> {}

/// A dimension before merging.
pub(super) struct Raw {
    pub size: usize,
    pub weight: usize,
    /// One stride per stream.
    pub strides: SmallVec<[isize; 8]>,
}

/// Where an axis's dimensions begin among the raw ones, and how many they are.
type AxisDims = SmallVec<[(u16, usize, usize); 8]>;

impl<'a> Plan<'a> {
    /// The plan of a launch with at least one free point.
    pub fn new(launch: &'a Launch<'a>, set: InstructionSet, finished: Option<Finished<'_>>) -> Self {
        let kernel = launch.kernel;
        let mut raws: SmallVec<[Raw; 8]> = SmallVec::new();
        let mut axis_dims = AxisDims::new();
        let reduced_axes = if finished.is_some() { &[] } else { kernel.reduced };
        let mut free = add_axes(launch, kernel.free, &mut raws, &mut axis_dims);
        add_axes(launch, reduced_axes, &mut raws, &mut axis_dims);

        let mut plan = Self {
            launch,
            set,
            dims: SmallVec::new(),
            free,
            streams: SmallVec::new(),
            gathers: SmallVec::new(),
            scatters: SmallVec::new(),
            index_starts: SmallVec::new(),
            axes: SmallVec::new(),
            reducers: SmallVec::new(),
            reduced_operands: SmallVec::new(),
            finished: None,
            mode: Mode::Pointwise,
            has_lines: false,
            has_line_rows: false,
            groups: Space::default(),
            block: BLOCK,
            square: None,
        };
        let mut clip_values: SmallVec<[ClipValues; 2]> = SmallVec::new();
        for (position, operand) in kernel.operands.iter().enumerate() {
            let array = &launch.operands[position];
            let mut stream = Stream::memory(array.pointer, launch.dtype(operand.elem));
            let used = |pass: &Pass| pass.operands.contains(&(position as u16));
            if finished.is_some() && !kernel.passes.iter().any(|pass| pass.kind == PassKind::Outer && used(pass)) {
                // The operands of a contraction are not traversed; their axes may be absent.
                plan.push(stream, &mut raws, None);
                plan.gathers.push(SmallVec::new());
                continue;
            }
            let size = array.dtype.size() as isize;
            let dynamic =
                plan.index(&mut stream, operand.index, array.shape, array.strides, size, &axis_dims, raws.len());
            clip_values.extend(plan.clip_values(&mut stream, operand.index, array, &axis_dims, raws.len()));
            // A pass that also writes the array gets a copy of what it reads.
            stream.copied |= kernel.passes.iter().any(|pass| used(pass) && writes(launch, pass, position));
            plan.push_indexed(stream, dynamic, &mut raws, true);
        }
        let mut index_start = 0;
        for (position, write) in kernel.writes.iter().enumerate() {
            let array = &launch.writes[position];
            let mut stream = Stream::memory(array.pointer, launch.dtype(write.elem));
            plan.index_starts.push(index_start);
            let size = array.dtype.size() as isize;
            let dynamic = match write.kind {
                _ if array.pointer.is_null() => {
                    stream.content = Content::Nothing;
                    stream.strides = SmallVec::from_elem(0, raws.len());
                    // The pass still fills the indices of a scatter.
                    match write.kind {
                        WriteKind::Own { .. } => DynamicDims::new(),
                        WriteKind::Scatter { index, .. } => {
                            let unwanted = DynamicDim { size: 0, stride: 0, position: 0 };
                            index.iter().filter(|index| matches!(index, Index::Dynamic)).map(|_| unwanted).collect()
                        }
                    }
                }
                WriteKind::Own { axes, .. } => {
                    let index: SmallVec<[Index; 6]> = axes.iter().map(|&axis| Index::Axis(axis)).collect();
                    plan.index(&mut stream, &index, array.shape, array.strides, size, &axis_dims, raws.len());
                    // A gather may read the array anywhere while the pass runs.
                    stream.copied = kernel
                        .passes
                        .iter()
                        .any(|pass| pass.writes.contains(&(position as u16)) && gathers_from(launch, pass, position));
                    DynamicDims::new()
                }
                WriteKind::Scatter { index, .. } => {
                    let dynamic =
                        plan.index(&mut stream, index, array.shape, array.strides, size, &axis_dims, raws.len());
                    // The pass sees the values in their computing type.
                    stream.dtype = stream.dtype.compute();
                    stream.content = Content::Affine(stream.content.base());
                    dynamic
                }
            };
            index_start += dynamic.len() as u16;
            plan.push_indexed(stream, dynamic, &mut raws, false);
        }
        for pass in kernel.passes {
            for &axis in pass.axes {
                let Some(&(_, start, count)) = axis_dims.iter().find(|dims| dims.0 == axis) else { continue };
                if plan.axes.contains(&axis) {
                    continue;
                }
                let mut strides: Strides = SmallVec::from_elem(0, raws.len());
                // The index along `..` is the row-major position.
                let mut stride = 1;
                for dim in (start..start + count).rev() {
                    strides[dim] = stride;
                    stride *= raws[dim].size as isize;
                }
                plan.axes.push(axis);
                plan.push(Stream::integers(0, strides), &mut raws, None);
            }
        }
        for ClipValues { operand, clip, offset, steps } in clip_values {
            plan.streams[operand].clips[clip].stream = plan.streams.len();
            plan.push(Stream::integers(offset, steps), &mut raws, None);
        }
        for reduction in kernel.reductions {
            plan.reducers.push(Reducer { op: reduction.op, value: launch.dtype(reduction.value) });
        }
        if let Some(Finished { base, dtype, axes }) = finished {
            let mut strides: Strides = SmallVec::from_elem(0, raws.len());
            let mut stride = dtype.size() as isize;
            for &axis in axes.iter().rev() {
                let (start, count) = dims_of(&axis_dims, axis);
                for dim in (start..start + count).rev() {
                    strides[dim] = stride;
                    stride *= raws[dim].size as isize;
                }
            }
            for (raw, &stride) in raws.iter_mut().zip(&strides) {
                raw.strides.push(stride);
            }
            plan.finished = Some(Stream { strides, ..Stream::memory(base, dtype) });
        }

        plan.order(&mut raws, &mut free);
        plan.merge(&raws, free);
        plan.find_reduced_operands();
        plan.choose();
        plan.find_lines();
        plan
    }

    /// The stream of a write.
    pub fn write_stream(&self, write: u16) -> usize {
        self.gathers.len() + write as usize
    }

    /// The stream of an axis's index.
    pub fn axis_stream(&self, axis: u16) -> usize {
        let place =
            self.axes.iter().position(|&known| known == axis).expect("bug in a program: axis outside the kernel");
        self.gathers.len() + self.scatters.len() + place
    }

    /// Number of reduced points.
    pub fn reduced_points(&self) -> usize {
        self.dims[self.free..].iter().map(|dim| dim.size).product()
    }

    /// Number of free points.
    pub fn free_points(&self) -> usize {
        self.dims[..self.free].iter().map(|dim| dim.size).product()
    }

    /// True if passes over free and reduced axes have points.
    pub fn has_elements(&self) -> bool {
        self.mode != Mode::Pointwise && self.reduced_points() != 0
    }

    /// True if a write combines into elements that other points may also write.
    pub fn scatters(&self) -> bool {
        self.launch.kernel.writes.iter().any(|write| matches!(write.kind, WriteKind::Scatter { .. }))
    }

    /// Sets the strides (and offset) that indices make, and gives the dimensions that the pass indexes itself.
    #[expect(clippy::too_many_arguments, reason = "an array in parts, and where its strides go")]
    fn index(
        &self,
        stream: &mut Stream,
        index: &[Index],
        shape: &[usize],
        array_strides: &[isize],
        size: isize,
        axis_dims: &AxisDims,
        rank: usize,
    ) -> DynamicDims {
        let launch = self.launch;
        let value = |expr| launch.size(expr) as isize;
        let mut dynamic = DynamicDims::new();
        let mut offset = 0isize;
        stream.strides = SmallVec::from_elem(0, rank);
        let mut cursor = 0;
        for (position, index) in index.iter().enumerate() {
            match *index {
                Index::Axis(axis) => {
                    let (start, count) = dims_of(axis_dims, axis);
                    for dim in 0..count {
                        stream.strides[start + dim] += array_strides[cursor] * size;
                        cursor += 1;
                    }
                }
                Index::Affine { terms, offset: ref constant } | Index::Clipped { terms, offset: ref constant, .. } => {
                    let stride = array_strides[cursor] * size;
                    // The coefficient of an axis of size 1 may be anything.
                    for (axis, coefficient) in terms {
                        let along = &mut stream.strides[dims_of(axis_dims, *axis).0];
                        *along = along.wrapping_add(value(coefficient).wrapping_mul(stride));
                    }
                    offset = offset.wrapping_add(value(constant).wrapping_mul(stride));
                    cursor += 1;
                }
                Index::Dynamic => {
                    let stride = (array_strides[cursor] * size) as i64;
                    dynamic.push(DynamicDim { size: shape[cursor] as i64, stride, position: position as u16 });
                    cursor += 1;
                }
            }
        }
        debug_assert_eq!(cursor, array_strides.len(), "bug in a program: an index of another rank");
        if dynamic.is_empty() && matches!(stream.content, Content::Memory) {
            stream.base = stream.base.wrapping_offset(offset);
        } else {
            stream.content = Content::Affine(offset as i64);
        }
        dynamic
    }

    /// The values of the dimensions that an operand may leave, which become the stream's clips.
    fn clip_values(
        &self,
        stream: &mut Stream,
        index: &[Index],
        array: &ArrayRef<'_>,
        axis_dims: &AxisDims,
        rank: usize,
    ) -> SmallVec<[ClipValues; 2]> {
        let mut values = SmallVec::new();
        let mut cursor = 0;
        for index in index {
            if let Index::Clipped { terms, offset, divisor } = index {
                let mut steps: Strides = SmallVec::from_elem(0, rank);
                for (axis, coefficient) in *terms {
                    let along = &mut steps[dims_of(axis_dims, *axis).0];
                    *along = along.wrapping_add(self.launch.size(coefficient) as isize);
                }
                let (size, stride) = (array.shape[cursor] as i64, array.strides[cursor] * array.dtype.size() as isize);
                let (operand, clip) = (self.gathers.len(), stream.clips.len());
                stream.clips.push(ClipStream { stream: usize::MAX, size, stride, divisor: self.launch.size(divisor) });
                values.push(ClipValues { operand, clip, offset: self.launch.size(offset), steps });
            }
            cursor += match index {
                Index::Axis(axis) => dims_of(axis_dims, *axis).1,
                Index::Affine { .. } | Index::Clipped { .. } | Index::Dynamic => 1,
            };
        }
        values
    }

    fn push_indexed(&mut self, stream: Stream, dynamic: DynamicDims, raws: &mut [Raw], operand: bool) {
        let strides = stream.strides.clone();
        self.push(stream, raws, Some(&strides));
        if operand { self.gathers.push(dynamic) } else { self.scatters.push(dynamic) }
    }

    fn push(&mut self, stream: Stream, raws: &mut [Raw], strides: Option<&[isize]>) {
        let strides = strides.unwrap_or(&stream.strides);
        for (dim, raw) in raws.iter_mut().enumerate() {
            raw.strides.push(strides.get(dim).copied().unwrap_or(0));
        }
        self.streams.push(stream);
    }

    /// Orders dimensions by memory where no result depends on their order: free ones by the first write, reduced ones by
    /// the widest operand.
    fn order(&self, raws: &mut SmallVec<[Raw; 8]>, free: &mut usize) {
        // Dimensions of size 1 have no stride worth keeping.
        let ones = raws[..*free].iter().filter(|raw| raw.size == 1).count();
        raws.retain(|raw| raw.size != 1);
        *free -= ones;
        let operands = self.gathers.len();
        let own = self.streams[operands..operands + self.scatters.len()]
            .iter()
            .position(|stream| stream.content == Content::Memory);
        if let Some(write) = own {
            raws[..*free].sort_by_key(|raw| std::cmp::Reverse(raw.strides[operands + write].unsigned_abs()));
        }
        let positional = self.reducers.iter().any(|reducer| reducer.positional());
        let writes_inner =
            self.launch.kernel.passes.iter().any(|pass| pass.kind != PassKind::Outer && !pass.writes.is_empty());
        if !positional
            && !writes_inner
            && let Some(widest) = self.widest(raws)
        {
            raws[*free..].sort_by_key(|raw| std::cmp::Reverse(raw.strides[widest].unsigned_abs()));
        }
    }

    /// The operand of the element passes that varies over the most points.
    pub(super) fn widest(&self, raws: &[Raw]) -> Option<usize> {
        let points = |stream: usize| -> usize {
            raws.iter().filter(|raw| raw.strides[stream] != 0).map(|raw| raw.size).product()
        };
        let mut widest: Option<(usize, usize)> = None;
        for pass in self.launch.kernel.passes.iter().filter(|pass| pass.kind != PassKind::Outer) {
            for &operand in pass.operands {
                let stream = operand as usize;
                let in_memory = self.streams[stream].content == Content::Memory;
                if in_memory && widest.is_none_or(|(_, most)| points(stream) > most) {
                    widest = Some((stream, points(stream)));
                }
            }
        }
        widest.map(|(stream, _)| stream)
    }

    /// Merges neighbors and gives every stream its strides.
    fn merge(&mut self, raws: &[Raw], free: usize) {
        let mut merged: SmallVec<[usize; 6]> = SmallVec::new();
        for (dim, raw) in raws.iter().enumerate() {
            let joins = dim != 0 && dim != free && self.joins(&raws[dim - 1], raw);
            match self.dims.last_mut() {
                Some(last) if joins => {
                    *last = Dim { size: last.size * raw.size, weight: raw.weight };
                    *merged.last_mut().expect("a dimension has a source") = dim;
                }
                _ => {
                    self.dims.push(Dim { size: raw.size, weight: raw.weight });
                    merged.push(dim);
                    if dim < free {
                        self.free = self.dims.len();
                    }
                }
            }
        }
        if free == 0 {
            self.free = 0;
        }
        for (position, stream) in self.streams.iter_mut().chain(&mut self.finished).enumerate() {
            stream.strides = merged.iter().map(|&dim| raws[dim].strides[position]).collect();
        }
    }

    fn joins(&self, outer: &Raw, inner: &Raw) -> bool {
        outer.weight == inner.weight * inner.size
            && outer
                .strides
                .iter()
                .zip(&inner.strides)
                .all(|(outer, inner_stride)| *outer == inner_stride.wrapping_mul(inner.size as isize))
    }
}

impl Content {
    fn base(self) -> i64 {
        match self {
            Content::Affine(base) => base,
            Content::Memory | Content::Nothing => 0,
        }
    }
}

/// Appends the dimensions of some axes; gives their number.
fn add_axes(launch: &Launch<'_>, axes: &[u16], raws: &mut SmallVec<[Raw; 8]>, axis_dims: &mut AxisDims) -> usize {
    let first = raws.len();
    for &axis in axes {
        let start = raws.len();
        for size in launch.axis_sizes(axis) {
            raws.push(Raw { size, weight: 1, strides: SmallVec::new() });
        }
        axis_dims.push((axis, start, raws.len() - start));
    }
    let mut weight = 1;
    for raw in raws[first..].iter_mut().rev() {
        raw.weight = weight;
        weight *= raw.size.max(1);
    }
    raws.len() - first
}

fn dims_of(axis_dims: &AxisDims, axis: u16) -> (usize, usize) {
    let found = axis_dims.iter().find(|dims| dims.0 == axis).expect("bug in a program: axis outside the kernel");
    (found.1, found.2)
}

/// True if a pass writes the array of an operand.
fn writes(launch: &Launch<'_>, pass: &Pass, operand: usize) -> bool {
    pass.writes.iter().any(|&write| launch.is_written(operand, write as usize))
}

/// True if a pass reads elsewhere from the array of a write.
fn gathers_from(launch: &Launch<'_>, pass: &Pass, write: usize) -> bool {
    pass.operands.iter().any(|&operand| {
        let index = launch.kernel.operands[operand as usize].index;
        launch.is_written(operand as usize, write) && !index.iter().all(|index| matches!(index, Index::Axis(_)))
    })
}

/// True if a reduction has no value for no elements.
pub(crate) fn needs_elements(op: ReduceOp) -> bool {
    matches!(op, ReduceOp::Max | ReduceOp::Min | ReduceOp::ArgMax | ReduceOp::ArgMin)
}
