//! From roots to kernels: which reduction is finished where, and what every kernel reads and writes.
//!
//! Vocabulary: the *free* axes of a kernel index its rows, its *reduced* axes the elements of a row. A *level* is one
//! traversal of free and reduced axes that finishes reductions; a body of level `k` may read results of lower levels. A
//! *temp* is an array that lives during one direction only. A write over free and reduced axes is *inner*, a write over
//! the free axes alone is *outer*.
//!
//! Steps, one file each: `selection` (sums of which an equality leaves one element), `contraction` (sums of products) and
//! `deviation` (variances over columns) rewrite expressions; `group` finds what has to be finished and which of it shares a
//! kernel, with the help of `class`; `in_place` refuses edits whose old values are still read, and `donation` finds which
//! outputs may be such edits of a donated parameter; `build` names arrays and axes and makes the kernels.
//!
//! Invariants, asserted by [`Schedule::verify`]:
//! - every reduction is finished in exactly one kernel, and all reductions of a kernel bind the same axis ids;
//! - a kernel reads parameters, cotangents, residuals, temps of earlier kernels, and its own levels;
//! - every root is written once, a scatter after the dense part of its target;
//! - no temp is unused.

mod build;
mod class;
mod contraction;
mod deviation;
mod donation;
mod group;
mod in_place;
mod pass;
mod selection;
mod verify;

pub use pass::{Pass, PassKind, passes, traversals};

use std::collections::HashMap;

use contraction::Contractions;
use group::{Grouping, Plan};

use crate::ir::{self, AxisId, Graph, NodeId, Op, Root, Source, Target, Ty, Write};

/// The kernels of one direction, in order.
#[derive(Clone, Debug, Default)]
pub struct Schedule {
    /// Arrays that live during this direction only.
    pub temps: Vec<Temp>,
    /// Kernels in order of execution.
    pub kernels: Vec<Kernel>,
    /// Outputs that may take the storage of a parameter.
    pub donations: Vec<Donation>,
}

/// An output that may take the storage of a donated parameter: it has its element and its axes, and no read of the
/// parameter could see the new values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Donation {
    /// The parameter, by its position among the tensor parameters.
    pub param: u32,
    /// The output, by position.
    pub output: u32,
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

/// The operands of a contraction: its reduction is `sum[k](lhs * rhs)`, up to casts and to guards under which alone the
/// product counts; one of the operands is 0 elsewhere. Both are loads (or casts of one load), with bare indices or through a
/// window ([`Graph::is_clipped_load`]).
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
    /// True if there are guards.
    pub guarded: bool,
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

/// The schedule of the forward pass, which also writes the residuals, and checks the assertions as if they were written. A
/// forward kernel may read a residual that an earlier one wrote, unless it is an output too.
///
/// # Errors
/// Every read of an edited parameter that could see the new value.
pub fn forward(kernel: &mut ir::Kernel, saved: &[ir::Saved]) -> Result<Schedule, Vec<Conflict>> {
    let mut roots = kernel.roots.clone();
    for (position, residual) in saved.iter().enumerate().filter(|(_, residual)| residual.output.is_none()) {
        let write = Write::Dense { axes: residual.axes.clone() };
        roots.push(Root { target: Target::Saved(position as u32), write, value: residual.node });
    }
    roots.extend(kernel.assertion_roots());
    let (grouping, contractions, origins) = group(&mut kernel.graph, &roots);
    let conflicts = in_place::conflicts(&kernel.graph, &grouping, &origins);
    if !conflicts.is_empty() {
        return Err(conflicts);
    }
    let donations = donation::donations(kernel, &grouping);
    let mut schedule = build::kernels(&mut kernel.graph, &grouping, &contractions.forms);
    write_beside_outputs(&mut schedule, kernel, saved);
    Ok(Schedule { donations, ..schedule })
}

