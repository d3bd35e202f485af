//! The class of a reduction: how its free and reduced axes lie in the arrays that its body reads.

use std::collections::HashMap;

use super::Class;
use super::contraction::Form;
use crate::ir::{AxisId, AxisSet, Graph, NodeId, Op};

/// One array that a body reads: its axes, outermost first, if they have an order.
struct Access {
    axes: AxisSet,
    order: Option<Vec<AxisId>>,
}

/// The class of a reduction.
pub(super) fn classify(graph: &Graph, reduction: NodeId, forms: &HashMap<NodeId, Form>) -> Class {
    if forms.contains_key(&reduction) {
        return Class::Contraction;
    }
    let free = graph.axes(reduction);
    if free.is_empty() {
        return Class::Full;
    }
    let body = graph.args(reduction)[0];
    let Op::Reduce { axes: bound, .. } = graph.op(reduction) else { unreachable!("only reductions have a class") };
    let bound: AxisSet = bound.iter().copied().collect();
    let accesses = accesses(graph, body);
    let own = |this: &Access, other: &Access| !this.axes.difference(&other.axes).is_disjoint(free);
    let two = accesses.iter().any(|a| accesses.iter().any(|b| own(a, b) && own(b, a)));
    if two {
        return Class::Tiled;
    }
    // A small window: each thread goes over its own.
    if graph.window_axes(reduction) == bound {
        return Class::StridedRow;
    }
    // Arrays of the schedule have no order of their own yet: they will be laid out as their reader likes.
    let ordered = accesses.iter().filter(|access| access.order.is_some());
    let widest = ordered.min_by_key(|access| std::cmp::Reverse(access.axes.len()));
    let wider = |access: &Access| widest.is_none_or(|widest| access.axes.len() > widest.axes.len());
    match widest.and_then(|access| access.order.as_ref()) {
        Some(order) if !accesses.iter().any(wider) => {
            let trailing = order.iter().rev().take_while(|&&axis| bound.contains(axis)).count();
            let reduced = order.iter().filter(|&&axis| bound.contains(axis)).count();
            match order.first() {
                _ if trailing == reduced => Class::Row,
                Some(&first) if bound.contains(first) => Class::Column,
                _ => Class::StridedRow,
            }
        }
        _ => Class::Row,
    }
}

/// The order of `axes` in the widest array that one of `values` reads, outermost first; axes it lacks follow.
pub(super) fn natural_order(graph: &Graph, values: &[NodeId], axes: &AxisSet) -> Vec<AxisId> {
    let mut accesses: Vec<Access> = values.iter().flat_map(|&value| accesses(graph, value)).collect();
    accesses.sort_by_key(|access| std::cmp::Reverse(access.axes.intersection(axes).len()));
    let mut order = Vec::new();
    for axis in accesses.iter().filter_map(|access| access.order.as_ref()).flatten().copied().chain(axes.iter()) {
        if axes.contains(axis) && !order.contains(&axis) {
            order.push(axis);
        }
    }
    order
}

/// What an expression reads, not beneath another reduction.
fn accesses(graph: &Graph, value: NodeId) -> Vec<Access> {
    let mut found = Vec::new();
    own_nodes(graph, &[value], |id| {
        let axes = graph.axes(id).clone();
        match graph.op(id) {
            Op::Load { .. } => {
                let mut order = Vec::new();
                for &arg in load_index(graph, id) {
                    order.extend(graph.axes(arg).iter().filter(|axis| !order.contains(axis)).collect::<Vec<_>>());
                }
                found.push(Access { axes, order: Some(order) });
            }
            Op::Reduce { .. } => found.push(Access { axes, order: None }),
            _ => {}
        }
    });
    found
}

/// Visits the nodes of expressions; a reduction is visited, what is beneath it is not.
pub(super) fn own_nodes(graph: &Graph, values: &[NodeId], mut visit: impl FnMut(NodeId)) {
    let mut stack = values.to_vec();
    let mut seen = std::collections::HashSet::new();
    while let Some(id) = stack.pop() {
        if seen.insert(id) {
            visit(id);
            if !matches!(graph.op(id), Op::Reduce { .. }) {
                // Operands are visited in order, so that ties go to the first.
                stack.extend(graph.args(id).iter().rev());
            }
        }
    }
}

/// The indices of a load, without its guard.
pub(super) fn load_index(graph: &Graph, load: NodeId) -> &[NodeId] {
    graph.load_index(load)
}

/// True for a load at bare, distinct axes without a guard.
pub(super) fn is_plain_load(graph: &Graph, id: NodeId) -> bool {
    let bare = |&arg: &NodeId| graph.as_index(arg).is_some();
    matches!(graph.op(id), Op::Load { guarded: false, .. })
        && graph.args(id).iter().all(bare)
        && graph.args(id).len() == graph.axes(id).len()
}
