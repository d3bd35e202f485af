//! From roots to kernels: which reduction is finished where, and what every kernel reads and writes.
//!
//! Vocabulary: the *free* axes of a kernel index its rows, its *reduced* axes the elements of a row. A *level* is one
//! traversal of free and reduced axes that finishes reductions; a body of level `k` may read results of lower levels. A
//! *temp* is an array that lives during one direction only. A write over free and reduced axes is *inner*, a write over
//! the free axes alone is *outer*.
//!
//! Invariants, asserted by `verify`:
//! - every reduction is finished in exactly one kernel, and all reductions of a kernel bind the same axis ids;
//! - a kernel reads parameters, cotangents, residuals, temps of earlier kernels, and its own levels;
//! - every root is written once, a scatter after the dense part of its target;
//! - no temp is unused.

mod pass;

pub use pass::{Pass, PassKind, passes, traversals};

use crate::ir::{self, AxisId, NodeId, Root, Ty};

/// The kernels of one direction, in order.
#[derive(Clone, Debug, Default)]
pub struct Schedule {
    /// Arrays that live during this direction only.
    pub temps: Vec<Temp>,
    /// Kernels in order of execution.
    pub kernels: Vec<Kernel>,
}

/// An array that the schedule made. Its element is the computing type of its values.
#[derive(Clone, Debug)]
pub struct Temp {
    /// Its axes in order; it is dense in this order.
    pub axes: Vec<AxisId>,
    /// The type of its values.
    pub ty: Ty,
}

/// One kernel.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// How its axes lie in memory.
    pub class: Class,
    /// Free axes, outermost first.
    pub free: Vec<AxisId>,
    /// Reduced axes, outermost first; every reduction of the kernel binds exactly these.
    pub reduced: Vec<AxisId>,
    /// The reductions (`Reduce` nodes) finished here, level by level.
    pub levels: Vec<Vec<NodeId>>,
    /// What is written. The only `Reduce` nodes left in values and in the bodies of levels are this kernel's own.
    pub writes: Vec<Root>,
    /// Set if and only if the class is [`Class::Contraction`].
    pub contraction: Option<Contraction>,
}

/// How the axes of a kernel lie in memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Class {
    /// No reduction.
    Pointwise,
    /// Reduced axes trailing.
    Row,
    /// Reduced axes neither leading nor trailing, or small windows.
    StridedRow,
    /// Reduced axes leading; one level.
    Column,
    /// Everything reduced; one level.
    Full,
    /// The sum of a product of two operands, each with an axis of its own.
    Contraction,
    /// Another body over two such operands.
    Tiled,
    /// Writes at computed indices.
    Scatter,
}

/// The operands of a contraction: its reduction is `sum[k](lhs * rhs)`, up to casts. Both are loads (or casts of one
/// load) with bare indices.
#[derive(Clone, Debug)]
pub struct Contraction {
    /// A `Load` with the axes `batch, m, k` in some order.
    pub lhs: NodeId,
    /// A `Load` with the axes `batch, n, k` in some order.
    pub rhs: NodeId,
    /// Axes of both operands and of the result.
    pub batch: Vec<AxisId>,
    /// Axes of `lhs` and the result.
    pub m: Vec<AxisId>,
    /// Axes of `rhs` and the result.
    pub n: Vec<AxisId>,
}

/// A read of an edited parameter that could see the new value.
#[derive(Clone, Debug)]
pub struct Conflict {
    /// The edited parameter, by its position among the tensor parameters.
    pub param: u32,
    /// The `Load` as it stands in the checked kernel.
    pub read: NodeId,
    /// Why it could.
    pub reason: ConflictReason,
}

/// Why a read of an edited parameter is illegal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ConflictReason {
    /// It reads another element than the one that is written, in the same traversal.
    OtherElement,
    /// The element is read again for other elements of a result, after it was written.
    Broadcast,
    /// The new value of one parameter needs the old value of the other, and the other way round, in different kernels.
    Cycle,
}

/// The schedule of the forward pass, which also writes the residuals that no output is.
///
/// # Errors
/// Every read of an edited parameter that could see the new value.
pub fn forward(kernel: &mut ir::Kernel, saved: &[ir::Saved]) -> Result<Schedule, Vec<Conflict>> {
    todo!("schedule of `{}` with {} residuals", kernel.name, saved.len())
}

/// The schedule of the backward pass.
pub fn backward(kernel: &mut ir::Kernel, backward: &ir::Backward) -> Schedule {
    todo!("schedule of `{}` with {} residuals", kernel.name, backward.saved.len())
}
