//! Simultaneous, capture-avoiding substitution of axes.

use std::collections::{BTreeMap, HashMap};

use super::Algebra;
use super::mutation::{self, Mutation};
use crate::ir::{AxisId, AxisSet, Binary, Literal, NodeId, Op, Reduction, Source, Ty};

/// What stands for the index along some axes.
#[derive(Clone, Default)]
pub struct Indices {
    /// The new index by axis.
    index: BTreeMap<AxisId, NodeId>,
    /// By axis, where the new index lies in the axis; without an entry it always does.
    within: BTreeMap<AxisId, NodeId>,
    /// What whole expressions of these axes are known to be.
    known: BTreeMap<NodeId, NodeId>,
}

impl Indices {
    /// Replaces the index along `axis`; `within` says where the new one lies in the axis, if it may lie outside.
    pub fn insert(&mut self, axis: AxisId, index: NodeId, within: Option<NodeId>) {
        self.index.insert(axis, index);
        self.within.extend(within.map(|within| (axis, within)));
    }

    /// Says what an expression of axes with new indices is; it is replaced as a whole.
    pub fn insert_known(&mut self, expression: NodeId, value: NodeId) {
        self.known.insert(expression, value);
    }

    /// True if the axis has a new index.
    pub fn contains(&self, axis: AxisId) -> bool {
        self.index.contains_key(&axis)
    }

    /// The axes that have a new index.
    pub fn axes(&self) -> AxisSet {
        self.index.keys().copied().collect()
    }

    /// The conditions under which the new indices lie in their axes.
    pub fn conditions(&self) -> impl Iterator<Item = NodeId> {
        self.within.values().copied()
    }
}

