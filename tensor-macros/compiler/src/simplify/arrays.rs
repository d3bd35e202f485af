//! Reductions that are finished before an expression moves to other indices.
//!
//! An expression that is evaluated at a computed index, such as `(L - W) / stride`, is evaluated anew for every point: a
//! reduction in it would be, too. As an array it is finished once and read.

use std::collections::HashMap;

use super::Algebra;
use super::term::Term;
use crate::ir::{AxisSet, NodeId, Op, Reduction};

impl Algebra<'_> {
    /// `node` with arrays in the place of the reductions that vary along one of `axes`. A sum that is all of an addend, up
    /// to guards and factors, stays a sum: it merges with those around it. An extremum that is no residual is only ever
    /// compared where it is computed, so what contains one becomes an array as a whole.
    pub fn finish_reductions(&mut self, node: NodeId, axes: &AxisSet) -> NodeId {
        let recomputed = |&id: &NodeId| {
            self.is_forward(id)
                && matches!(self.graph.op(id), Op::Reduce { .. })
                && !self.is_residual(id)
                && self.varies(id, axes)
        };
        if self.graph.reachable(&[node]).iter().any(recomputed) {
            return self.materialize(node);
        }
        let ty = self.graph.ty(node);
        let mut finished = vec![];
        for mut term in self.addends(node) {
            let whole = self.only_sum(&term);
            let mut done = HashMap::new();
            for guard in &mut term.guards {
                *guard = self.with_arrays(*guard, axes, &mut done);
            }
            for (factor, _) in &mut term.factors {
                *factor = match self.graph.op(*factor).clone() {
                    Op::Reduce { axes: bound, .. } if Some(*factor) == whole => {
                        let body = self.graph.args(*factor)[0];
                        let body = self.with_arrays(body, axes, &mut done);
                        self.sum_over(&bound.into_iter().collect(), body)
                    }
                    _ => self.with_arrays(*factor, axes, &mut done),
                };
            }
            finished.push(self.build(term, ty));
        }
        self.add(ty, &finished)
    }

    /// True for a reduction of the derivative's own.
    pub(super) fn is_derived_reduction(&self, node: NodeId) -> bool {
        !self.is_forward(node) && matches!(self.graph.op(node), Op::Reduce { .. })
    }

    /// The derived sum of which a term is a multiple, if there is one and no other reduction waits for it.
    fn only_sum(&self, term: &Term) -> Option<NodeId> {
        let mut sums = term.factors.iter().filter(|&&(factor, _)| self.is_derived_reduction(factor));
        match (sums.next(), sums.next()) {
            (Some(&(sum, 1)), None) if matches!(self.graph.op(sum), Op::Reduce { op: Reduction::Sum, .. }) => Some(sum),
            _ => None,
        }
    }

    fn with_arrays(&mut self, node: NodeId, axes: &AxisSet, done: &mut HashMap<NodeId, NodeId>) -> NodeId {
        if self.is_forward(node) || !self.varies(node, axes) {
            return node;
        }
        if let Some(&result) = done.get(&node) {
            return result;
        }
        let result = match self.graph.op(node).clone() {
            Op::Reduce { .. } => self.materialize(node),
            op => {
                let (ty, args) = (self.graph.ty(node), self.graph.args(node).to_vec());
                let args = args.into_iter().map(|arg| self.with_arrays(arg, axes, done)).collect();
                self.rebuild(op, args, ty, vec![])
            }
        };
        done.insert(node, result);
        result
    }
}
