//! Strided copies on the processor.
//!
//! Elements are moved as bits of their size, whatever they mean. Axes are ordered by the target's strides and merged
//! where one walk covers two. If another axis is closer together in the source than the innermost one, the two are
//! walked in square tiles, so that both sides use whole cache lines. Large copies are split over the threads along one
//! axis; the parts write different elements.

use rayon::prelude::*;
use smallvec::SmallVec;

use crate::cuda::moves::Walk;

/// Copies of fewer bytes stay on the calling thread: waking another one costs more than they do.
const PARALLEL_BYTES: usize = 1 << 18;

/// Elements along each side of a tile.
const TILE: usize = 32;

pub(super) type Walks = SmallVec<[Walk; 6]>;

/// Copies `shape` elements of `size` bytes.
///
/// # Safety
/// For every index within `shape`, the element at that index of `target` is valid for writes and that of `source` valid
/// for reads, both aligned to `size`; the elements of the target have addresses of their own and none of them is an
/// element of the source. Nothing else writes any of them during the call, nor reads the target's.
pub(super) unsafe fn strided(
    shape: &[usize],
    size: usize,
    target: *mut u8,
    target_strides: &[isize],
    source: *const u8,
    source_strides: &[isize],
) {
    if shape.contains(&0) {
        return;
    }
    let walks = walks(shape, target_strides, source_strides);
    // SAFETY: the walks reach the elements of `shape` and no others; the rest is the caller's promise.
    unsafe {
        match size {
            1 => split(&walks, target.cast::<u8>(), source.cast::<u8>()),
            2 => split(&walks, target.cast::<u16>(), source.cast::<u16>()),
            4 => split(&walks, target.cast::<u32>(), source.cast::<u32>()),
            8 => split(&walks, target.cast::<u64>(), source.cast::<u64>()),
            _ => unreachable!("bug in tensor-rt: an element of {size} bytes"),
        }
    }
}

/// Copies `length` elements that lie one after the other on both sides.
///
/// # Safety
/// As for [`strided`].
pub(super) unsafe fn row<T: Copy>(target: *mut T, source: *const T, length: usize) {
    let bytes = [length * size_of::<T>()];
    // SAFETY: the elements as bytes; the caller's promise.
    unsafe { strided(&bytes, 1, target.cast(), &[1], source.cast(), &[1]) }
}

/// The axes worth walking, outermost of the target first, merged.
pub(super) fn walks(shape: &[usize], target_strides: &[isize], source_strides: &[isize]) -> Walks {
    let axes = shape.iter().zip(target_strides.iter().zip(source_strides));
    let mut walks: Walks = axes
        .filter(|(size, _)| **size != 1)
        .map(|(size, (target, source))| Walk { size: *size, target: *target, source: *source })
        .collect();
    walks.sort_by_key(|walk| std::cmp::Reverse(walk.target.unsigned_abs()));
    let mut merged = Walks::new();
    for walk in walks {
        let length = walk.size as isize;
        match merged.last_mut() {
            Some(outer) if outer.target == walk.target * length && outer.source == walk.source * length => {
                *outer = Walk { size: outer.size * walk.size, ..walk };
            }
            _ => merged.push(walk),
        }
    }
    merged
}

/// Addresses for other threads.
struct Ends<U>(*mut U, *const U);

// SAFETY: the threads use them as `strided` promises, each for elements of its own.
unsafe impl<U> Send for Ends<U> {}
// SAFETY: as above.
unsafe impl<U> Sync for Ends<U> {}