/// A residual that is an output is written where the output is, if that may be rounded to a half. It is no array to the
/// kernels of the schedule: it is absent where the output does as well.
fn write_beside_outputs(schedule: &mut Schedule, kernel: &ir::Kernel, saved: &[ir::Saved]) {
    for (position, residual) in saved.iter().enumerate().filter(|(_, residual)| residual.is_written(&kernel.outputs)) {
        let Some(output) = residual.output else { continue };
        for kernel in &mut schedule.kernels {
            let of_output = |root: &Root| root.target == Target::Output(output);
            if let Some(place) = kernel.writes.iter().position(of_output) {
                let beside = Root { target: Target::Saved(position as u32), ..kernel.writes[place].clone() };
                kernel.writes.insert(place + 1, beside);
            }
        }
    }
}

/// The schedule of the backward pass.
pub fn backward(kernel: &mut ir::Kernel, backward: &ir::Backward) -> Schedule {
    let graph = &mut kernel.graph;
    let mut inlined = Inlined { backward, memory: HashMap::new() };
    let mut roots = Vec::new();
    for (position, temp) in backward.temps.iter().enumerate() {
        let write = Write::Dense { axes: temp.axes.clone() };
        let value = inlined.node(graph, temp.node);
        roots.push(Root { target: Target::Temp(position as u32), write, value });
    }
    for root in &backward.roots {
        roots.push(map_root(root, &mut |id| inlined.node(graph, id)));
    }
    let (grouping, contractions, _) = group(graph, &roots);
    build::kernels(graph, &grouping, &contractions.forms)
}

/// Rewrites contractions and groups what the roots need; also maps the new expressions back to the old ones.
fn group(graph: &mut Graph, roots: &[Root]) -> (Grouping, Contractions, HashMap<NodeId, NodeId>) {
    let mut contractions = Contractions::default();
    let arrays = roots.iter().filter(|root| matches!(root.target, Target::Saved(_) | Target::Temp(_)));
    contractions.stored.extend(arrays.map(|root| root.value));
    let values: Vec<NodeId> = roots.iter().flat_map(group::root_values).collect();
    let map = contraction::expose(graph, &values, &mut contractions);
    let roots: Vec<Root> = roots.iter().map(|root| map_root(root, &mut |id| map[&id])).collect();
    let values: Vec<NodeId> = roots.iter().flat_map(group::root_values).collect();
    let roots: Vec<Root> =
        roots.iter().map(|root| selection::scatter(graph, root, &values).unwrap_or_else(|| root.clone())).collect();
    let grouping = Plan::new(graph, &roots, &contractions).finish();
    (grouping, contractions, map.into_iter().map(|(old, new)| (new, old)).collect())
}

/// A root with other expressions.
fn map_root(root: &Root, map: &mut impl FnMut(NodeId) -> NodeId) -> Root {
    let write = match &root.write {
        Write::Dense { axes } => Write::Dense { axes: axes.clone() },
        Write::Scatter { index, over, op, guard } => Write::Scatter {
            index: index.iter().map(|&id| map(id)).collect(),
            over: over.clone(),
            op: *op,
            guard: guard.map(&mut *map),
        },
    };
    Root { target: root.target, write, value: map(root.value) }
}

/// Backward expressions with the values of temps in place of their loads at their own index, so that a kernel may
/// compute and store them at once.
struct Inlined<'a> {
    backward: &'a ir::Backward,
    memory: HashMap<NodeId, NodeId>,
}

impl Inlined<'_> {
    fn node(&mut self, graph: &mut Graph, id: NodeId) -> NodeId {
        if let Some(&done) = self.memory.get(&id) {
            return done;
        }
        let new = self.new_node(graph, id);
        self.memory.insert(id, new);
        new
    }

    fn new_node(&mut self, graph: &mut Graph, id: NodeId) -> NodeId {
        if let Op::Load { source: Source::Temp(position), guarded: false } = graph.op(id) {
            let temp = &self.backward.temps[*position as usize];
            if group::is_own(graph, id, &temp.axes) {
                return self.node(graph, temp.node);
            }
        }
        let node = graph.node(id).clone();
        let args = node.args.iter().map(|&arg| self.node(graph, arg)).collect();
        graph.intern(node.op, args, node.ty)
    }
}
