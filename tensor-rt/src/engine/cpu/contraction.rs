//! Contractions: a matrix product for the sum, then the `Outer` pass over its result.
//!
//! The axes of a contraction fall into four groups: `batch` (both operands and the result), `m` (the left operand and the
//! result), `n` (the right operand and the result) and `k` (both operands; summed). The product runs on one stride per
//! group. Operands whose axes do not merge to that, as those of a window, operands that may leave their array, and half
//! elements are packed densely first. The result goes to a buffer that the `Outer` pass reads as a finished reduction, or
//! straight into the written array if the table says that the pass only stores it.
//!
//! Integers, conversions and more than one reduction have no matrix product: those run as rows. So does a sum with guards
//! whose matrix product has a NaN: it may be 0 times infinity at a point that the guards exclude.
//!
//! Invariant: the matrices that one product sees, and so the order of its sums, do not depend on the number of threads.

use gemm_common::Parallelism;
use rayon::prelude::*;
use smallvec::SmallVec;

use super::clip::{Clip, Clips, copy_clipped};
use super::executor::Found;
use super::plan::{Finished, Plan};
use super::product::{self, Factor, Matrix};
use super::space::{Space, distance};
use super::stage::{Strides, copy_box, dense_strides, widen};
use super::traverse;
use crate::element::DType;
use crate::engine::{Launch, OutOfMemory};
use crate::kernel::body::InstructionSet;
use crate::kernel::program::{Contraction, Index, PassKind, ReduceOp, WriteKind};
use crate::memory::host;
use crate::memory::pool::Block;

/// Multiplications that are worth a second thread.
const PARALLEL_WORK: usize = 1 << 19;

/// A group of axes as one dimension: its size, and the distance of neighbors in two arrays, in elements.
#[derive(Clone, Copy, Debug)]
struct Merged {
    size: usize,
    strides: [isize; 2],
}

/// An operand as matrices.
struct Matrices {
    pointer: *const u8,
    /// Between batches, in elements.
    batch: Strides,
    /// Between neighbors along the operand's own group.
    own: isize,
    /// Between neighbors along `k`.
    summed: isize,
    /// Memory of a packed operand.
    _packed: Option<Buffer>,
}

/// The result as matrices.
struct Target {
    pointer: *mut u8,
    batch: Strides,
    m: isize,
    n: isize,
}

/// All products of a contraction.
struct Products<'a> {
    dtype: DType,
    m: usize,
    n: usize,
    k: usize,
    batch: &'a [usize],
    lhs: &'a Matrices,
    rhs: &'a Matrices,
    target: &'a Target,
}

// SAFETY: the products read their operands and write distinct matrices of the target.
unsafe impl Sync for Products<'_> {}

/// Runs a contraction; `None` if it has no matrix product.
pub(super) fn run(launch: &Launch<'_>, set: InstructionSet) -> Option<Result<Option<Found>, OutOfMemory>> {
    let contraction = launch.kernel.contraction?;
    let dtype = product_type(launch)?;
    Some(multiply(launch, set, &contraction, dtype))
}

/// The type of the product, if there is one.
fn product_type(launch: &Launch<'_>) -> Option<DType> {
    let kernel = launch.kernel;
    let contraction = kernel.contraction?;
    let [reduction] = kernel.reductions else { return None };
    let dtype = launch.dtype(reduction.value);
    let fits = |operand: u16| {
        let plain = kernel.operands[operand as usize].index.iter().all(|index| !matches!(index, Index::Dynamic));
        let element = launch.operands[operand as usize].dtype;
        plain && (element == dtype || (dtype == DType::F32 && matches!(element, DType::F16 | DType::Bf16)))
    };
    let only_level = kernel.passes.iter().all(|pass| match pass.kind {
        PassKind::Level(_) => pass.writes.is_empty(),
        PassKind::Inner => false,
        PassKind::Outer => true,
    });
    let elements = kernel.reduced.iter().all(|&axis| launch.axis_sizes(axis).all(|size| size > 0));
    (matches!(dtype, DType::F32 | DType::F64)
        && reduction.op == ReduceOp::Sum
        && only_level
        && elements
        && fits(contraction.lhs)
        && fits(contraction.rhs))
    .then_some(dtype)
}

