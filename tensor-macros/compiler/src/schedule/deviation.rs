//! Variances in one pass: `sum[N]((x - m) * (x - m))` with the mean `m = sum[N](x) / #N` is a reduction of `x` of its own.
//!
//! A column or full kernel holds one level, so a sum that needs the mean would read every element in another kernel. As
//! [`Reduction::SquaredDeviation`] it needs no mean and shares the kernel of the sum; its partials hold a mean and combine
//! by Chan's rule. The difference of `sum(x * x)` and `sum(x)^2 / #N` is never formed, as it cancels.
//!
//! Two kinds stay as they are: rows, whose second level finds the row in the cache, and sums that are *corrected* by the
//! kernel itself, which then would correct what is right. (A mean is rounded; `sum[N](x - m)` is what that left.)

use std::collections::{BTreeMap, HashMap, HashSet};

use super::Class;
use super::class::classify;
use super::contraction::Form;
use crate::ir::{AxisId, Binary, ExtentId, Graph, NodeId, Op, Reduction};

/// `sum[axes](body)` as a reduction of squared deviations, if it is one over columns or over everything.
pub(super) fn squared(
    graph: &mut Graph,
    axes: &[AxisId],
    body: NodeId,
    forms: &HashMap<NodeId, Form>,
) -> Option<NodeId> {
    let [difference, same] = operands(graph, body, Binary::Mul)?;
    let [x, mean] = operands(graph, difference, Binary::Sub)?;
    let [sum, count] = operands(graph, mean, Binary::Div)?;
    let summed = *graph.op(sum) == Op::Reduce { op: Reduction::Sum, axes: axes.to_vec() } && graph.args(sum)[0] == x;
    if difference != same || !summed || !counts(graph, count, axes) {
        return None;
    }
    let one_level = matches!(classify(graph, sum, forms), Class::Column | Class::Full);
    one_level.then(|| graph.reduce(Reduction::SquaredDeviation, axes.to_vec(), x))
}

/// The sums of products of differences that the kernel sums by themselves, too.
pub(super) fn corrected(graph: &Graph, nodes: &[NodeId]) -> HashSet<NodeId> {
    let is_sum = |&id: &NodeId| matches!(graph.op(id), Op::Reduce { op: Reduction::Sum, .. });
    let sums: Vec<NodeId> = nodes.iter().copied().filter(is_sum).collect();
    let summed: HashSet<NodeId> = sums.iter().map(|&sum| graph.args(sum)[0]).collect();
    let corrects = |&sum: &NodeId| graph.args(graph.args(sum)[0]).iter().any(|factor| summed.contains(factor));
    sums.into_iter().filter(corrects).collect()
}

/// The operands of a binary operation.
fn operands(graph: &Graph, id: NodeId, op: Binary) -> Option<[NodeId; 2]> {
    match (graph.op(id), graph.args(id)) {
        (Op::Binary(found), &[a, b]) if *found == op => Some([a, b]),
        _ => None,
    }
}

/// True if a value is the number of points over some axes.
fn counts(graph: &Graph, value: NodeId, axes: &[AxisId]) -> bool {
    let mut factors: BTreeMap<ExtentId, usize> = BTreeMap::new();
    let mut stack = vec![value];
    while let Some(id) = stack.pop() {
        match graph.op(id) {
            Op::Convert(_) | Op::Binary(Binary::Mul) => stack.extend(graph.args(id)),
            Op::Size(extent) => *factors.entry(*extent).or_default() += 1,
            _ => return false,
        }
    }
    let mut points: BTreeMap<ExtentId, usize> = BTreeMap::new();
    for &axis in axes {
        *points.entry(graph.axis(axis).extent).or_default() += 1;
    }
    factors == points
}
