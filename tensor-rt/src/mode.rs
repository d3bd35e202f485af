//! Gradient modes: whether a tensor records how it was made.
//!
//! A mode is a type: a tracked tensor and an untracked one are different types, so that an edit in place of the first
//! does not compile. The result of an operation on several tensors is tracked if any of them is; [`Join`] computes that.
//!
//! Invariant: a tensor has a node of the graph if and only if its mode is [`Grad`].

mod sealed {
    pub trait Sealed {}
}

/// The tensor is tracked: it records how it was made, and `backward` reaches it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Grad;

/// The tensor is a plain value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct NoGrad;

/// The mode of a result of a tensor of this mode and one of mode `O`.
#[diagnostic::on_unimplemented(
    message = "the gradient mode of a result of `{Self}` and `{O}` is not known here",
    label = "these two modes meet",
    note = "code that is generic over two modes says so: `where {Self}: Join<{O}>`"
)]
pub trait Join<O>: Sized {
    /// `Grad` if any of the two is.
    type Out: GradMode;
}

/// A gradient mode: [`Grad`] or [`NoGrad`].
///
/// Code that is generic over one mode needs no other bound; over two, `G: Join<H>`.
#[diagnostic::on_unimplemented(
    message = "expected a gradient mode, found `{Self}`",
    label = "expected `Grad` or `NoGrad`",
    note = "the parameters of a tensor are device, gradient mode and element: `Tensor<Cpu, NoGrad, f32>`"
)]
pub trait GradMode:
    sealed::Sealed
    + Copy
    + std::fmt::Debug
    + Send
    + Sync
    + 'static
    + Join<Self, Out = Self>
    + Join<Grad, Out = Grad>
    + Join<NoGrad, Out = Self>
{
    /// True for [`Grad`].
    const TRACKED: bool;
    /// The type's name.
    const NAME: &'static str;
}

impl sealed::Sealed for Grad {}
impl sealed::Sealed for NoGrad {}

impl<O: GradMode> Join<O> for Grad {
    type Out = Grad;
}

impl<O: GradMode> Join<O> for NoGrad {
    type Out = O;
}

impl GradMode for Grad {
    const TRACKED: bool = true;
    const NAME: &'static str = "Grad";
}

impl GradMode for NoGrad {
    const TRACKED: bool = false;
    const NAME: &'static str = "NoGrad";
}