fn multiply(
    launch: &Launch<'_>,
    set: InstructionSet,
    contraction: &Contraction,
    dtype: DType,
) -> Result<Option<Found>, OutOfMemory> {
    let sizes =
        |axes: &[u16]| -> SmallVec<[usize; 6]> { axes.iter().flat_map(|&axis| launch.axis_sizes(axis)).collect() };
    let (batch, m, n, k) =
        (sizes(contraction.batch), sizes(contraction.m), sizes(contraction.n), sizes(launch.kernel.reduced));
    let lhs = AxisStrides::of(launch, contraction.lhs);
    let rhs = AxisStrides::of(launch, contraction.rhs);

    // Straight into the written array, or into a buffer in the order batch, m, n. Guarded sums are looked at first.
    let order: SmallVec<[u16; 8]> =
        contraction.batch.iter().chain(contraction.m).chain(contraction.n).copied().collect();
    let all = sizes(&order);
    let points: usize = all.iter().product();
    let straight = written(launch, contraction, dtype).filter(|_| !contraction.guarded).filter(|written| {
        let merges =
            |axes: &[u16]| merge(&sizes(axes), [&written.over(launch, axes), &written.over(launch, axes)]).is_some();
        merges(contraction.m) && merges(contraction.n)
    });
    let (buffer, target) = match straight {
        Some(written) => (None, written),
        None => {
            let buffer = Buffer::take(points * dtype.size())?;
            let strides = dense_strides(&all, 1);
            let pointer = buffer.pointer();
            (Some(buffer), AxisStrides::new(launch, pointer, dtype, &order, strides))
        }
    };

    let target_m = target.over(launch, contraction.m);
    let target_n = target.over(launch, contraction.n);
    let lhs = lhs.matrices(launch, set, dtype, [contraction.batch, contraction.m, launch.kernel.reduced], &target_m)?;
    let rhs = rhs.matrices(launch, set, dtype, [contraction.batch, contraction.n, launch.kernel.reduced], &target_n)?;
    let one =
        |sizes: &[usize], strides: &Strides| merge(sizes, [strides, strides]).map_or(0, |merged| merged.strides[0]);
    let result = Target {
        pointer: target.pointer,
        batch: target.over(launch, contraction.batch),
        m: one(&m, &target_m),
        n: one(&n, &target_n),
    };
    Products {
        dtype,
        m: m.iter().product(),
        n: n.iter().product(),
        k: k.iter().product(),
        batch: &batch,
        lhs: &lhs,
        rhs: &rhs,
        target: &result,
    }
    .run();
    drop((lhs, rhs));
    let Some(buffer) = buffer else { return Ok(None) };
    // SAFETY: the products have written every element of the buffer.
    if contraction.guarded && unsafe { has_nan(dtype, buffer.pointer(), points) } {
        return Ok(traverse::run(&Plan::new(launch, set, None)));
    }
    let finished = Finished { base: buffer.pointer(), dtype, axes: &order };
    Ok(traverse::run(&Plan::new(launch, set, Some(finished))))
}

