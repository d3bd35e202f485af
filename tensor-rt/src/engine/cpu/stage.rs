//! Staging: boxes of strided memory into contiguous buffers, and back.
//!
//! A box is described by its extent along each dimension and by strides in bytes, outermost first. [`Class`] says whether
//! a box needs a copy at all. Copies go plane by plane over the two innermost dimensions: runs are copied or filled, and
//! planes whose contiguous dimensions differ are transposed along the side in memory.
//!
//! Invariant: a copy touches exactly the elements of its box.

use smallvec::SmallVec;

use crate::element::{DType, Element, bf16, f16};
use crate::isa::Isa;
use crate::kernel::body::{InstructionSet, Routine};

/// Distance of neighbors in bytes, per dimension.
pub(super) type Strides = SmallVec<[isize; 6]>;

/// What a box of memory looks like.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Class {
    /// Its elements follow each other in row-major order.
    Direct,
    /// All its elements are one.
    Constant,
    /// Anything else.
    Staged,
}

/// The class of a box of elements of `size` bytes.
pub(super) fn classify(extent: &[usize], strides: &[isize], size: usize) -> Class {
    let mut dense = size as isize;
    let (mut direct, mut constant) = (true, true);
    for (&extent, &stride) in extent.iter().zip(strides).rev() {
        if extent > 1 {
            direct &= stride == dense;
            constant &= stride == 0;
            dense *= extent as isize;
        }
    }
    // A single element is direct.
    if direct {
        Class::Direct
    } else if constant {
        Class::Constant
    } else {
        Class::Staged
    }
}

/// Row-major strides of a dense box.
pub(super) fn dense_strides(extent: &[usize], size: usize) -> Strides {
    let mut strides: Strides = SmallVec::from_elem(0, extent.len());
    let mut stride = size as isize;
    for (extent, place) in extent.iter().zip(&mut strides).rev() {
        *place = stride;
        stride *= *extent as isize;
    }
    strides
}

/// A dimension of a copy: extent, and the strides of destination and source.
type CopyDim = (usize, isize, isize);

/// Copies a box of elements of `size` bytes.
///
/// # Safety
/// All elements of both boxes are allocated, the source is initialised, and the destination's elements are distinct and
/// overlap no source element.
pub(super) unsafe fn copy_box(
    extent: &[usize],
    size: usize,
    target: *mut u8,
    target_strides: &[isize],
    source: *const u8,
    source_strides: &[isize],
) {
    let mut dims: SmallVec<[CopyDim; 6]> = SmallVec::new();
    for ((&extent, &target), &source) in extent.iter().zip(target_strides).zip(source_strides) {
        match dims.last_mut() {
            _ if extent == 0 => return,
            _ if extent == 1 => {}
            Some(outer) if outer.1 == target * extent as isize && outer.2 == source * extent as isize => {
                *outer = (outer.0 * extent, target, source);
            }
            _ => dims.push((extent, target, source)),
        }
    }
    while dims.len() < 2 {
        dims.insert(0, (1, 0, 0));
    }
    let (outer, plane) = dims.split_at(dims.len() - 2);
    // SAFETY: the merged dimensions address the same elements as the given ones.
    unsafe {
        match size {
            1 => copy_dims::<u8>(outer, plane, target, source),
            2 => copy_dims::<u16>(outer, plane, target, source),
            4 => copy_dims::<u32>(outer, plane, target, source),
            8 => copy_dims::<u64>(outer, plane, target, source),
            _ => unreachable!("bug: element of {size} bytes"),
        }
    }
}

/// # Safety
/// As [`copy_box`].
unsafe fn copy_dims<E: Copy>(outer: &[CopyDim], plane: &[CopyDim], target: *mut u8, source: *const u8) {
    match outer.split_first() {
        // SAFETY: the caller's.
        None => unsafe { copy_plane::<E>(plane[0], plane[1], target, source) },
        Some((&(extent, target_stride, source_stride), inner)) => {
            for i in 0..extent as isize {
                // SAFETY: `i` is within the dimension, so both addresses are within their boxes.
                unsafe {
                    copy_dims::<E>(inner, plane, target.offset(i * target_stride), source.offset(i * source_stride));
                }
            }
        }
    }
}

