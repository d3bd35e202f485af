//! Recognition of contractions: sums of a product of two operands, each with a free axis of its own.

use crate::ir::{AxisSet, Binary, Graph, NodeId, Op, Reduction};

/// Longer products are powers of something shared; they are no contractions worth the name.
pub(super) const MAX_FACTORS: usize = 32;

/// A contraction's factors; guards and casts around them are left out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Contraction {
    /// Factors without a summed axis.
    pub outside: Vec<NodeId>,
    /// Factors of the left operand.
    pub lhs: Vec<NodeId>,
    /// Factors of the right operand.
    pub rhs: Vec<NodeId>,
}

/// The contraction that a node is, if it is one: a float sum over axes that two groups of factors share, each with a free
/// axis that the other lacks.
pub fn contraction(graph: &Graph, node: NodeId) -> Option<Contraction> {
    let Op::Reduce { op: Reduction::Sum, axes } = graph.op(node) else {
        return None;
    };
    if !graph.ty(node).is_float() {
        return None;
    }
    let summed: AxisSet = axes.iter().copied().collect();
    let mut factors = vec![];
    push_factors(graph, graph.args(node)[0], &mut factors);
    if factors.len() > MAX_FACTORS {
        return None;
    }
    let (inside, outside): (Vec<NodeId>, Vec<NodeId>) =
        factors.into_iter().partition(|&factor| !graph.axes(factor).is_disjoint(&summed));
    // A factor whose axes another one has belongs to it.
    let mut groups: Vec<(AxisSet, Vec<NodeId>)> = vec![];
    let mut by_size = inside;
    by_size.sort_by_key(|&factor| (std::cmp::Reverse(graph.axes(factor).len()), factor));
    for factor in by_size {
        match groups.iter_mut().find(|(axes, _)| graph.axes(factor).is_subset(axes)) {
            Some((_, members)) => members.push(factor),
            None => groups.push((graph.axes(factor).clone(), vec![factor])),
        }
    }
    groups.sort_by_key(|(_, members)| members.iter().min().copied());
    let [(lhs_axes, lhs), (rhs_axes, rhs)] = &groups[..] else {
        return None;
    };
    let own = |axes: &AxisSet, other: &AxisSet| !axes.difference(other).difference(&summed).is_empty();
    let shared = summed.is_subset(lhs_axes) && summed.is_subset(rhs_axes);
    (shared && own(lhs_axes, rhs_axes) && own(rhs_axes, lhs_axes)).then(|| Contraction {
        outside,
        lhs: lhs.clone(),
        rhs: rhs.clone(),
    })
}

/// The operands of a contraction that are computed, with the guards around them: they become arrays in memory. An operand
/// that is a (cast of a) load needs none.
pub fn computed_operands(graph: &Graph, node: NodeId) -> Vec<NodeId> {
    let Some(Contraction { lhs, rhs, .. }) = contraction(graph, node) else {
        return vec![];
    };
    let mut operands = vec![];
    push_operands(graph, graph.args(node)[0], &mut operands);
    operands.retain(|&operand| {
        let factor = unguarded(graph, operand);
        (lhs == [factor] || rhs == [factor]) && !is_load(graph, factor)
    });
    operands
}

fn is_load(graph: &Graph, node: NodeId) -> bool {
    match graph.op(node) {
        Op::Load { .. } => true,
        Op::Cast(_) | Op::Convert(_) => is_load(graph, graph.args(node)[0]),
        _ => false,
    }
}

/// The factors of a product, through zero-selects.
fn push_factors(graph: &Graph, node: NodeId, factors: &mut Vec<NodeId>) {
    let mut operands = vec![];
    push_operands(graph, node, &mut operands);
    for operand in operands {
        match unguarded(graph, operand) {
            factor if factor == operand => factors.push(factor),
            factor => push_factors(graph, factor, factors),
        }
    }
}

/// The operands of a product, zero-selects around the whole of it left out.
fn push_operands(graph: &Graph, node: NodeId, operands: &mut Vec<NodeId>) {
    let inner = unguarded(graph, node);
    if operands.len() > MAX_FACTORS {
        return;
    }
    match graph.op(inner) {
        Op::Binary(Binary::Mul) => graph.args(inner).iter().for_each(|&arg| push_operands(graph, arg, operands)),
        Op::Product { powers } if powers.iter().all(|&power| power == 1) => {
            graph.args(inner).iter().for_each(|&arg| push_operands(graph, arg, operands));
        }
        _ => operands.push(node),
    }
}

/// What stands beneath zero-selects.
fn unguarded(graph: &Graph, node: NodeId) -> NodeId {
    let args = graph.args(node);
    let is_zero = |node: NodeId| graph.as_float(node) == Some(0.0);
    match graph.op(node) {
        Op::Select if is_zero(args[2]) => unguarded(graph, args[1]),
        Op::Select if is_zero(args[1]) => unguarded(graph, args[2]),
        _ => node,
    }
}