impl Products<'_> {
    fn run(&self) {
        let batches: usize = self.batch.iter().product();
        let threads = rayon::current_num_threads();
        if batches > 1 && threads > 1 && batches * self.m * self.n * self.k >= PARALLEL_WORK {
            // Inner parallelism serves when there are fewer matrices than threads.
            let inner = if batches < threads { Parallelism::Rayon(0) } else { Parallelism::None };
            (0..batches).into_par_iter().for_each(|batch| self.product(batch, inner));
        } else {
            let inner = if threads > 1 { Parallelism::Rayon(0) } else { Parallelism::None };
            (0..batches).for_each(|batch| self.product(batch, inner));
        }
    }

    fn product(&self, batch: usize, parallelism: Parallelism) {
        let (mut lhs, mut rhs, mut target) = (0, 0, 0);
        let mut rest = batch;
        for (dim, size) in self.batch.iter().enumerate().rev() {
            let index = (rest % size) as isize;
            rest /= size;
            lhs += index * self.lhs.batch[dim];
            rhs += index * self.rhs.batch[dim];
            target += index * self.target.batch[dim];
        }
        // SAFETY: batch, row and column indices are within the sizes that the operands' and the target's strides were made
        // for, so every address is an element of its array; the target's elements are distinct and written by this
        // product alone.
        unsafe {
            match self.dtype {
                DType::F32 => self.product_of::<f32>(lhs, rhs, target, parallelism),
                DType::F64 => self.product_of::<f64>(lhs, rhs, target, parallelism),
                other => unreachable!("bug: matrix product of `{other}`"),
            }
        }
    }

    /// # Safety
    /// The offsets address a batch of each array, and `V` is the type of the product.
    unsafe fn product_of<V: Factor>(&self, lhs: isize, rhs: isize, target: isize, parallelism: Parallelism) {
        let sizes = product::Sizes { rows: self.m, columns: self.n, summed: self.k };
        // SAFETY: the caller's.
        unsafe {
            let of = |pointer: *const u8, offset| pointer.cast_mut().cast::<V>().offset(offset);
            let target = Matrix { pointer: of(self.target.pointer, target), row: self.target.m, column: self.target.n };
            let lhs = Matrix { pointer: of(self.lhs.pointer, lhs), row: self.lhs.own, column: self.lhs.summed };
            let rhs = Matrix { pointer: of(self.rhs.pointer, rhs), row: self.rhs.summed, column: self.rhs.own };
            product::multiply(sizes, target, lhs, rhs, parallelism);
        }
    }
}

/// A dimension that an operand may leave, with a step per axis of the kernel.
struct AxisClip {
    size: i64,
    stride: isize,
    divisor: i64,
    offset: i64,
    steps: SmallVec<[(u16, isize); 4]>,
}

/// An array with a stride per axis of the kernel.
struct AxisStrides {
    pointer: *mut u8,
    dtype: DType,
    /// Axes with strides, in elements; `..` has several.
    axes: SmallVec<[(u16, Strides); 6]>,
    /// Dimensions that it may leave.
    clips: SmallVec<[AxisClip; 2]>,
}

impl AxisStrides {
    /// An operand whose indices are all axes, affine or clipped.
    fn of(launch: &Launch<'_>, operand: u16) -> Self {
        let array = &launch.operands[operand as usize];
        let mut this = Self::new(launch, array.pointer, array.dtype, &[], Strides::new());
        let mut cursor = 0;
        for index in launch.kernel.operands[operand as usize].index {
            match index {
                Index::Axis(axis) => {
                    let rank = launch.axis_sizes(*axis).count();
                    this.add(*axis, &array.strides[cursor..cursor + rank]);
                    cursor += rank;
                }
                Index::Affine { terms, offset } | Index::Clipped { terms, offset, .. } => {
                    let stride = array.strides[cursor];
                    for (axis, coefficient) in *terms {
                        this.add(*axis, &[(launch.size(coefficient) as isize).wrapping_mul(stride)]);
                    }
                    let stride = stride * array.dtype.size() as isize;
                    let offset = launch.size(offset);
                    this.pointer = this.pointer.wrapping_offset((offset as isize).wrapping_mul(stride));
                    if let Index::Clipped { divisor, .. } = index {
                        let (size, divisor) = (array.shape[cursor] as i64, launch.size(divisor));
                        let steps = terms.iter().map(|(axis, step)| (*axis, launch.size(step) as isize)).collect();
                        this.clips.push(AxisClip { size, stride, divisor, offset, steps });
                    }
                    cursor += 1;
                }
                Index::Dynamic => unreachable!("bug: a gather has no matrix product"),
            }
        }
        this
    }

    /// An array whose dimensions are those of some axes, in order.
    fn new(launch: &Launch<'_>, pointer: *mut u8, dtype: DType, axes: &[u16], strides: Strides) -> Self {
        let mut this = Self { pointer, dtype, axes: SmallVec::new(), clips: SmallVec::new() };
        let mut cursor = 0;
        for &axis in axes {
            let rank = launch.axis_sizes(axis).count();
            this.add(axis, &strides[cursor..cursor + rank]);
            cursor += rank;
        }
        this
    }

