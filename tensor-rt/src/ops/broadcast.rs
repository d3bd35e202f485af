//! Operands of one shape.

use std::any::Any;

use crate::device::Device;
use crate::element::Element;
use crate::error::{Error, Origin, Result};
use crate::mode::GradMode;
use crate::relation::{SameDevice, SameElement};
use crate::shape::Shape;
use crate::tensor::Tensor;

/// The shape to which both shapes are repeated; axes meet from the last.
pub(super) fn common_shape(lhs: &Shape, rhs: &Shape, origin: Origin) -> Result<Shape> {
    let rank = lhs.rank().max(rhs.rank());
    let size = |shape: &Shape, axis: usize| (axis + shape.rank()).checked_sub(rank).map_or(1, |axis| shape[axis]);
    let sizes = (0..rank).map(|axis| match (size(lhs, axis), size(rhs, axis)) {
        (1, size) | (size, 1) => Some(size),
        (lhs, rhs) => (lhs == rhs).then_some(lhs),
    });
    let common: Option<Shape> = sizes.collect();
    let Origin { op, at } = origin;
    common.ok_or_else(|| Error::Broadcast { op, lhs: lhs.sizes(), rhs: rhs.sizes(), at })
}

/// A handle, repeated to a shape where it does not have it.
#[track_caller]
pub(super) fn repeat<D: Device, G: GradMode, T: Element>(
    x: &Tensor<D, G, T>,
    shape: &Shape,
) -> Result<Tensor<D, G, T>> {
    if x.shape() == shape { Ok(x.clone()) } else { x.broadcast_to(shape) }
}

/// The same tensor with the types that the relations say it has.
pub(super) fn same<D: Device, G: GradMode, T: Element, E: SameDevice<D>, U: SameElement<T>>(
    x: &Tensor<E, G, U>,
) -> &Tensor<D, G, T> {
    identical(x)
}

/// A value by the other name of its type: the relations are between a type and itself alone, which the compiler does not
/// conclude.
pub(super) fn identical<A: Any, B: Any>(x: &A) -> &B {
    (x as &dyn Any).downcast_ref().expect("bug in tensor-rt: a relation holds between two types")
}

/// Two operands of one shape.
type Both<D, G, H, T> = (Tensor<D, G, T>, Tensor<D, H, T>);

/// Two operands as views of their common shape.
#[track_caller]
pub(super) fn meet<D, G, T, E, H, U>(
    op: &'static str,
    x: &Tensor<D, G, T>,
    y: &Tensor<E, H, U>,
) -> Result<Both<D, G, H, T>>
where
    D: Device,
    G: GradMode,
    T: Element,
    E: SameDevice<D>,
    H: GradMode,
    U: SameElement<T>,
{
    let shape = common_shape(x.shape(), y.shape(), Origin::of(op))?;
    Ok((repeat(x, &shape)?, repeat(same(y), &shape)?))
}
