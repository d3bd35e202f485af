//! Arithmetic of the walk itself: sums of cotangents.
//!
//! The walk knows no types, so it calls its kernels by their tables.

use crate::element::DType;
use crate::error::{Origin, Result};
use crate::kernel::{Bodies, Call};
use crate::ops::pieces;
use crate::shape::{PerAxis, Shape};
use crate::tensor::raw::Raw;
use crate::tensor::view::Movement;
use crate::tensor_fn;

tensor_fn! {
    fn accumulate_into(sum: &mut Tensor[..], part: &Tensor[..]) { sum += part; }

    fn add(x: &Tensor[..], y: &Tensor[..]) -> Tensor[..] { x + y }

    fn sum_rows(x: &Tensor[.., R, S]) -> Tensor[..] { sum[R, S](x) }
}

/// The bodies of a kernel of this module for the element of a cotangent.
macro_rules! bodies {
    ($kernel:ident, $dtype:expr) => {
        match $dtype {
            DType::F64 => $kernel::Passes::<f64>::BODIES,
            DType::F32 => $kernel::Passes::<f32>::BODIES,
            other => unreachable!("bug in tensor-rt: a cotangent of {other}"),
        }
    };
}

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
    let Some(sum) = sum else { return Ok(part.with_node(None)) };
    let (mut x, mut y) = (sum, part);
    if !x.is_alone() {
        std::mem::swap(&mut x, &mut y);
    }
    // Of two parts that others hold too, neither may be edited.
    if !x.is_alone() {
        let call = Call::from(&add::PROGRAM, bodies!(add, x.dtype()), x.dtype(), origin);
        return run(call, &[&x, &y]);
    }
    let bodies: Bodies = bodies!(accumulate_into, x.dtype());
    let dtype = x.dtype();
    {
        let mut call = Call::from(&accumulate_into::PROGRAM, bodies, dtype, origin);
        call.raw_place(x.exclusive(false, origin)?);
        call.raw(&y);
        call.run()?;
    }
    Ok(x)
}

/// The sum of a cotangent over the axes along which `shape` was repeated to its shape.
pub(crate) fn sum_to(cotangent: &Raw, shape: &Shape, origin: Origin) -> Result<Raw> {
    let rank = cotangent.shape().rank();
    let in_front = rank - shape.rank();
    let repeated = |axis: &usize| *axis < in_front || shape[*axis - in_front] != cotangent.shape()[*axis];
    let (summed, kept): (PerAxis<usize>, PerAxis<usize>) = (0..rank).partition(repeated);
    let order = kept.iter().chain(&summed).copied().collect();
    let ends = pieces(cotangent.shape(), cotangent.strides(), &summed);
    let rows: Shape = kept.iter().map(|axis| cotangent.shape()[*axis]).chain(ends).collect();
    let ordered = Movement::Permute(order).apply(cotangent, origin)?;
    let rows = Movement::Reshape(rows).apply(&ordered, origin)?;
    let call = Call::from(&sum_rows::PROGRAM, bodies!(sum_rows, rows.dtype()), rows.dtype(), origin);
    Movement::Reshape(shape.clone()).apply(&run(call, &[&rows])?, origin)
}

fn run<'a>(mut call: Call<'a>, arguments: &[&'a Raw]) -> Result<Raw> {
    for argument in arguments {
        call.raw(argument);
    }
    Ok(call.run()?.into_raw())
}
