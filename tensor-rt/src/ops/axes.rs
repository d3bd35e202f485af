//! Which axes a reduction is over, and the view that brings them to the end.

use std::ops::RangeFull;

use crate::device::Device;
use crate::element::Element;
use crate::error::{Error, Origin, Result};
use crate::mode::GradMode;
use crate::shape::{Axis, PerAxis, Shape};
use crate::tensor::Tensor;

/// The axes of a reduction: one (`1`, `-1`), several (`[0, 2]`), or all (`..`), each also inside [`Keep`].
#[diagnostic::on_unimplemented(
    message = "expected axes, found `{Self}`",
    label = "expected an axis, an array of axes, `..`, or `Keep` of one of these"
)]
pub trait Axes {
    #[doc(hidden)]
    #[expect(private_interfaces, reason = "called by the reductions alone")]
    fn resolve(&self, rank: usize, origin: Origin) -> Result<Reduced>;
}

/// Leaves every reduced axis in the result, with size 1.
#[derive(Clone, Copy, Debug)]
pub struct Keep<A>(pub A);

/// Resolved axes.
#[derive(Clone, Debug)]
struct Reduced {
    /// True at the reduced ones.
    by_axis: PerAxis<bool>,
    keep: bool,
}

macro_rules! single_axis {
    ($($ty:ty)*) => {$(
        #[expect(private_interfaces, reason = "called by the reductions alone")]
        impl Axes for $ty {
            fn resolve(&self, rank: usize, origin: Origin) -> Result<Reduced> {
                resolve([*self], rank, origin)
            }
        }
    )*};
}

single_axis! { i32 i64 isize usize }

#[expect(private_interfaces, reason = "called by the reductions alone")]
impl<A: Copy + Into<Axis>, const COUNT: usize> Axes for [A; COUNT] {
    fn resolve(&self, rank: usize, origin: Origin) -> Result<Reduced> {
        resolve(self.iter().copied(), rank, origin)
    }
}

#[expect(private_interfaces, reason = "called by the reductions alone")]
impl<A: Copy + Into<Axis>> Axes for [A] {
    fn resolve(&self, rank: usize, origin: Origin) -> Result<Reduced> {
        resolve(self.iter().copied(), rank, origin)
    }
}

#[expect(private_interfaces, reason = "called by the reductions alone")]
impl<A: Axes + ?Sized> Axes for &A {
    fn resolve(&self, rank: usize, origin: Origin) -> Result<Reduced> {
        A::resolve(self, rank, origin)
    }
}

#[expect(private_interfaces, reason = "called by the reductions alone")]
impl Axes for RangeFull {
    fn resolve(&self, rank: usize, _origin: Origin) -> Result<Reduced> {
        Ok(Reduced { by_axis: PerAxis::from_elem(true, rank), keep: false })
    }
}

#[expect(private_interfaces, reason = "called by the reductions alone")]
impl<A: Axes> Axes for Keep<A> {
    fn resolve(&self, rank: usize, origin: Origin) -> Result<Reduced> {
        self.0.resolve(rank, origin).map(|reduced| Reduced { keep: true, ..reduced })
    }
}

fn resolve<A: Into<Axis>>(axes: impl IntoIterator<Item = A>, rank: usize, origin: Origin) -> Result<Reduced> {
    let mut by_axis = PerAxis::from_elem(false, rank);
    for axis in axes {
        let axis = axis.into().of_rank(rank, origin)?;
        if std::mem::replace(&mut by_axis[axis], true) {
            return Err(Error::DuplicateAxis { op: origin.op, axis, at: origin.at });
        }
    }
    Ok(Reduced { by_axis, keep: false })
}

/// A tensor whose last two axes are reduced, and the shape of the result.
pub(super) struct Rows<D: Device, G: GradMode, T: Element> {
    /// The other axes in their order, then the two.
    pub view: Tensor<D, G, T>,
    pub result: Shape,
}

/// Brings the axes of a reduction to the end and joins them to two: a view unless they lie in three or more pieces.
#[track_caller]
pub(super) fn rows<D: Device, G: GradMode, T: Element>(
    op: &'static str,
    x: &Tensor<D, G, T>,
    axes: impl Axes,
) -> Result<Rows<D, G, T>> {
    let Reduced { by_axis, keep } = axes.resolve(x.rank(), Origin::of(op))?;
    let kept: PerAxis<usize> = (0..x.rank()).filter(|axis| !by_axis[*axis]).collect();
    let reduced: PerAxis<usize> = (0..x.rank()).filter(|axis| by_axis[*axis]).collect();
    let order: PerAxis<usize> = kept.iter().chain(&reduced).copied().collect();
    let ordered = order.is_sorted();
    let view = if ordered { x.clone() } else { x.permute(&order)? };
    let sizes = kept.iter().map(|axis| x.shape()[*axis]);
    let ends = pieces(x.shape(), x.strides(), &reduced);
    let view = view.reshape(sizes.chain(ends).collect::<Shape>())?;
    let size = |axis: usize| if by_axis[axis] { keep.then_some(1) } else { Some(x.shape()[axis]) };
    Ok(Rows { view, result: (0..x.rank()).filter_map(size).collect() })
}

/// Sizes of the two axes to which these are joined. The last piece is the one whose elements lie closest.
pub(crate) fn pieces(shape: &Shape, strides: &[isize], axes: &[usize]) -> [usize; 2] {
    let mut pieces: PerAxis<usize> = PerAxis::new();
    let mut last_stride = 0;
    for axis in axes {
        let (size, stride) = (shape[*axis], strides[*axis]);
        if size == 1 {
            continue;
        }
        match pieces.last_mut() {
            Some(piece) if last_stride == stride * size as isize => *piece *= size,
            _ => pieces.push(size),
        }
        last_stride = stride;
    }
    match pieces[..] {
        [] => [1, 1],
        [single] => [1, single],
        [outer, inner] => [outer, inner],
        [outer, ref rest @ ..] => [outer, rest.iter().product()],
    }
}

/// The view with one axis at the end, and the position where it was.
#[track_caller]
pub(super) fn axis_last<D: Device, G: GradMode, T: Element>(
    op: &'static str,
    x: &Tensor<D, G, T>,
    axis: Axis,
) -> Result<(Tensor<D, G, T>, usize)> {
    let axis = axis.of_rank(x.rank(), Origin::of(op))?;
    if axis + 1 == x.rank() {
        return Ok((x.clone(), axis));
    }
    let order: PerAxis<usize> = (0..x.rank()).filter(|other| *other != axis).chain([axis]).collect();
    Ok((x.permute(&order)?, axis))
}

/// The inverse of [`axis_last`].
#[track_caller]
pub(super) fn axis_back<D: Device, G: GradMode, T: Element>(
    x: Tensor<D, G, T>,
    axis: usize,
) -> Result<Tensor<D, G, T>> {
    let last = x.rank() - 1;
    if axis == last {
        return Ok(x);
    }
    let order: PerAxis<usize> = (0..axis).chain([last]).chain(axis..last).collect();
    x.permute(&order)
}
