//! Combining values into elements at computed addresses.
//!
//! Entries are combined one after the other in the order of their points, so equal addresses add up in one order and the
//! result is the same bits every time. Where other launches combine into the same array, each step is atomic and the
//! order between launches is theirs.
//!
//! Invariant: an index outside its dimension is reported and its entry skipped; an index of `i64::MIN` only skips.

use std::ops::ControlFlow;

use crate::atomic::{self, Combine};
use crate::element::DType;
use crate::kernel::block::{DynamicDim, FaultKind, Slot};
use crate::kernel::program::ReduceOp;

/// What a pass computed for one scatter over one block.
pub(super) struct Entries<'a> {
    /// Number of points.
    pub len: usize,
    /// A value for each.
    pub values: *const u8,
    /// For each, the bytes that the dimensions which the pass does not index make.
    pub offsets: *const i64,
    /// For each dimension that the pass indexes, an index for each point.
    pub indices: &'a [Slot],
    /// Those dimensions.
    pub dims: &'a [DynamicDim],
}

/// The lowest point with an index outside its dimension, the dimension, and the index.
pub(super) type OutOfRange = Option<(u32, DynamicDim, i64)>;

impl DynamicDim {
    /// The fault of an index outside this dimension of a scatter.
    pub fn fault(self, write: u16, value: i64) -> FaultKind {
        FaultKind::Scatter { write, dim: self.position, value, bound: self.size }
    }
}

impl Entries<'_> {
    /// Combines the entries into the array at `base`, whose element is the values' type.
    ///
    /// # Safety
    /// Values, offsets and indices hold `len` initialised elements; an offset plus indices within their dimensions is an
    /// element of the array, which nothing else accesses.
    pub unsafe fn combine(&self, op: ReduceOp, dtype: DType, base: *mut u8) -> OutOfRange {
        // SAFETY: the caller's.
        unsafe {
            match dtype {
                DType::F32 => self.combine_floats::<f32>(op, base),
                DType::F64 => self.combine_floats::<f64>(op, base),
                DType::I64 => self.combine_integers::<i64>(op, base, i64::wrapping_add),
                DType::I32 => self.combine_integers::<i32>(op, base, i32::wrapping_add),
                DType::U32 => self.combine_integers::<u32>(op, base, u32::wrapping_add),
                DType::U8 => self.combine_integers::<u8>(op, base, u8::wrapping_add),
                DType::F16 | DType::Bf16 | DType::Bool => unreachable!("bug: scatter into `{dtype}`"),
            }
        }
    }

    /// Combines the entries into the array at `base`, whose element is `dtype`, while other launches do the same.
    ///
    /// # Safety
    /// As [`Entries::combine`], but the values are of the computing type of `dtype`, and others may access the elements
    /// through [`atomic`] meanwhile.
    pub unsafe fn combine_atomically(&self, op: ReduceOp, dtype: DType, base: *mut u8) -> OutOfRange {
        let how = match op {
            ReduceOp::Max => Combine::Max,
            ReduceOp::Min => Combine::Min,
            _ => Combine::Add,
        };
        let size = dtype.compute().size();
        // SAFETY: the caller's; each point is below `len`.
        unsafe {
            self.each(|point, offset| {
                atomic::combine(how, dtype, base.offset(offset), self.values.add(point * size));
            })
        }
    }

    /// # Safety
    /// As [`Entries::combine`].
    unsafe fn combine_floats<V>(&self, op: ReduceOp, base: *mut u8) -> OutOfRange
    where
        V: Copy + PartialOrd + std::ops::Add<Output = V>,
    {
        let nan = |value: V| value.partial_cmp(&value).is_none();
        // SAFETY: the caller's.
        unsafe {
            match op {
                ReduceOp::Max => self.update::<V>(base, |old, new| if old > new || nan(old) { old } else { new }),
                ReduceOp::Min => self.update::<V>(base, |old, new| if old < new || nan(old) { old } else { new }),
                _ => self.update::<V>(base, |old, new| old + new),
            }
        }
    }

    /// # Safety
    /// As [`Entries::combine`].
    unsafe fn combine_integers<V: Copy + Ord>(&self, op: ReduceOp, base: *mut u8, add: fn(V, V) -> V) -> OutOfRange {
        // SAFETY: the caller's.
        unsafe {
            match op {
                ReduceOp::Max => self.update::<V>(base, V::max),
                ReduceOp::Min => self.update::<V>(base, V::min),
                _ => self.update::<V>(base, add),
            }
        }
    }

    /// # Safety
    /// As [`Entries::combine`].
    #[inline(always)]
    unsafe fn update<V: Copy>(&self, base: *mut u8, combine: impl Fn(V, V) -> V) -> OutOfRange {
        // SAFETY: the caller's; each point is below `len`, and its offset an element of the array.
        unsafe {
            self.each(|point, offset| {
                let place = base.offset(offset).cast::<V>();
                place.write(combine(place.read(), self.values.cast::<V>().add(point).read()));
            })
        }
    }

    /// Calls `body` with each point whose indices are within their dimensions, and with the offset of its element.
    ///
    /// # Safety
    /// Offsets and indices hold `len` initialised elements.
    #[inline(always)]
    unsafe fn each(&self, mut body: impl FnMut(usize, isize)) -> OutOfRange {
        let mut lowest = None;
        for point in 0..self.len {
            // SAFETY: `point < len`.
            let mut offset = unsafe { self.offsets.add(point).read() };
            let inside = self.dims.iter().zip(self.indices).try_for_each(|(dim, indices)| {
                // SAFETY: `point < len`.
                let index = unsafe { indices.pointer.cast::<i64>().add(point).read() };
                if index as u64 >= dim.size as u64 {
                    if index != i64::MIN && lowest.is_none() {
                        lowest = Some((point as u32, *dim, index));
                    }
                    return ControlFlow::Break(());
                }
                offset += index * dim.stride;
                ControlFlow::Continue(())
            });
            if inside.is_continue() {
                body(point, offset as isize);
            }
        }
        lowest
    }
}