/// # Safety
/// As [`copy_box`].
unsafe fn copy_plane<E: Copy>(rows: CopyDim, columns: CopyDim, target: *mut u8, source: *const u8) {
    let size = size_of::<E>() as isize;
    let ((rows, target_row, source_row), (columns, target_column, source_column)) = (rows, columns);
    // SAFETY: in the whole match, every offset is `row * stride + column * stride` with both indices in range, so it addresses
    // an element of its box.
    unsafe {
        match (target_column == size, source_column) {
            (true, stride) if stride == size => {
                for row in 0..rows as isize {
                    let (target, source) = (target.offset(row * target_row), source.offset(row * source_row));
                    std::ptr::copy_nonoverlapping(source.cast::<E>(), target.cast::<E>(), columns);
                }
            }
            (true, 0) => {
                for row in 0..rows as isize {
                    let value = source.offset(row * source_row).cast::<E>().read();
                    fill(target.offset(row * target_row).cast::<E>(), value, columns);
                }
            }
            // The side that runs along the rows is the one in memory, whose lines are read or written whole; the other is a
            // buffer in the nearest cache.
            _ if source_row == size || target_row == size => {
                strided::<E>((columns, target_column, source_column), (rows, target_row, source_row), target, source);
            }
            _ => strided::<E>((rows, target_row, source_row), (columns, target_column, source_column), target, source),
        }
    }
}

/// # Safety
/// As [`copy_box`].
unsafe fn strided<E: Copy>(outer: CopyDim, inner: CopyDim, target: *mut u8, source: *const u8) {
    if inner.2 == size_of::<E>() as isize {
        for i in 0..outer.0 as isize {
            prefetch(source.wrapping_offset(i * outer.2), inner.0 * size_of::<E>());
        }
    }
    for i in 0..outer.0 as isize {
        for j in 0..inner.0 as isize {
            // SAFETY: both indices are in range, so these are elements of the boxes.
            unsafe {
                let value = source.offset(i * outer.2 + j * inner.2).cast::<E>().read();
                target.offset(i * outer.1 + j * inner.1).cast::<E>().write(value);
            }
        }
    }
}

