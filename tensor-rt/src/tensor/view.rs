//! Movements: operations that place elements elsewhere and compute nothing.
//!
//! Each is linear, and its adjoint is a movement of the cotangent too, except that a broadcast becomes a sum. A movement
//! shares the storage of its input where strides can say the result; [`Movement::Reshape`] copies where they cannot.
//!
//! Invariant: a movement is resolved: axes are positions, ranges lie within the input they were made for.

use crate::accounting;
use crate::autograd;
use crate::element::DType;
use crate::error::{Error, Origin, Result};
use crate::home::Home;
use crate::layout::Layout;
use crate::shape::{PerAxis, Shape, Span};
use crate::tensor::cast;
use crate::tensor::on_device;
use crate::tensor::raw::Raw;

/// One operation that moves elements.
#[derive(Clone, Debug)]
pub(crate) enum Movement {
    /// Row-major order kept, other shape.
    Reshape(Shape),
    /// Axis `i` of the result is axis `axes[i]` of the input.
    Permute(PerAxis<usize>),
    /// A range of one axis; `flip` is one with step -1.
    Slice { axis: usize, span: Span },
    /// One index of one axis.
    Select { axis: usize, index: usize },
    /// Axes of size 1, and axes in front, repeated.
    Broadcast(Shape),
    /// An axis of size 1 more.
    Unsqueeze(usize),
    /// An axis of size 1 less.
    Squeeze(usize),
    /// The same elements, dense.
    Contiguous,
    /// The same numbers as another element.
    Cast(DType),
    /// The same elements on another device, or on the same one at another home.
    Transfer(Home),
}

impl Movement {
    /// The result for an input, outside the graph.
    pub fn apply(&self, input: &Raw, origin: Origin) -> Result<Raw> {
        let layout = input.layout();
        let layout = match self {
            Movement::Reshape(shape) => return reshape(input, shape, origin),
            Movement::Permute(axes) => layout.permute(axes),
            Movement::Slice { axis, span } => layout.slice(*axis, *span),
            Movement::Select { axis, index } => layout.select(*axis, *index),
            Movement::Broadcast(shape) => layout.broadcast_to(shape, origin)?,
            Movement::Unsqueeze(axis) => layout.unsqueeze(*axis),
            Movement::Squeeze(axis) => layout.squeeze(*axis),
            Movement::Contiguous => return input.dense(origin),
            Movement::Cast(dtype) => return cast::cast(input, *dtype, origin),
            Movement::Transfer(home) => return transfer(input, *home, origin),
        };
        Ok(input.with_layout(layout))
    }

    /// The cotangent of the input, given the cotangent of the result. `input` is the input's shape; the cotangent keeps
    /// its element, except that a cast's becomes that in which `input_dtype` is computed with.
    pub fn adjoint(
        &self,
        cotangent: &Raw,
        input: &Shape,
        input_dtype: DType,
        home: Home,
        origin: Origin,
    ) -> Result<Raw> {
        let back = match self {
            Movement::Reshape(_) | Movement::Squeeze(_) => Movement::Reshape(input.clone()),
            Movement::Permute(axes) => Movement::Permute(inverse(axes)),
            // A whole axis: kept, or reversed, which is its own inverse.
            Movement::Slice { axis, span } if span.length == input[*axis] => {
                Movement::Slice { axis: *axis, span: *span }
            }
            Movement::Slice { axis, span } => {
                return embed(cotangent, input, |layout| layout.slice(*axis, *span), origin);
            }
            Movement::Select { axis, index } => {
                return embed(cotangent, input, |layout| layout.select(*axis, *index), origin);
            }
            Movement::Broadcast(_) => return autograd::sum_to(cotangent, input, origin),
            Movement::Unsqueeze(axis) => Movement::Squeeze(*axis),
            Movement::Contiguous => return Ok(cotangent.detached()),
            Movement::Cast(_) => Movement::Cast(input_dtype.compute()),
            Movement::Transfer(_) => Movement::Transfer(home),
        };
        back.apply(cotangent, origin)
    }
}

/// `cotangent` at the places that `view` picks of a tensor of zeros.
fn embed(cotangent: &Raw, shape: &Shape, view: impl FnOnce(&Layout) -> Layout, origin: Origin) -> Result<Raw> {
    let mut whole = Raw::zeros(cotangent.home(), cotangent.dtype(), shape, origin)?;
    let layout = view(whole.layout());
    whole.fresh().part(layout).copy_from(cotangent, origin)?;
    Ok(whole)
}

fn inverse(axes: &[usize]) -> PerAxis<usize> {
    let mut inverse = PerAxis::from_elem(0, axes.len());
    for (to, from) in axes.iter().enumerate() {
        inverse[*from] = to;
    }
    inverse
}

fn reshape(input: &Raw, shape: &Shape, origin: Origin) -> Result<Raw> {
    check_elements(input, shape, origin)?;
    let source = match input.layout().reshape(shape) {
        Some(layout) => return Ok(input.with_layout(layout)),
        None => input.copied(origin)?,
    };
    Ok(source.with_layout(Layout::dense(shape.clone())))
}

/// Another shape needs no copy.
pub(super) fn check_view(input: &Raw, shape: &Shape, origin: Origin) -> Result<()> {
    check_elements(input, shape, origin)?;
    if input.layout().reshape(shape).is_none() {
        return Err(Error::NoSuchView {
            op: origin.op,
            shape: input.shape().sizes(),
            strides: input.strides().into(),
            target: shape.sizes(),
            at: origin.at,
        });
    }
    Ok(())
}

