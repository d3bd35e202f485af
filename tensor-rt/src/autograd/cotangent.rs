//! Arithmetic of the walk itself: sums of cotangents.

use crate::element::{Compute, DType};
use crate::error::{Origin, Result};
use crate::shape::Shape;
use crate::tensor::raw::Raw;
use crate::tensor::view::Movement;

/// The cotangent in the element in which it is computed with.
pub(super) fn widen(cotangent: Raw, origin: Origin) -> Result<Raw> {
    convert(cotangent.dtype().compute(), cotangent, origin)
}

/// The cotangent in another float element.
pub(super) fn convert(dtype: DType, cotangent: Raw, origin: Origin) -> Result<Raw> {
    if dtype == cotangent.dtype() { Ok(cotangent) } else { Movement::Cast(dtype).apply(&cotangent, origin) }
}

/// The sum of two cotangents of one array, the first of which may be missing.
pub(super) fn accumulate(sum: Option<Raw>, part: Raw, origin: Origin) -> Result<Raw> {
    let Some(sum) = sum else { return Ok(part.detached()) };
    match sum.dtype() {
        DType::F64 => add::<f64>(sum, &part, origin),
        _ => add::<f32>(sum, &part, origin),
    }
}

fn add<C: Compute>(mut sum: Raw, part: &Raw, origin: Origin) -> Result<Raw> {
    let part = part.dense(origin)?;
    {
        let mut place = sum.exclusive(true, origin)?;
        let (Some(sum), Some(part)) = (place.as_mut_slice::<C>(), part.as_slice::<C>()) else {
            unreachable!("bug in tensor-rt: cotangents of one array differ in element");
        };
        assert_eq!(sum.len(), part.len(), "bug in tensor-rt: cotangents of one array differ in shape");
        for (sum, part) in sum.iter_mut().zip(part) {
            *sum += *part;
        }
    }
    Ok(sum)
}

/// The sum of a cotangent over the axes along which `shape` was repeated to its shape.
pub(crate) fn sum_to(cotangent: &Raw, shape: &Shape, origin: Origin) -> Result<Raw> {
    match cotangent.dtype() {
        DType::F64 => sum::<f64>(cotangent, shape, origin),
        DType::F32 => sum::<f32>(cotangent, shape, origin),
        other => unreachable!("bug in tensor-rt: a cotangent of {other}"),
    }
}

fn sum<C: Compute>(cotangent: &Raw, shape: &Shape, origin: Origin) -> Result<Raw> {
    let dense = cotangent.dense(origin)?;
    let mut sums = Raw::zeros(cotangent.device(), C::DTYPE, shape, origin)?;
    let in_front = cotangent.shape().rank() - shape.rank();
    // The distance that a step along each axis of the cotangent makes in the sums; none along a repeated axis.
    let mut steps = vec![0usize; cotangent.shape().rank()];
    let mut distance = 1;
    for axis in (0..shape.rank()).rev() {
        steps[in_front + axis] = if shape[axis] == 1 { 0 } else { distance };
        distance *= shape[axis];
    }
    {
        let mut place = sums.fresh();
        let (Some(sums), Some(elements)) = (place.as_mut_slice::<C>(), dense.as_slice::<C>()) else {
            unreachable!("bug in tensor-rt: a dense cotangent is no slice");
        };
        let mut index = vec![0usize; steps.len()];
        let mut target = 0;
        for element in elements {
            sums[target] += *element;
            for axis in (0..index.len()).rev() {
                index[axis] += 1;
                target += steps[axis];
                if index[axis] < cotangent.shape()[axis] {
                    break;
                }
                target -= steps[axis] * index[axis];
                index[axis] = 0;
            }
        }
    }
    Ok(sums)
}