    fn add(&mut self, axis: u16, strides: &[isize]) {
        match self.axes.iter_mut().find(|known| known.0 == axis) {
            Some((_, sum)) => sum.iter_mut().zip(strides).for_each(|(sum, stride)| *sum = sum.wrapping_add(*stride)),
            None => self.axes.push((axis, SmallVec::from_slice(strides))),
        }
    }

    /// The strides over the dimensions of some axes; 0 along an axis that the array does not have.
    fn over(&self, launch: &Launch<'_>, axes: &[u16]) -> Strides {
        let mut strides = Strides::new();
        for &axis in axes {
            match self.axes.iter().find(|known| known.0 == axis) {
                Some((_, known)) => strides.extend_from_slice(known),
                None => strides.extend(launch.axis_sizes(axis).map(|_| 0)),
            }
        }
        strides
    }

    /// The operand as matrices over the groups batch, own and summed; packed if its strides do not merge together with
    /// those of the target, or if its elements are halves.
    fn matrices(
        &self,
        launch: &Launch<'_>,
        set: InstructionSet,
        dtype: DType,
        groups: [&[u16]; 3],
        target: &Strides,
    ) -> Result<Matrices, OutOfMemory> {
        let sizes = groups
            .map(|axes| -> SmallVec<[usize; 6]> { axes.iter().flat_map(|&axis| launch.axis_sizes(axis)).collect() });
        let [batch, own, summed] = groups.map(|axes| self.over(launch, axes));
        let merged_own = merge(&sizes[1], [&own, target]);
        let merged_summed = merge(&sizes[2], [&summed, &summed]);
        if let (Some(own), Some(summed)) = (merged_own, merged_summed)
            && self.dtype == dtype
            && self.clips.is_empty()
        {
            return Ok(Matrices {
                pointer: self.pointer,
                batch,
                own: own.strides[0],
                summed: summed.strides[0],
                _packed: None,
            });
        }
        let all: SmallVec<[usize; 6]> = sizes.iter().flatten().copied().collect();
        let strides: Strides = [batch, own, summed]
            .iter()
            .flatten()
            .map(|stride| stride.wrapping_mul(self.dtype.size() as isize))
            .collect();
        let packed = Buffer::take(all.iter().product::<usize>() * dtype.size())?;
        let clips: Clips = self.clips.iter().map(|clip| clip.over(launch, &groups)).collect();
        // SAFETY: the operand has an element at every index of its axes that its clips do not exclude, and the block has room
        // for all.
        unsafe { pack(set, &all, packed.pointer(), dtype, self.pointer, self.dtype, &strides, &clips) };
        let dense = dense_strides(&all, 1);
        let points = |sizes: &[usize]| sizes.iter().product::<usize>() as isize;
        Ok(Matrices {
            pointer: packed.pointer(),
            batch: SmallVec::from_slice(&dense[..sizes[0].len()]),
            own: points(&sizes[2]),
            summed: 1,
            _packed: Some(packed),
        })
    }
}

impl AxisClip {
    /// The clip over the dimensions of groups of axes.
    fn over(&self, launch: &Launch<'_>, groups: &[&[u16]]) -> Clip {
        let step = |axis: u16| self.steps.iter().find(|known| known.0 == axis).map_or(0, |known| known.1);
        let axes = groups.iter().flat_map(|axes| axes.iter().copied());
        let steps = axes.flat_map(|axis| launch.axis_sizes(axis).map(move |_| step(axis))).collect();
        Clip { size: self.size, stride: self.stride, divisor: self.divisor, value: self.offset, steps }
    }
}

/// The array that the `Outer` pass would only copy the result to.
fn written(launch: &Launch<'_>, contraction: &Contraction, dtype: DType) -> Option<AxisStrides> {
    let kernel = launch.kernel;
    let ([write], [array]) = (kernel.writes, launch.writes) else { return None };
    let WriteKind::Own { axes, .. } = write.kind else { return None };
    let fits = contraction.bare && array.dtype == dtype && !array.pointer.is_null();
    fits.then(|| AxisStrides::new(launch, array.pointer, dtype, axes, SmallVec::from_slice(array.strides)))
}

