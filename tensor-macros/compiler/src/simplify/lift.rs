//! A factor without a summed axis leaves a forward contraction: `sum[K](a * b * s[N]) = s[N] * sum[K](a * b)`.
//!
//! The scheduler makes it an epilogue, and its gradient is a sum over the saved product instead of over three operands.
//! This is the only change of the user's order of arithmetic in forward expressions.

use std::collections::{BTreeMap, HashMap};

use super::contraction::{MAX_FACTORS, contraction};
use crate::ir::{AxisSet, Binary, Graph, Kernel, NodeId, Op, Reduction, Write};

/// Rewrites the roots (and assertions) of a kernel. Later stages see only the result.
pub fn lift_factors(kernel: &mut Kernel) {
    let mut lift = Lift { graph: &mut kernel.graph, done: HashMap::new() };
    for root in &mut kernel.roots {
        root.value = lift.node(root.value);
        if let Write::Scatter { index, guard, .. } = &mut root.write {
            index.iter_mut().chain(guard).for_each(|node| *node = lift.node(*node));
        }
    }
    for assertion in &mut kernel.assertions {
        assertion.condition = lift.node(assertion.condition);
    }
    let moved: BTreeMap<NodeId, String> =
        (kernel.names.iter()).filter_map(|(node, name)| Some((*lift.done.get(node)?, name.clone()))).collect();
    for (node, name) in moved {
        kernel.names.entry(node).or_insert(name);
    }
}

struct Lift<'graph> {
    graph: &'graph mut Graph,
    done: HashMap<NodeId, NodeId>,
}

impl Lift<'_> {
    fn node(&mut self, id: NodeId) -> NodeId {
        if let Some(&done) = self.done.get(&id) {
            return done;
        }
        let node = self.graph.node(id).clone();
        let args: Vec<NodeId> = node.args.iter().map(|&arg| self.node(arg)).collect();
        let result = self.graph.intern(node.op, args, node.ty);
        let result = self.lifted(result).unwrap_or(result);
        self.done.insert(id, result);
        result
    }

    /// A sum with the factors that lack its axes outside, if a contraction remains.
    fn lifted(&mut self, id: NodeId) -> Option<NodeId> {
        let Op::Reduce { op: Reduction::Sum, axes } = self.graph.op(id).clone() else {
            return None;
        };
        let ty = self.graph.ty(id);
        let summed: AxisSet = axes.iter().copied().collect();
        let mut factors = vec![];
        self.push_factors(self.graph.args(id)[0], true, &summed, &mut factors);
        let (inside, outside): (Vec<_>, Vec<_>) =
            factors.into_iter().partition(|&(factor, _)| !self.graph.axes(factor).is_disjoint(&summed));
        if outside.is_empty() || !ty.is_float() || outside.len() + inside.len() > MAX_FACTORS {
            return None;
        }
        let body = (inside.into_iter())
            .try_fold(None, |product: Option<NodeId>, (factor, multiplied)| match (product, multiplied) {
                (None, true) => Some(Some(factor)),
                (Some(product), true) => Some(Some(self.graph.binary(Binary::Mul, product, factor))),
                (Some(product), false) => Some(Some(self.graph.binary(Binary::Div, product, factor))),
                // The quotient had a numerator without the axes only.
                (None, false) => None,
            })
            .flatten()?;
        let sum = self.graph.reduce(Reduction::Sum, axes.clone(), body);
        contraction(self.graph, sum)?;
        let keep_zero = outside.iter().all(|&(factor, _)| self.graph.keeps_zero(factor));
        let product = outside.into_iter().fold(sum, |product, (factor, multiplied)| {
            self.graph.binary(if multiplied { Binary::Mul } else { Binary::Div }, product, factor)
        });
        Some(if keep_zero { product } else { self.graph.zero_if_empty(&axes, product) })
    }

    /// The factors of a product in source order; `false` marks divisors. Only what has to come apart is taken apart.
    fn push_factors(&self, id: NodeId, multiplied: bool, summed: &AxisSet, factors: &mut Vec<(NodeId, bool)>) {
        let args = self.graph.args(id);
        if factors.len() > MAX_FACTORS {
            return;
        }
        match self.graph.op(id) {
            Op::Binary(Binary::Mul) if multiplied => {
                args.iter().for_each(|&arg| self.push_factors(arg, multiplied, summed, factors));
            }
            Op::Binary(Binary::Div) if multiplied && self.graph.axes(args[1]).is_disjoint(summed) => {
                self.push_factors(args[0], multiplied, summed, factors);
                factors.push((args[1], false));
            }
            _ => factors.push((id, multiplied)),
        }
    }
}