impl Algebra<'_> {
    /// `node` with the index along each axis of `indices` replaced, all at once.
    ///
    /// A bound axis that occurs in an inserted index is renamed to another one of its extent. A forward reduction is not
    /// computed again elsewhere: it becomes a load of its residual. What could fail is executed only where the indices lie
    /// in their axes; elsewhere the result means nothing, and it is for the caller to guard it.
    pub fn substitute(&mut self, node: NodeId, indices: &Indices) -> NodeId {
        let mut indices = indices.clone();
        indices.index.retain(|&axis, &mut index| self.graph.as_index(index) != Some(axis));
        self.substitute_in(node, &indices, &mut HashMap::new())
    }

    fn substitute_in(&mut self, node: NodeId, indices: &Indices, done: &mut HashMap<NodeId, NodeId>) -> NodeId {
        if let Some(&result) = indices.known.get(&node).or_else(|| done.get(&node)) {
            return result;
        }
        let axes = self.graph.axes(node);
        let may_contain = |&expression: &NodeId| self.graph.axes(expression).is_subset(axes);
        if !axes.iter().any(|axis| indices.contains(axis)) && !indices.known.keys().any(may_contain) {
            return node;
        }
        let (ty, args) = (self.graph.ty(node), self.graph.args(node).to_vec());
        let result = match self.graph.op(node).clone() {
            Op::Index(axis) => indices.index.get(&axis).copied().unwrap_or(node),
            Op::Reduce { .. } if self.is_residual(node) => {
                let load = self.load_residual(node);
                match mutation::is(Mutation::ResidualAtOwnIndex) {
                    true => load,
                    false => self.substitute_in(load, indices, done),
                }
            }
            Op::Reduce { op, axes } => {
                let (bound, indices) = self.avoid_capture(args[0], &axes, indices);
                let body = self.substitute_in(args[0], &indices, &mut HashMap::new());
                match op {
                    Reduction::Sum if !self.is_forward(node) => self.sum_over(&bound.into_iter().collect(), body),
                    _ => self.graph.reduce(op, bound, body),
                }
            }
            op => {
                let args = args.into_iter().map(|arg| self.substitute_in(arg, indices, done)).collect();
                let conditions = indices.within.iter().filter(|&(&axis, _)| self.graph.axes(node).contains(axis));
                let conditions = conditions.map(|(_, &within)| within).collect();
                self.rebuild(op, args, ty, conditions)
            }
        };
        done.insert(node, result);
        result
    }

    /// An operation on new operands; what could fail is executed only under the conditions.
    pub(super) fn rebuild(&mut self, op: Op, mut args: Vec<NodeId>, ty: Ty, mut conditions: Vec<NodeId>) -> NodeId {
        match op {
            Op::Sum { coefficients } => {
                let addends: Vec<NodeId> = (coefficients.into_iter().zip(args))
                    .map(|(coefficient, arg)| self.scale(f64::from_bits(coefficient), arg))
                    .collect();
                self.add(ty, &addends)
            }
            Op::Product { powers } => {
                let factors: Vec<_> = args.into_iter().zip(powers).collect();
                self.product(&factors)
            }
            Op::Load { source, guarded } => {
                conditions.extend(if guarded { args.pop() } else { None });
                conditions.retain(|&condition| !self.is_true(condition));
                let guard = (!conditions.is_empty()).then(|| self.all(conditions));
                self.graph.load(source, args, guard, ty)
            }
            Op::Binary(op @ (Binary::Div | Binary::Rem)) if ty.is_integer() && !conditions.is_empty() => {
                conditions.extend(args.drain(2..));
                args.push(self.all(conditions));
                self.graph.intern(Op::Binary(op), args, ty)
            }
            Op::Binary(Binary::And) if self.is_true(args[0]) => args[1],
            Op::Binary(Binary::And) if self.is_true(args[1]) => args[0],
            Op::Select if self.is_true(args[0]) => args[1],
            op => self.graph.intern(op, args, ty),
        }
    }

    fn is_true(&self, condition: NodeId) -> bool {
        *self.graph.op(condition) == Op::Const(Literal::Bool(true))
    }

    /// The load of a forward result at its own axes.
    fn load_residual(&mut self, node: NodeId) -> NodeId {
        let known = self.residuals.iter().position(|&other| other == node);
        let position = known.unwrap_or(self.residuals.len());
        if known.is_none() {
            self.residuals.push(node);
        }
        let (axes, ty) = (self.array_axes(node), self.graph.ty(node));
        self.graph.load_own(Source::Saved(position as u32), &axes, ty)
    }

    /// The bound axes of a reduction of `body` under a substitution, and the substitution within the body.
    fn avoid_capture(&mut self, body: NodeId, bound: &[AxisId], indices: &Indices) -> (Vec<AxisId>, Indices) {
        let mut inner = indices.clone();
        inner.index.retain(|axis, _| !bound.contains(axis));
        inner.within.retain(|axis, _| !bound.contains(axis));
        inner.known.retain(|&expression, _| bound.iter().all(|&axis| !self.graph.axes(expression).contains(axis)));
        let inserted: AxisSet = (inner.index.iter().chain(&inner.within))
            .filter(|&(&axis, _)| self.graph.axes(body).contains(axis))
            .flat_map(|(_, &inserted)| self.graph.axes(inserted).iter())
            .chain(inner.known.values().flat_map(|&known| self.graph.axes(known).iter()))
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
            inner.index.insert(axis, self.graph.index(renamed));
            axes.push(renamed);
        }
        (axes, inner)
    }

    /// An axis of the extent of `axis` that is not in `taken`; the same one for the same question, so that equal sums
    /// stay equal.
    pub fn rename(&mut self, axis: AxisId, taken: &AxisSet) -> AxisId {
        let known = self.renamed.entry(axis).or_default();
        if let Some(&renamed) = known.iter().find(|&&renamed| !taken.contains(renamed)) {
            return renamed;
        }
        let renamed = self.graph.fresh_axis(axis);
        self.renamed.entry(axis).or_default().push(renamed);
        renamed
    }
}
