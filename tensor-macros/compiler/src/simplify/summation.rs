//! Sums over axes: every derived sum is built here.

use std::collections::{BTreeMap, BTreeSet};

use super::mutation::{self, Mutation};
use super::term::Term;
use super::{Algebra, Indices};
use crate::ir::{AxisSet, Binary, NodeId, Op, Reduction, Ty};

/// Factors to higher powers are not taken apart: squares of squares grow beyond any integer.
const MAX_POWER: i32 = 64;

impl Algebra<'_> {
    /// The sum of `body` over `axes`, which `body` may lack: then it is multiplied by their sizes.
    pub fn sum_over(&mut self, axes: &AxisSet, body: NodeId) -> NodeId {
        let ty = self.graph.ty(body);
        if self.is_zero(body) || (!axes.is_empty() && self.sums_to_zero(axes, body)) {
            return self.zero(ty);
        }
        let missing = axes.difference(self.graph.axes(body));
        let axes = axes.intersection(self.graph.axes(body));
        let mut outside = Term { coefficient: 1.0, guards: vec![], factors: vec![] };
        for axis in missing.iter().filter(|_| !mutation::is(Mutation::MissingSize)) {
            let size = self.size(axis, ty);
            outside.factors.push((size, 1));
        }
        let term = self.term(body);
        let inside = self.hoist(&axes, term, &mut outside);
        let sum = if axes.is_empty() { self.build(inside, ty) } else { self.sum_inside(ty, &axes, inside) };
        let outside = self.build(outside, ty);
        self.product_of_sums(outside, sum)
    }

    /// The product of two expressions that may have been proved zero.
    fn product_of_sums(&mut self, x: NodeId, y: NodeId) -> NodeId {
        match self.is_zero(x) || self.is_zero(y) {
            true => self.zero(self.graph.ty(x)),
            false => self.product(&[(x, 1), (y, 1)]),
        }
    }

    /// Moves guards and factors that do not vary along `axes` outside. A forward product is taken apart for that; a
    /// forward quotient is not, because it is a residual by itself. If guards remain inside, so do factors that could be
    /// infinite: where no guard holds, the sum is exactly 0.
    fn hoist(&mut self, axes: &AxisSet, term: Term, outside: &mut Term) -> Term {
        outside.coefficient *= term.coefficient;
        let (guards, outer) = term.guards.into_iter().partition(|&guard| self.varies(guard, axes));
        outside.guards.extend::<Vec<_>>(outer);
        let mut inside = Term { coefficient: 1.0, guards, factors: vec![] };
        let stays = |factor| !inside.guards.is_empty() && self.loads(factor);
        let mut factors: BTreeMap<NodeId, i32> = term.factors.into_iter().collect();
        // Operands have smaller ids: a factor is complete when its turn comes.
        while let Some((factor, power)) = factors.pop_last() {
            if !self.varies(factor, axes) && !stays(factor) {
                outside.factors.push((factor, power));
            } else if *self.graph.op(factor) == Op::Binary(Binary::Mul)
                && power.abs() <= MAX_POWER
                && inside.guards.is_empty()
                && self.has_factor_without(factor, axes)
            {
                for &operand in self.graph.args(factor) {
                    *factors.entry(operand).or_insert(0) += power;
                }
            } else {
                inside.factors.push((factor, power));
            }
        }
        inside.factors = self.merge_factors(inside.factors);
        inside
    }

    /// True if one of the factors of a forward product does not vary along `axes`.
    fn has_factor_without(&self, node: NodeId, axes: &AxisSet) -> bool {
        let mut factors: BTreeSet<NodeId> = [node].into();
        while let Some(factor) = factors.pop_last() {
            if !self.varies(factor, axes) {
                return true;
            }
            if *self.graph.op(factor) == Op::Binary(Binary::Mul) {
                factors.extend(self.graph.args(factor));
            }
        }
        false
    }

    /// The sum of a term from which nothing can be moved outside, and which varies along all of the axes.
    fn sum_inside(&mut self, ty: Ty, axes: &AxisSet, term: Term) -> NodeId {
        if let Some(sum) = self.pick(ty, axes, &term) {
            return sum;
        }
        if let Some(sum) = self.split_addends(ty, axes, &term) {
            return sum;
        }
        // A product of sums would not be 0 where no guard holds but one of the other sums is infinite.
        if term.guards.is_empty()
            && let Some(product) = self.split_axes(ty, axes, &term)
        {
            return product;
        }
        if let [(factor, 1)] = term.factors[..]
            && !self.is_forward(factor)
            && let Op::Reduce { op: Reduction::Sum, axes: bound } = self.graph.op(factor).clone()
            // A guard that varies where the inner sum does not keeps them apart: `sum_factors` would part them again.
            && term.guards.iter().all(|&guard| self.graph.axes(guard).is_subset(self.graph.axes(factor)))
        {
            let body = self.graph.args(factor)[0];
            let body = self.term(body);
            let guards = term.guards.into_iter().chain(body.guards).collect();
            let body = self.build(Term { guards, ..body }, ty);
            return self.sum_over(&axes.union(&bound.into_iter().collect()), body);
        }
        if term.guards.is_empty()
            && let Some(sum) = self.sum_factors(ty, axes, &term)
        {
            return sum;
        }
        let body = self.build(term, ty);
        self.graph.reduce(Reduction::Sum, axes.iter().collect(), body)
    }

    /// The sum over an axis that a guard fixes has one addend: `sum[S](if S == e { x } else { 0 })` is `x` at `S = e`,
    /// where `e` lies in the axis. Not if a reduction would be computed again for each `e`.
    fn pick(&mut self, ty: Ty, axes: &AxisSet, term: &Term) -> Option<NodeId> {
        let (place, axis, index) = term.guards.iter().enumerate().find_map(|(place, &guard)| {
            let Op::Binary(Binary::Eq) = self.graph.op(guard) else {
                return None;
            };
            let [x, y] = [self.graph.args(guard)[0], self.graph.args(guard)[1]];
            let picks =
                |x, y| self.graph.as_index(x).filter(|&axis| axes.contains(axis) && !self.graph.axes(y).contains(axis));
            picks(x, y).map(|axis| (place, axis, y)).or_else(|| picks(y, x).map(|axis| (place, axis, x)))
        })?;
        let mut rest = term.clone();
        rest.guards.remove(place);
        if rest.factors.iter().any(|&(factor, _)| self.waits_for_reduction(factor)) {
            return None;
        }
        let within = match self.graph.as_index(index) {
            Some(other) => self.shorter(axis, other),
            None if mutation::is(Mutation::PickedOutside) => None,
            None => Some(self.within(index, axis)),
        };
        let mut indices = Indices::default();
        indices.insert(axis, index, within);
        let rest = self.build(rest, ty);
        let mut picked = self.substitute(rest, &indices);
        if let Some(within) = within {
            picked = self.guard(within, picked);
        }
        Some(self.sum_over(&axes.difference(&[axis].into_iter().collect()), picked))
    }

    /// Splits a sum of addends where that puts reductions side by side that would stand inside one another: an addend
    /// has a factor without these axes that itself waits for a derived reduction, or lacks an axis. Other products are
    /// never multiplied out: the sum of `(x - m)^2` must not become the difference of two large numbers.
    fn split_addends(&mut self, ty: Ty, axes: &AxisSet, term: &Term) -> Option<NodeId> {
        let [(factor, 1)] = term.factors[..] else {
            return None;
        };
        let addends = self.addends(factor);
        let (apart, together): (Vec<Term>, Vec<Term>) = addends.into_iter().partition(|addend| {
            let varying: AxisSet = (addend.factors.iter().map(|&(factor, _)| factor).chain(addend.guards.clone()))
                .flat_map(|node| self.graph.axes(node).iter())
                .collect();
            !axes.is_subset(&varying)
                || (addend.factors.iter())
                    .any(|&(factor, _)| !self.varies(factor, axes) && self.waits_for_reduction(factor))
        });
        if apart.is_empty() || apart.len() + together.len() < 2 {
            return None;
        }
        let mut sums = vec![];
        let together = self.assemble(ty, together);
        for mut addend in apart {
            addend.guards.extend(&term.guards);
            let addend = self.build(addend, ty);
            sums.push(self.sum_over(axes, addend));
        }
        if !self.is_zero(together) {
            let mut rest = self.term(together);
            rest.guards.extend(&term.guards);
            let rest = self.build(rest, ty);
            sums.push(self.sum_over(axes, rest));
        }
        Some(self.add(ty, &sums))
    }

    /// True if a derived reduction has to be finished before the node.
    fn waits_for_reduction(&self, node: NodeId) -> bool {
        self.graph.reachable(&[node]).iter().any(|&node| self.is_derived_reduction(node))
    }

    /// Independent groups of axes are separate sums: `sum[I, J](p[I] * q[J]) = sum[I](p) * sum[J](q)`.
    fn split_axes(&mut self, ty: Ty, axes: &AxisSet, term: &Term) -> Option<NodeId> {
        let of = |node: NodeId| self.graph.axes(node).intersection(axes);
        let nodes = || term.factors.iter().map(|&(factor, _)| factor).chain(term.guards.iter().copied());
        let mut group: AxisSet = of(nodes().next()?);
        loop {
            let next = nodes().map(of).filter(|axes| !axes.is_disjoint(&group)).fold(group.clone(), |a, b| a.union(&b));
            if next == group {
                break;
            }
            group = next;
        }
        if group == *axes {
            return None;
        }
        let (factors, other_factors) = (term.factors.iter()).partition(|&&(factor, _)| self.varies(factor, &group));
        let (guards, other_guards) = (term.guards.iter()).partition(|&&guard| self.varies(guard, &group));
        let first = self.build(Term { coefficient: 1.0, guards, factors }, ty);
        let second = self.build(Term { coefficient: 1.0, guards: other_guards, factors: other_factors }, ty);
        let first = self.sum_over(&group, first);
        let second = self.sum_over(&axes.difference(&group), second);
        Some(self.product_of_sums(first, second))
    }

    /// If no factor alone has the axes of all, an axis of a single factor is summed inside it:
    /// `sum[N, K](a[N, K] * b[K, M]) = sum[K](b * sum[N](a))`, which costs NK + KM instead of NKM.
    fn sum_factors(&mut self, ty: Ty, axes: &AxisSet, term: &Term) -> Option<NodeId> {
        let nodes = || term.factors.iter().map(|&(factor, _)| factor).chain(term.guards.iter().copied());
        let everything: AxisSet = nodes().flat_map(|node| self.graph.axes(node).iter()).collect();
        if nodes().any(|node| *self.graph.axes(node) == everything) {
            return None;
        }
        let (place, own) = (term.factors.iter().enumerate()).find_map(|(place, &(factor, _))| {
            let elsewhere: AxisSet =
                nodes().filter(|&node| node != factor).flat_map(|node| self.graph.axes(node).iter()).collect();
            let own = self.graph.axes(factor).intersection(axes).difference(&elsewhere);
            (!own.is_empty()).then_some((place, own))
        })?;
        let mut rest = term.clone();
        let (factor, power) = rest.factors.remove(place);
        let factor = self.product(&[(factor, power)]);
        let sum = self.sum_over(&own, factor);
        let rest = self.build(rest, ty);
        let product = self.product_of_sums(rest, sum);
        Some(self.sum_over(&axes.difference(&own), product))
    }
}
