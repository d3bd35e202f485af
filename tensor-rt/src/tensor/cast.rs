//! Conversions between elements, with the meaning of Rust's `as`.
//!
//! Every source is widened without loss to one of three types, and every target is made from each of them with one
//! rounding, so nine elements need no table of 81 conversions. Floats saturate to integers, NaN becomes 0; integers wrap;
//! `bool` is `x != 0`.

use std::cmp::Ordering;

use rayon::prelude::*;

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
    match input.dtype() {
        DType::F32 => to::<f32>(input, dtype, origin),
        DType::F64 => to::<f64>(input, dtype, origin),
        DType::F16 => to::<f16>(input, dtype, origin),
        DType::Bf16 => to::<bf16>(input, dtype, origin),
        DType::I64 => to::<i64>(input, dtype, origin),
        DType::I32 => to::<i32>(input, dtype, origin),
        DType::U32 => to::<u32>(input, dtype, origin),
        DType::U8 => to::<u8>(input, dtype, origin),
        DType::Bool => to::<bool>(input, dtype, origin),
    }
}

fn to<S: Source>(input: &Raw, dtype: DType, origin: Origin) -> Result<Raw> {
    match dtype {
        DType::F32 => convert::<S, f32>(input, origin),
        DType::F64 => convert::<S, f64>(input, origin),
        DType::F16 => convert::<S, f16>(input, origin),
        DType::Bf16 => convert::<S, bf16>(input, origin),
        DType::I64 => convert::<S, i64>(input, origin),
        DType::I32 => convert::<S, i32>(input, origin),
        DType::U32 => convert::<S, u32>(input, origin),
        DType::U8 => convert::<S, u8>(input, origin),
        DType::Bool => convert::<S, bool>(input, origin),
    }
}

fn convert<S: Source, T: Target>(input: &Raw, origin: Origin) -> Result<Raw> {
    let dense = if input.is_dense() { input.detached() } else { input.gathered(origin)? };
    let source: &[S] = dense.as_slice().expect("bug in tensor-rt: a dense tensor of this element is no slice");
    Raw::written(input.device(), input.shape(), origin, |target: &mut [T]| {
        let block = |(target, source): (&mut [T], &[S])| {
            for (target, source) in target.iter_mut().zip(source) {
                *target = source.to();
            }
        };
        if source.len() <= BLOCK {
            block((target, source));
        } else {
            target.par_chunks_mut(BLOCK).zip(source.par_chunks(BLOCK)).for_each(block);
        }
    })
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