/// The dimensions of a group as one, if both arrays walk it evenly.
fn merge(sizes: &[usize], strides: [&Strides; 2]) -> Option<Merged> {
    let mut merged = Merged { size: 1, strides: [0, 0] };
    for (dim, &size) in sizes.iter().enumerate().rev() {
        if size == 1 {
            continue;
        }
        let here = [strides[0][dim], strides[1][dim]];
        if merged.size == 1 {
            merged.strides = here;
        } else if (0..2).any(|array| here[array] != merged.strides[array].wrapping_mul(merged.size as isize)) {
            return None;
        }
        merged.size *= size;
    }
    Some(merged)
}

/// True if one of `len` floats is NaN.
///
/// # Safety
/// The pointer addresses `len` initialised elements of the float type.
unsafe fn has_nan(dtype: DType, pointer: *const u8, len: usize) -> bool {
    // SAFETY: the caller's; blocks of the pool are aligned for every element.
    unsafe {
        match dtype {
            DType::F64 => std::slice::from_raw_parts(pointer.cast::<f64>(), len).iter().any(|value| value.is_nan()),
            _ => std::slice::from_raw_parts(pointer.cast::<f32>(), len).iter().any(|value| value.is_nan()),
        }
    }
}

/// Copies an array to a dense one, widening halves; what lies outside of it is 0.
///
/// # Safety
/// The source's box is allocated and initialised where the clips do not exclude it, and the target has room for as many
/// elements.
#[expect(clippy::too_many_arguments, reason = "two arrays in parts, and how they differ")]
unsafe fn pack(
    set: InstructionSet,
    sizes: &[usize],
    target: *mut u8,
    dtype: DType,
    source: *const u8,
    from: DType,
    strides: &[isize],
    clips: &[Clip],
) {
    const MOST: usize = 4096;
    let space = Space::standard(SmallVec::from_slice(sizes), MOST);
    let rank = sizes.len();
    let dense = dense_strides(sizes, dtype.size());
    let move_block = |block: usize, halves: &mut Vec<u16>| {
        let (mut start, mut extent): (SmallVec<[usize; 6]>, SmallVec<[usize; 6]>) =
            (SmallVec::from_elem(0, rank), SmallVec::from_elem(0, rank));
        space.locate(block, &mut start, &mut extent);
        let source = source.wrapping_offset(distance(&start, strides));
        let target = target.wrapping_offset(distance(&start, &dense));
        // SAFETY: the block lies within both boxes; in a standard tiling it is a run of the dense one.
        let copy = |target: *mut u8| unsafe {
            let size = from.size();
            let dense = dense_strides(&extent, size);
            match clips {
                [] => copy_box(&extent, size, target, &dense, source, strides),
                _ => {
                    let at_block = |clip: &Clip| Clip {
                        value: clip.value.wrapping_add(distance(&start, &clip.steps) as i64),
                        ..clip.clone()
                    };
                    let mut clips: Clips = clips.iter().map(at_block).collect();
                    copy_clipped(&extent, size, target, &dense, source, strides, &mut clips);
                }
            }
        };
        if from == dtype {
            return copy(target);
        }
        let len = extent.iter().product();
        halves.resize(len, 0);
        copy(halves.as_mut_ptr().cast());
        // SAFETY: both hold the elements of the block.
        unsafe { widen(set, from, target, halves.as_ptr().cast(), len) };
    };
    let mut halves = Vec::new();
    for block in 0..space.blocks {
        move_block(block, &mut halves);
    }
}

/// Memory of the pool, for the time of a launch.
struct Buffer(Block);

impl Buffer {
    fn take(bytes: usize) -> Result<Self, OutOfMemory> {
        host::take(bytes).map(Buffer).map_err(|exhausted| OutOfMemory {
            requested: bytes,
            free: exhausted.free,
            largest_block: exhausted.largest_block,
        })
    }

    fn pointer(&self) -> *mut u8 {
        self.0.pointer().as_ptr()
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        host::put(std::mem::replace(&mut self.0, Block::empty()));
    }
}
