//! Values that are the same along a line of points, so that a pass computes them once for it.
//!
//! A *line* is a run of points along the reduced axes of a kernel whose rows are contiguous, or along the free axes of one
//! whose columns are. A *line value* varies over the other axes alone: a finished reduction of the row, an operand with one
//! element per row, and the arithmetic on them.
//!
//! Invariants: all passes over elements of a kernel agree which operands have one element per line; a pass that needs a
//! point's place in the block has no lines.

use std::collections::HashSet;

use crate::emit::plan::{Eval, Index, Kernel, Pass};
use crate::ir::{AxisId, Binary, Graph, NodeId, Op};
use crate::schedule::{Class, PassKind};

/// The axes that lines run along.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Along {
    Reduced,
    Free,
}

/// The lines of a kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Lines {
    pub along: Along,
    /// Operands with one element per line.
    pub operands: Vec<usize>,
}

impl Lines {
    /// The lines of a kernel some of whose passes read line values.
    pub fn of(graph: &Graph, kernel: &Kernel<'_>) -> Option<Lines> {
        let along = match kernel.schedule.class {
            Class::Row | Class::Full => Along::Reduced,
            Class::Column => Along::Free,
            // Neither has one order of axes in which values repeat, or nothing is reduced.
            Class::Pointwise | Class::StridedRow | Class::Contraction | Class::Tiled | Class::Scatter => return None,
        };
        let inner = match along {
            Along::Reduced => &kernel.schedule.reduced,
            Along::Free => &kernel.schedule.free,
        };
        let passes: Vec<&Pass> = kernel.passes.iter().filter(|pass| pass.kind != PassKind::Outer).collect();
        if passes.iter().any(|pass| needs_place(graph, pass)) {
            return None;
        }
        let guarded = |position: usize| {
            let of = |eval: &Eval| matches!(eval, Eval::Input { operand, guard: Some(_) } if *operand == position);
            passes.iter().any(|pass| pass.nodes.values().any(of))
        };
        let read = |position: &usize| passes.iter().any(|pass| pass.operands.contains(position));
        let operands: Vec<usize> = (0..kernel.operands.len())
            .filter(read)
            .filter(|&position| is_still(&kernel.operands[position].index, inner) && !guarded(position))
            .collect();
        let lines = Lines { along, operands };
        passes.iter().any(|pass| lines.reach(pass)).then_some(lines)
    }

    /// True if a pass reads line values.
    pub fn reach(&self, pass: &Pass) -> bool {
        pass.kind != PassKind::Outer
            && (self.has_rows() && !pass.rows.is_empty()
                || pass.operands.iter().any(|operand| self.operands.contains(operand)))
    }

    /// True if a finished reduction is a line value.
    pub fn has_rows(&self) -> bool {
        self.along == Along::Reduced
    }

    /// The line values among the nodes of a pass; `uniform` ones have one value for all points anyway.
    pub fn values(&self, graph: &Graph, pass: &Pass, uniform: &HashSet<NodeId>) -> HashSet<NodeId> {
        let mut values = HashSet::new();
        for (&node, eval) in &pass.nodes {
            let repeats = match eval {
                Eval::Input { operand, .. } => self.operands.contains(operand),
                Eval::Row(_) => self.has_rows(),
                Eval::Compute => {
                    let known = |child: &NodeId| values.contains(child) || uniform.contains(child);
                    graph.as_index(node).is_none()
                        && !uniform.contains(&node)
                        && pass.children(graph, node).iter().all(known)
                }
                Eval::Gather { .. } | Eval::Old { .. } | Eval::Body(_) => false,
            };
            if repeats {
                values.insert(node);
            }
        }
        values
    }
}

/// True if a pass says of a point where in the block it is: to a gather, or to record what is wrong there.
fn needs_place(graph: &Graph, pass: &Pass) -> bool {
    let integer_division =
        |node: NodeId| matches!(graph.op(node), Op::Binary(Binary::Div | Binary::Rem)) && graph.ty(node).is_integer();
    !pass.checks.is_empty()
        || pass.nodes.iter().any(|(&node, eval)| match eval {
            Eval::Gather { .. } => true,
            Eval::Compute => integer_division(node),
            Eval::Input { .. } | Eval::Old { .. } | Eval::Row(_) | Eval::Body(_) => false,
        })
}

/// True if an index does not move along any of `axes`.
fn is_still(index: &[Index], axes: &[AxisId]) -> bool {
    index.iter().all(|index| match index {
        Index::Axis(axis) => !axes.contains(axis),
        Index::Affine(affine) => !affine.terms.iter().any(|(axis, _)| axes.contains(axis)),
        Index::Clipped(_) | Index::Dynamic => false,
    })
}
