//! Conversions between elements, with the meaning of Rust's `as`.
//!
//! Every source is widened without loss to one of three types, and every target is made from each of them with one
//! rounding, so nine elements need no table of 81 conversions. Floats saturate to integers, NaN becomes 0; integers wrap;
//! `bool` is `x != 0`.

use std::cmp::Ordering;

use rayon::prelude::*;

use super::on_device;
use super::raw::Raw;
use crate::element::{DType, Element, bf16, f16};
use crate::error::{Origin, Result};

/// Elements per task.
const BLOCK: usize = 1 << 15;

/// The same numbers as elements of another type, dense, outside the graph. Not counted as a copy: it computes.
pub(super) fn cast(input: &Raw, dtype: DType, origin: Origin) -> Result<Raw> {
    if input.dtype() == dtype {
        return Ok(input.detached());
    }
    let dense = if input.is_dense() { input.detached() } else { input.gathered(origin)? };
    if let Some(stream) = input.home().stream() {
        let mut target = Raw::empty(input.home(), dtype, input.shape(), origin)?;
        on_device::cast(stream, &target.fresh(), &dense, origin)?;
        return Ok(target);
    }
    match dtype {
        DType::F32 => to::<f32>(&dense, origin),
        DType::F64 => to::<f64>(&dense, origin),
        DType::F16 => to::<f16>(&dense, origin),
        DType::Bf16 => to::<bf16>(&dense, origin),
        DType::I64 => to::<i64>(&dense, origin),
        DType::I32 => to::<i32>(&dense, origin),
        DType::U32 => to::<u32>(&dense, origin),
        DType::U8 => to::<u8>(&dense, origin),
        DType::Bool => to::<bool>(&dense, origin),
    }
}

/// Only the innermost loop knows both elements: what divides the work among threads is compiled once per target.
fn to<T: Target>(source: &Raw, origin: Origin) -> Result<Raw> {
    let convert: fn(&Raw, usize, &mut [T]) = match source.dtype() {
        DType::F32 => convert::<f32, T>,
        DType::F64 => convert::<f64, T>,
        DType::F16 => convert::<f16, T>,
        DType::Bf16 => convert::<bf16, T>,
        DType::I64 => convert::<i64, T>,
        DType::I32 => convert::<i32, T>,
        DType::U32 => convert::<u32, T>,
        DType::U8 => convert::<u8, T>,
        DType::Bool => convert::<bool, T>,
    };
    Raw::written(source.home(), source.shape(), origin, |target: &mut [T]| {
        if target.len() <= BLOCK {
            convert(source, 0, target);
        } else {
            let blocks = target.par_chunks_mut(BLOCK).enumerate();
            blocks.for_each(|(block, target)| convert(source, block * BLOCK, target));
        }
    })
}

/// Fills `target` with the elements of a dense `source` from `start` on.
fn convert<S: Source, T: Target>(source: &Raw, start: usize, target: &mut [T]) {
    let source: &[S] = source.as_slice().expect("bug in tensor-rt: a dense tensor of this element is no slice");
    for (target, source) in target.iter_mut().zip(&source[start..]) {
        *target = source.to();
    }
}

/// The number as an `f32` rounded to odd, from which rounding to half precision gives what rounding once would: the last
/// bit remembers that something was lost.
pub(super) fn odd_from_f64(value: f64) -> f32 {
    let nearest = value as f32;
    to_odd(nearest, value.partial_cmp(&f64::from(nearest)))
}

fn odd_from_i64(value: i64) -> f32 {
    let nearest = value as f32;
    // The nearest `f32` to an `i64` is at most 2^63, which is no `i64`.
    to_odd(nearest, Some(i128::from(value).cmp(&(nearest as i128))))
}

/// `exact` is how the exact number compares with its nearest `f32`.
fn to_odd(nearest: f32, exact: Option<Ordering>) -> f32 {
    match exact {
        Some(Ordering::Less) if nearest.to_bits().is_multiple_of(2) => nearest.next_down(),
        Some(Ordering::Greater) if nearest.to_bits().is_multiple_of(2) => nearest.next_up(),
        _ => nearest,
    }
}

/// An element to convert from.
trait Source: Element {
    fn to<T: Target>(&self) -> T;
}

/// An element to convert to.
trait Target: Element {
    fn from_i64(value: i64) -> Self;
    fn from_f32(value: f32) -> Self;
    fn from_f64(value: f64) -> Self;
}

macro_rules! sources {
    ($($element:ty, $from:ident, $value:ident => $wide:expr;)*) => {$(
        impl Source for $element {
            #[inline(always)]
            fn to<T: Target>(&self) -> T {
                let $value = *self;
                T::$from($wide)
            }
        }
    )*};
}

sources! {
    f32, from_f32, value => value;
    f64, from_f64, value => value;
    f16, from_f32, value => value.to_f32();
    bf16, from_f32, value => value.to_f32();
    i64, from_i64, value => value;
    i32, from_i64, value => value.into();
    u32, from_i64, value => value.into();
    u8, from_i64, value => value.into();
    bool, from_i64, value => value.into();
}

macro_rules! targets {
    ($($element:ty, $value:ident: $integer:expr, $single:expr, $double:expr;)*) => {$(
        impl Target for $element {
            #[inline(always)]
            fn from_i64($value: i64) -> Self { $integer }
            #[inline(always)]
            fn from_f32($value: f32) -> Self { $single }
            #[inline(always)]
            fn from_f64($value: f64) -> Self { $double }
        }
    )*};
}

targets! {
    f32, value: value as f32, value, value as f32;
    f64, value: value as f64, value.into(), value;
    f16, value: f16::narrow(odd_from_i64(value)), f16::narrow(value), f16::narrow(odd_from_f64(value));
    bf16, value: bf16::narrow(odd_from_i64(value)), bf16::narrow(value), bf16::narrow(odd_from_f64(value));
    i64, value: value, value as i64, value as i64;
    i32, value: value as i32, value as i32, value as i32;
    u32, value: value as u32, value as u32, value as u32;
    u8, value: value as u8, value as u8, value as u8;
    bool, value: value != 0, value != 0.0, value != 0.0;
}