/// Asks for the cache lines of a run of memory: runs far apart are not foreseen by the processor.
fn prefetch(run: *const u8, bytes: usize) {
    #[cfg(target_arch = "x86_64")]
    for line in (0..bytes).step_by(64) {
        // SAFETY: a prefetch accesses nothing; any address is fine.
        unsafe { std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(run.wrapping_add(line).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (run, bytes);
}

/// Alignment of memory that can be streamed to.
pub(super) const STREAMED: usize = 16;

/// Copies `bytes` past the caches: a line that is written whole need not be read from memory first. Call
/// [`finish_streams`] before another thread reads them.
///
/// # Safety
/// Both hold `bytes` bytes, which are initialised at `source`; they do not overlap. The target is aligned to [`STREAMED`].
pub(super) unsafe fn stream(target: *mut u8, source: *const u8, bytes: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_stream_si128};
        let whole = bytes / STREAMED * STREAMED;
        for at in (0..whole).step_by(STREAMED) {
            // SAFETY: `at + 16 <= bytes`, and the target is aligned as its start is; SSE2 is part of the architecture.
            unsafe {
                let vector = _mm_loadu_si128(source.add(at).cast::<__m128i>());
                _mm_stream_si128(target.add(at).cast::<__m128i>(), vector);
            }
        }
        // SAFETY: `whole <= bytes`.
        unsafe { std::ptr::copy_nonoverlapping(source.add(whole), target.add(whole), bytes - whole) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    // SAFETY: the caller's.
    unsafe {
        std::ptr::copy_nonoverlapping(source, target, bytes);
    }
}

/// Orders what this thread streamed before whatever it writes later.
pub(super) fn finish_streams() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a fence accesses nothing; SSE is part of the architecture.
    unsafe {
        std::arch::x86_64::_mm_sfence();
    }
}

/// Fills a buffer with the element of `size` bytes at `source`.
///
/// # Safety
/// `target` has room for `len` elements, `source` for one, which is initialised.
pub(super) unsafe fn splat(size: usize, target: *mut u8, source: *const u8, len: usize) {
    // SAFETY: the caller's.
    unsafe {
        match size {
            1 => fill(target, source.read(), len),
            2 => fill(target.cast::<u16>(), source.cast::<u16>().read(), len),
            4 => fill(target.cast::<u32>(), source.cast::<u32>().read(), len),
            8 => fill(target.cast::<u64>(), source.cast::<u64>().read(), len),
            _ => unreachable!("bug: element of {size} bytes"),
        }
    }
}

/// # Safety
/// `target` has room for `len` elements.
unsafe fn fill<E: Copy>(target: *mut E, value: E, len: usize) {
    for i in 0..len {
        // SAFETY: `i < len`.
        unsafe { target.add(i).write(value) };
    }
}

/// Fills a buffer with `base + sum(index * stride)` over a box, row-major.
pub(super) fn fill_affine(target: &mut [i64], base: i64, extent: &[usize], strides: &[isize]) {
    match (extent.split_first(), strides.split_first()) {
        (Some((&extent, inner_extent)), Some((&stride, inner_strides))) => {
            if inner_extent.is_empty() {
                for (i, place) in target.iter_mut().enumerate() {
                    *place = base.wrapping_add((i as i64).wrapping_mul(stride as i64));
                }
                return;
            }
            let inner = target.len() / extent;
            for (i, part) in target.chunks_exact_mut(inner).enumerate() {
                fill_affine(
                    part,
                    base.wrapping_add((i as i64).wrapping_mul(stride as i64)),
                    inner_extent,
                    inner_strides,
                );
            }
        }
        _ => target.fill(base),
    }
}

/// Widens `len` half elements of type `from` to `f32`.
///
/// # Safety
/// `source` holds `len` initialised elements of type `from`, `target` has room for as many `f32`; they do not overlap.
pub(super) unsafe fn widen(set: InstructionSet, from: DType, target: *mut u8, source: *const u8, len: usize) {
    // SAFETY: the caller's.
    unsafe {
        let target = std::slice::from_raw_parts_mut(target.cast::<f32>(), len);
        match from {
            DType::F16 => set.dispatch(Widen::<f16> { target, source: std::slice::from_raw_parts(source.cast(), len) }),
            DType::Bf16 => {
                set.dispatch(Widen::<bf16> { target, source: std::slice::from_raw_parts(source.cast(), len) })
            }
            other => unreachable!("bug: `{other}` is not a half element"),
        }
    }
}

/// Rounds `len` `f32` to half elements of type `to`.
///
/// # Safety
/// `source` holds `len` initialised `f32`, `target` has room for as many elements of type `to`; they do not overlap.
pub(super) unsafe fn narrow(set: InstructionSet, to: DType, target: *mut u8, source: *const u8, len: usize) {
    // SAFETY: the caller's.
    unsafe {
        let source = std::slice::from_raw_parts(source.cast::<f32>(), len);
        match to {
            DType::F16 => {
                set.dispatch(Narrow::<f16> { target: std::slice::from_raw_parts_mut(target.cast(), len), source })
            }
            DType::Bf16 => {
                set.dispatch(Narrow::<bf16> { target: std::slice::from_raw_parts_mut(target.cast(), len), source })
            }
            other => unreachable!("bug: `{other}` is not a half element"),
        }
    }
}

struct Widen<'a, E> {
    target: &'a mut [f32],
    source: &'a [E],
}

impl<E: Element<Value = f32>> Routine for Widen<'_, E> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        for (target, source) in self.target.iter_mut().zip(self.source) {
            *target = source.widen();
        }
    }
}

struct Narrow<'a, E> {
    target: &'a mut [E],
    source: &'a [f32],
}

