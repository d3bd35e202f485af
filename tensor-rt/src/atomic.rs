//! Elements that several threads change at the same time.
//!
//! Integers have the processor's own operations; floats are combined by compare and exchange of their bits. No order is
//! needed between elements (each operation is *relaxed*): whoever reads a final value has waited for the writers by other
//! means, such as joining their threads.
//!
//! Invariant: while an element may be changed here, every access to it is one of this module.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicI32, AtomicI64, AtomicU8, AtomicU16, AtomicU32, AtomicU64};

use crate::element::{DType, Element, bf16, f16};

/// How a value is combined into an element.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Combine {
    /// The sum; integers wrap.
    Add,
    /// The larger one; NaN if either is.
    Max,
    /// The smaller one; NaN if either is.
    Min,
}

/// Combines a value into an element, as one step.
///
/// # Safety
/// `place` is an element of type `dtype` and aligned for it; `value` is a value of its computing type. Nobody accesses
/// the element at the same time but through this module.
pub(crate) unsafe fn combine(how: Combine, dtype: DType, place: *mut u8, value: *const u8) {
    macro_rules! integer {
        ($integer:ty, $atomic:ty) => {{
            // SAFETY: the caller's: an aligned element of this type that is only accessed atomically.
            let place = unsafe { <$atomic>::from_ptr(place.cast()) };
            // SAFETY: the caller's: integers are computed with in their own type.
            let value = unsafe { value.cast::<$integer>().read() };
            match how {
                Combine::Add => place.fetch_add(value, Relaxed),
                Combine::Max => place.fetch_max(value, Relaxed),
                Combine::Min => place.fetch_min(value, Relaxed),
            };
        }};
    }
    macro_rules! float {
        ($float:ty, $atomic:ty) => {{
            // SAFETY: the caller's: an aligned element whose bits are this integer, which is only accessed atomically.
            let place = unsafe { <$atomic>::from_ptr(place.cast()) };
            // SAFETY: the caller's: a value of the computing type.
            let value = unsafe { value.cast::<<$float as Element>::Value>().read() };
            let next = |bits| {
                let old = <$float>::from_bits(bits).widen();
                let new = match how {
                    Combine::Add => old + value,
                    Combine::Max => {
                        if old > value || old.is_nan() {
                            old
                        } else {
                            value
                        }
                    }
                    Combine::Min => {
                        if old < value || old.is_nan() {
                            old
                        } else {
                            value
                        }
                    }
                };
                Some(<$float>::narrow(new).to_bits())
            };
            let _ = place.fetch_update(Relaxed, Relaxed, next);
        }};
    }
    match dtype {
        DType::F32 => float!(f32, AtomicU32),
        DType::F64 => float!(f64, AtomicU64),
        DType::F16 => float!(f16, AtomicU16),
        DType::Bf16 => float!(bf16, AtomicU16),
        DType::I64 => integer!(i64, AtomicI64),
        DType::I32 => integer!(i32, AtomicI32),
        DType::U32 => integer!(u32, AtomicU32),
        DType::U8 => integer!(u8, AtomicU8),
        DType::Bool => unreachable!("bug: `bool` has no sum and no order"),
    }
}

/// Copies elements that other threads may be changing; each is one that was there at some moment.
///
/// # Safety
/// Both are `count` elements of `size` bytes, one after the other and aligned to their size. The target is new; nobody
/// accesses the source at the same time but through this module.
pub(crate) unsafe fn load(size: usize, target: *mut u8, source: *mut u8, count: usize) {
    macro_rules! each {
        ($word:ty, $atomic:ty) => {
            for index in 0..count {
                // SAFETY: the caller's: `index` is one of the elements, aligned and only accessed atomically.
                let word = unsafe { <$atomic>::from_ptr(source.cast::<$word>().add(index)) }.load(Relaxed);
                // SAFETY: the caller's: one of the elements of the target.
                unsafe { target.cast::<$word>().add(index).write(word) };
            }
        };
    }
    match size {
        1 => each!(u8, AtomicU8),
        2 => each!(u16, AtomicU16),
        4 => each!(u32, AtomicU32),
        8 => each!(u64, AtomicU64),
        _ => unreachable!("bug: an element of {size} bytes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What combining `values` into `start` leaves.
    fn combined<E: Element>(how: Combine, start: E, values: &[E]) -> E {
        let mut place = start;
        for value in values {
            let value = value.widen();
            // SAFETY: both are on this thread's stack, and nobody else knows them.
            unsafe { combine(how, E::DTYPE, (&raw mut place).cast(), (&raw const value).cast()) };
        }
        place
    }

    #[test]
    fn every_element_is_combined_as_its_values_are() {
        use Combine::{Add, Max, Min};
        assert_eq!([Add, Max, Min].map(|how| combined(how, 5_i64, &[-7, 9])), [7, 9, -7]);
        assert_eq!([Add, Max, Min].map(|how| combined(how, 5_i32, &[-7, 9])), [7, 9, -7]);
        assert_eq!([Add, Max, Min].map(|how| combined(how, 5_u32, &[7, 2])), [14, 7, 2]);
        // Integers wrap.
        assert_eq!([Add, Max, Min].map(|how| combined(how, 250_u8, &[7, 2])), [3, 250, 2]);
        assert_eq!([Add, Max, Min].map(|how| combined(how, 0.5_f32, &[-7.0, 9.0])), [2.5, 9.0, -7.0]);
        assert_eq!([Add, Max, Min].map(|how| combined(how, 0.5_f64, &[-7.0, 9.0])), [2.5, 9.0, -7.0]);
        let halves = |how| combined(how, f16::from_f32(0.5), &[-7.0, 9.0].map(f16::from_f32)).to_f32();
        assert_eq!([Add, Max, Min].map(halves), [2.5, 9.0, -7.0]);
        let halves = |how| combined(how, bf16::from_f32(0.5), &[-7.0, 9.0].map(bf16::from_f32)).to_f32();
        assert_eq!([Add, Max, Min].map(halves), [2.5, 9.0, -7.0]);
    }

    #[test]
    fn nan_wins_every_comparison() {
        for how in [Combine::Max, Combine::Min] {
            assert!(combined(how, 1.0_f32, &[f32::NAN, 2.0]).is_nan());
            assert!(combined(how, f64::NAN, &[1.0]).is_nan());
        }
    }
}