fn check_elements(input: &Raw, shape: &Shape, origin: Origin) -> Result<()> {
    if shape.elements(origin)? != input.elements() {
        let (from, to) = (input.shape().sizes(), shape.sizes());
        return Err(Error::ElementCount { op: origin.op, from, to, at: origin.at });
    }
    Ok(())
}

fn transfer(input: &Raw, home: Home, origin: Origin) -> Result<Raw> {
    if input.home().device() == home.device() {
        return Ok(input.detached().at(home));
    }
    let bytes = input.elements() * input.dtype().size();
    // Where a view lies scattered, its own device gathers it first.
    let source = if input.is_dense() { input.detached() } else { input.gathered(origin)? };
    accounting::copy(origin.at, bytes);
    if home.is_cpu() {
        accounting::sync(origin.at);
    }
    let mut target = Raw::empty(home, input.dtype(), input.shape(), origin)?;
    on_device::transfer(&mut target.fresh(), &source, origin)?;
    Ok(target)
}

/// The tensors one after the other along an axis, outside the graph; their other sizes agree.
pub(super) fn concatenate(inputs: &[&Raw], axis: usize, origin: Origin) -> Result<Raw> {
    let first = inputs[0];
    let mut total = 0usize;
    for input in inputs {
        let agree = input.layout().rank() == first.layout().rank()
            && input.shape().with(axis, first.shape()[axis]) == *first.shape();
        if !agree {
            let (lhs, rhs) = (first.shape().sizes(), input.shape().sizes());
            return Err(Error::ShapeMismatch { op: origin.op, lhs, rhs, at: origin.at });
        }
        total = total.saturating_add(input.shape()[axis]);
    }
    let mut whole = Raw::empty(first.home(), first.dtype(), first.shape().with(axis, total), origin)?;
    let mut start = 0;
    for input in inputs {
        let span = Span { start, length: input.shape()[axis], step: 1 };
        let layout = whole.layout().slice(axis, span);
        whole.fresh().part(layout).copy_from(input, origin)?;
        start += span.length;
    }
    Ok(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOME: Home = Home::CPU;

    fn counting(shape: &Shape, from: i64, origin: Origin) -> Raw {
        let elements: Vec<f64> =
            (0..shape.iter().product::<usize>() as i64).map(|i| (i * 7 % 11 + from) as f64).collect();
        Raw::from_slice(HOME, shape, &elements, origin).unwrap()
    }

    fn inner(a: &Raw, b: &Raw, origin: Origin) -> f64 {
        let (a, b) = (a.dense(origin).unwrap(), b.dense(origin).unwrap());
        assert_eq!(a.shape(), b.shape());
        a.as_slice::<f64>().unwrap().iter().zip(b.as_slice::<f64>().unwrap()).map(|(a, b)| a * b).sum()
    }

    /// `<A x, y> = <x, A^T y>`; all numbers are small integers, so the sums are exact.
    #[test]
    fn adjoints_are_adjoint() {
        let origin = Origin::of("test");
        let slice = |axis, start, length, step| Movement::Slice { axis, span: Span { start, length, step } };
        let cases: Vec<(Shape, Vec<Movement>)> = vec![
            (
                [2, 3, 4].into(),
                vec![
                    Movement::Reshape([4, 6].into()),
                    Movement::Permute(PerAxis::from_slice(&[2, 0, 1])),
                    Movement::Permute(PerAxis::from_slice(&[1, 2, 0])),
                    slice(1, 0, 3, 1),
                    slice(1, 2, 3, -1),
                    slice(2, 1, 2, 2),
                    slice(2, 1, 0, 1),
                    slice(0, 1, 1, 1),
                    slice(0, 1, 1, -1),
                    Movement::Select { axis: 1, index: 2 },
                    Movement::Broadcast([5, 2, 3, 4].into()),
                    Movement::Unsqueeze(0),
                    Movement::Unsqueeze(3),
                    Movement::Contiguous,
                    Movement::Cast(DType::F64),
                    Movement::Transfer(HOME),
                ],
            ),
            (
                [1, 3, 1].into(),
                vec![
                    Movement::Broadcast([4, 3, 2].into()),
                    Movement::Broadcast([2, 1, 3, 5].into()),
                    Movement::Broadcast([0, 3, 2].into()),
                    Movement::Squeeze(0),
                    Movement::Squeeze(2),
                ],
            ),
            ([0, 3].into(), vec![Movement::Reshape([3, 0, 2].into()), slice(0, 0, 0, -1), slice(1, 1, 1, 1)]),
            (
                [].into(),
                vec![Movement::Unsqueeze(0), Movement::Broadcast([2, 2].into()), Movement::Reshape([1, 1].into())],
            ),
        ];
        for (shape, movements) in cases {
            let x = counting(&shape, -3, origin);
            for movement in movements {
                let result = movement.apply(&x, origin).unwrap();
                let y = counting(result.shape(), 2, origin);
                let back = movement.adjoint(&y, &shape, DType::F64, HOME, origin).unwrap();
                assert_eq!(back.shape(), &shape, "{movement:?}");
                assert_eq!(inner(&result, &y, origin), inner(&x, &back, origin), "{movement:?}");
            }
        }
    }
}