impl<E: Element<Value = f32>> Routine for Narrow<'_, E> {
    type Output = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        for (target, source) in self.target.iter_mut().zip(self.source) {
            *target = E::narrow(*source);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A box read element by element.
    fn naive(extent: &[usize], source: &[u32], offset: usize, strides: &[isize]) -> Vec<u32> {
        (0..extent.iter().product())
            .map(|point: usize| {
                let (mut rest, mut at) = (point, offset as isize);
                for dim in (0..extent.len()).rev() {
                    at += (rest % extent[dim]) as isize * strides[dim] / 4;
                    rest /= extent[dim];
                }
                source[at as usize]
            })
            .collect()
    }

    #[test]
    fn every_layout_is_copied_in_and_out() {
        let source: Vec<u32> = (0..4096).collect();
        let cases: [(&[usize], usize, &[isize]); 9] = [
            (&[], 7, &[]),
            (&[5], 3, &[4]),
            (&[5], 30, &[-8]),
            (&[3, 4], 0, &[16, 4]),
            (&[33, 40], 0, &[4, 160]),
            (&[3, 5], 1, &[0, 4]),
            (&[3, 5], 1, &[12, 0]),
            (&[2, 3, 4], 2, &[4, 8, 200]),
            (&[2, 1, 3, 20], 9, &[400, 77, 120, 4]),
        ];
        for (extent, offset, strides) in cases {
            let expected = naive(extent, &source, offset, strides);
            let mut dense = vec![0u32; expected.len()];
            let dense_strides = dense_strides(extent, 4);
            // SAFETY: `naive` has just read every element of the source box within bounds.
            unsafe {
                let from = source.as_ptr().add(offset).cast();
                copy_box(extent, 4, dense.as_mut_ptr().cast(), &dense_strides, from, strides);
            }
            assert_eq!(dense, expected, "{extent:?} {strides:?}");
            if strides.contains(&0) {
                continue;
            }
            let mut back = vec![0u32; source.len()];
            // SAFETY: as above, and the strides without 0 address distinct elements.
            unsafe {
                let to = back.as_mut_ptr().add(offset).cast();
                copy_box(extent, 4, to, strides, dense.as_ptr().cast(), &dense_strides);
            }
            assert_eq!(naive(extent, &back, offset, strides), expected, "{extent:?} {strides:?}");
            assert_eq!(
                back.iter().filter(|&&value| value != 0).count(),
                expected.iter().filter(|&&value| value != 0).count()
            );
        }
    }

    #[test]
    fn streamed_bytes_arrive_whole() {
        let source: Vec<u8> = (0..200).collect();
        for bytes in [0, 1, 16, 100, 199] {
            let mut target = vec![0u128; 13];
            // SAFETY: both have 200 bytes, and `u128` is aligned to 16.
            unsafe { stream(target.as_mut_ptr().cast(), source[1..].as_ptr(), bytes) };
            finish_streams();
            let found: &[u8] = bytemuck::cast_slice(&target);
            assert_eq!(found[..bytes], source[1..=bytes]);
            assert!(found[bytes..].iter().all(|&byte| byte == 0));
        }
    }

    #[test]
    fn classes_of_boxes() {
        assert_eq!(classify(&[], &[], 4), Class::Direct);
        assert_eq!(classify(&[1, 5], &[0, 4], 4), Class::Direct);
        assert_eq!(classify(&[2, 5], &[20, 4], 4), Class::Direct);
        assert_eq!(classify(&[2, 5], &[24, 4], 4), Class::Staged);
        assert_eq!(classify(&[2, 5], &[0, 0], 4), Class::Constant);
        assert_eq!(classify(&[2, 5], &[0, 4], 4), Class::Staged);
    }

    #[test]
    fn affine_indices_are_row_major() {
        let mut indices = [0; 6];
        fill_affine(&mut indices, 5, &[2, 3], &[10, -1]);
        assert_eq!(indices, [5, 4, 3, 15, 14, 13]);
    }
}