/// # Safety
/// As for [`strided`], with the axes of `walks`.
unsafe fn split<U: Copy + Send + Sync>(walks: &Walks, target: *mut U, source: *const U) {
    let elements: usize = walks.iter().map(|walk| walk.size).product();
    let threads = rayon::current_num_threads();
    if elements * size_of::<U>() < PARALLEL_BYTES || threads == 1 {
        // SAFETY: the caller's promise.
        return unsafe { walk(walks, target, source) };
    }
    // The outermost axis if it gives every thread something to do, else the longest.
    let longest = (0..walks.len()).max_by_key(|axis| walks[*axis].size).unwrap_or(0);
    let axis = if walks[0].size >= 4 * threads { 0 } else { longest };
    let Walk { size, target: target_stride, source: source_stride } = walks[axis];
    let parts = size.min(4 * threads);
    let ends = Ends(target, source);
    (0..parts).into_par_iter().for_each(|part| {
        let (start, end) = (size * part / parts, size * (part + 1) / parts);
        let mut walks = walks.clone();
        walks[axis].size = end - start;
        let Ends(target, source) = &ends;
        // SAFETY: `start` is an index of the axis, so both addresses are elements; the parts are disjoint ranges of one
        // axis, so they write different elements.
        unsafe {
            walk(&walks, target.offset(start as isize * target_stride), source.offset(start as isize * source_stride));
        }
    });
}

/// # Safety
/// As for [`strided`], with the axes of `walks`.
unsafe fn walk<U: Copy>(walks: &Walks, target: *mut U, source: *const U) {
    let Some((inner, outer)) = walks.split_last() else {
        // SAFETY: no axes are one element, valid on both sides.
        return unsafe { *target = *source };
    };
    let closest =
        (0..outer.len()).filter(|axis| outer[*axis].source != 0).min_by_key(|axis| outer[*axis].source.unsigned_abs());
    let tiled = closest.filter(|axis| outer[*axis].source.unsigned_abs() < inner.source.unsigned_abs());
    let mut rest: Walks = outer.into();
    let across = tiled.map(|axis| rest.remove(axis));
    // SAFETY: the loops below reach the elements of the walks and no others.
    unsafe {
        each(&rest, target, source, &mut |target, source| match across {
            Some(across) => tiles(across, *inner, target, source),
            None => line(*inner, target, source),
        });
    }
}

/// Calls `body` with the addresses of every index of `walks`.
///
/// # Safety
/// The addresses are elements.
unsafe fn each<U>(walks: &[Walk], target: *mut U, source: *const U, body: &mut impl FnMut(*mut U, *const U)) {
    let Some((first, rest)) = walks.split_first() else {
        return body(target, source);
    };
    for index in 0..first.size as isize {
        // SAFETY: `index` is within the axis.
        unsafe { each(rest, target.offset(index * first.target), source.offset(index * first.source), body) }
    }
}

/// # Safety
/// As for [`strided`], with the one axis `inner`.
unsafe fn line<U: Copy>(inner: Walk, target: *mut U, source: *const U) {
    match (inner.target, inner.source) {
        // SAFETY: `size` elements in a row on both sides, which do not overlap.
        (1, 1) => unsafe { std::ptr::copy_nonoverlapping(source, target, inner.size) },
        (1, 0) => {
            // SAFETY: the one element of the source.
            let value = unsafe { *source };
            for index in 0..inner.size {
                // SAFETY: within the axis.
                unsafe { *target.add(index) = value }
            }
        }
        (target_stride, source_stride) => {
            for index in 0..inner.size as isize {
                // SAFETY: within the axis.
                unsafe { *target.offset(index * target_stride) = *source.offset(index * source_stride) }
            }
        }
    }
}

/// # Safety
/// As for [`strided`], with the two axes.
unsafe fn tiles<U: Copy>(across: Walk, inner: Walk, target: *mut U, source: *const U) {
    for across_start in (0..across.size).step_by(TILE) {
        for inner_start in (0..inner.size).step_by(TILE) {
            let part = Walk { size: TILE.min(inner.size - inner_start), ..inner };
            for index in across_start..across.size.min(across_start + TILE) {
                let (i, j) = (index as isize, inner_start as isize);
                // SAFETY: both indices are within their axes.
                unsafe {
                    let target = target.offset(i * across.target + j * inner.target);
                    let source = source.offset(i * across.source + j * inner.source);
                    line(part, target, source);
                }
            }
        }
    }
}
