//! Simultaneous, capture-avoiding substitution of axes.

use std::collections::{BTreeMap, HashMap};

use super::Algebra;
use super::mutation::{self, Mutation};
use crate::ir::{AxisId, AxisSet, NodeId, Op, Reduction, Source};

/// What stands for the index along some axes.
type Indices = BTreeMap<AxisId, NodeId>;

impl Algebra<'_> {
    /// `node` with the index along each axis of `indices` replaced, all at once.
    ///
    /// A bound axis that occurs in an inserted index is renamed to another one of its extent. A forward reduction is not
    /// computed again elsewhere: it becomes a load of its residual.
    pub fn substitute(&mut self, node: NodeId, indices: &Indices) -> NodeId {
        let indices: Indices = (indices.iter())
            .filter(|&(&axis, &index)| self.graph.as_index(index) != Some(axis))
            .map(|(&a, &i)| (a, i))
            .collect();
        self.substitute_in(node, &indices, &mut HashMap::new())
    }

    fn substitute_in(&mut self, node: NodeId, indices: &Indices, done: &mut HashMap<NodeId, NodeId>) -> NodeId {
        if !self.graph.axes(node).iter().any(|axis| indices.contains_key(&axis)) {
            return node;
        }
        if let Some(&result) = done.get(&node) {
            return result;
        }
        let ty = self.graph.ty(node);
        let args = self.graph.args(node).to_vec();
        let op = self.graph.op(node).clone();
        let result = match op {
            Op::Index(axis) => indices[&axis],
            Op::Reduce { .. } if self.is_residual(node) => {
                let index = self.array_axes(node);
                let index = index.iter().map(|axis| {
                    indices
                        .get(axis)
                        .copied()
                        .filter(|_| !mutation::is(Mutation::ResidualAtOwnIndex))
                        .unwrap_or_else(|| self.graph.index(*axis))
                });
                let index = index.collect();
                let source = Source::Saved(self.residual(node));
                self.graph.load(source, index, None, ty)
            }
            Op::Reduce { op, axes } => {
                let (bound, indices) = self.avoid_capture(node, &axes, indices);
                let body = self.substitute_in(args[0], &indices, &mut HashMap::new());
                match op {
                    Reduction::Sum if !self.is_forward(node) => self.sum_over(&bound.into_iter().collect(), body),
                    _ => self.graph.reduce(op, bound, body),
                }
            }
            op => {
                let args: Vec<NodeId> = args.into_iter().map(|arg| self.substitute_in(arg, indices, done)).collect();
                match op {
                    Op::Sum { coefficients } => {
                        let addends: Vec<NodeId> = (coefficients.iter().zip(args))
                            .map(|(&coefficient, arg)| self.scale(f64::from_bits(coefficient), arg))
                            .collect();
                        self.add(ty, &addends)
                    }
                    Op::Product { powers } => {
                        let factors: Vec<_> = args.into_iter().zip(powers).collect();
                        self.product(&factors)
                    }
                    op => self.graph.intern(op, args, ty),
                }
            }
        };
        done.insert(node, result);
        result
    }

    /// The position of a forward result among the residuals.
    fn residual(&mut self, node: NodeId) -> u32 {
        let known = self.residuals.iter().position(|&other| other == node);
        known.unwrap_or_else(|| {
            self.residuals.push(node);
            self.residuals.len() - 1
        }) as u32
    }

    /// The bound axes of a reduction under a substitution, and the substitution within its body.
    fn avoid_capture(&mut self, reduction: NodeId, bound: &[AxisId], indices: &Indices) -> (Vec<AxisId>, Indices) {
        let body = self.graph.args(reduction)[0];
        let mut inner: Indices =
            indices.iter().filter(|&(axis, _)| !bound.contains(axis)).map(|(&axis, &index)| (axis, index)).collect();
        let inserted: AxisSet = (inner.iter())
            .filter(|&(&axis, _)| self.graph.axes(body).contains(axis))
            .flat_map(|(_, &index)| self.graph.axes(index).iter())
            .collect();
        let mut taken = self.graph.axes(body).union(&inserted);
        let mut axes = vec![];
        for &axis in bound {
            if !inserted.contains(axis) || mutation::is(Mutation::Capture) {
                axes.push(axis);
                continue;
            }
            let renamed = self.rename(axis, &taken);
            taken.insert(renamed);
            inner.insert(axis, self.graph.index(renamed));
            axes.push(renamed);
        }
        (axes, inner)
    }

    /// An axis of the extent of `axis` that is not in `taken`; the same one for the same question, so that equal sums
    /// stay equal.
    pub(super) fn rename(&mut self, axis: AxisId, taken: &AxisSet) -> AxisId {
        let known = self.renamed.entry(axis).or_default();
        if let Some(&renamed) = known.iter().find(|&&renamed| !taken.contains(renamed)) {
            return renamed;
        }
        let renamed = self.graph.fresh_axis(axis);
        self.renamed.entry(axis).or_default().push(renamed);
        renamed
    }
}
