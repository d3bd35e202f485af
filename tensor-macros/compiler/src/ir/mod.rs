//! The intermediate representation: one graph of scalar expressions over named axes.
//!
//! A [`Graph`] is a hash-consed DAG of [`Node`]s. A node is a *scalar* expression; the axes it varies over are its
//! *free axes* ([`Graph::axes`]). Nothing in the graph is a tensor: tensors appear only at the leaves, as
//! [`Op::Load`]s of one element, and at the [`Root`]s, which say where a value is written.
//!
//! Vocabulary: an *axis* is a bound name with an *extent* (its size class); several axes may share one extent (`[N, M =
//! N]`, or a renamed axis). `..` is one axis whose [`Axis::rest`] is set; it has a run-time rank, and its index is the
//! row-major position, which as a value stands only in the counter of a random number. *Forward* nodes are what the user
//! wrote, in the user's order of arithmetic (binary operations); *derived* nodes are made by `diff` in canonical form
//! ([`Op::Sum`], [`Op::Product`]).
//!
//! Invariants, asserted by [`Graph::verify`]:
//! - equal structure is the same id, and operands have smaller ids than their node;
//! - `axes(n)` is the union of the operands' axes less the bound ones (plus the axis of an `Index`);
//! - the axes bound by a `Reduce` occur in its body;
//! - index operands are `I64`, guards are `Bool`, operands of arithmetic share one type.
//!
//! This module imports nothing of the compiler.

mod affine;
mod axis;
mod clip;
mod graph;
mod kernel;
mod op;
mod window;

pub use affine::{Affine, Uniform};
pub use axis::{Axis, AxisId, AxisSet, Extent, ExtentId};
pub use clip::Clip;
pub use graph::{Graph, Node, NodeId};
pub use kernel::{
    Assertion, Backward, CudaLaunch, Intent, Kernel, Output, Root, Saved, Scalar, ScalarTy, Target, Temp, Tensor, Write,
};
pub use op::{Binary, Distribution, Elem, Literal, Op, Reduction, Source, Ty, Unary};
