//! Sums of which an equality leaves one element.
//!
//! In `sum[S](if S == e { v } else { 0 })` with `e` free of `S`, the equality *decides* `S`: the sum is `v` at `S = e`, if
//! `e` is within the axis (a gather). In `sum[N](if S == e { v } else { 0 })` with `e` loaded along `N`, `v` free of `S` and
//! `S` an axis of the result, every point over `N` adds to one element of the result (a scatter). Both cost the axis less.
//!
//! Invariant: loads that a decided index moves are executed only under the conditions of the sum.

use std::collections::{HashMap, HashSet};

use super::class::{load_index, natural_order, own_nodes};
use super::contraction::{conjuncts, is_zero};
use crate::ir::{AxisId, AxisSet, Binary, Graph, NodeId, Op, Reduction, Root, Source, Target, Ty, Write};

/// `if conditions { value } else { 0 }`.
struct Guarded {
    conditions: Vec<NodeId>,
    value: NodeId,
}

/// An equality of the index along an axis and an expression without it.
struct Equality {
    axis: AxisId,
    to: NodeId,
}

/// `sum[axes](body)` if an equality decides one of the axes: the axes left, and the body to sum over them. Expressions in
/// `stored` are arrays, which stay as they are.
pub(super) fn decide(
    graph: &mut Graph,
    axes: &[AxisId],
    body: NodeId,
    stored: &HashSet<NodeId>,
) -> Option<(Vec<AxisId>, NodeId)> {
    let Guarded { mut conditions, value } = guarded(graph, body);
    let (place, Equality { axis, to }) = conditions.iter().enumerate().find_map(|(place, &condition)| {
        let equality = equality(graph, condition, |axis| axes.contains(&axis))?;
        let moved = || conditions.iter().copied().filter(|&other| other != condition).chain([value]);
        moved().all(|id| can_move(graph, id, equality.axis, stored)).then_some((place, equality))
    })?;
    conditions.remove(place);
    let mut all = within(graph, axis, to);
    let conditions: Vec<NodeId> = conditions.into_iter().filter(|&condition| condition != all).collect();
    for condition in conditions {
        let condition = Move { axis, to, guard: all, done: HashMap::new() }.node(graph, condition);
        all = graph.binary(Binary::And, all, condition);
    }
    let value = Move { axis, to, guard: all, done: HashMap::new() }.node(graph, value);
    let zero = match graph.ty(value).is_float() {
        true => graph.float(0.0, graph.ty(value)),
        false => graph.int(0, graph.ty(value)),
    };
    let left: Vec<AxisId> = axes.iter().copied().filter(|&other| other != axis).collect();
    let body = graph.select(all, value, zero);
    left.iter().all(|&axis| graph.axes(body).contains(axis)).then_some((left, body))
}

/// A root that sums into elements which an equality chooses, as a scatter. `values` are all expressions of the schedule.
pub(super) fn scatter(graph: &mut Graph, root: &Root, values: &[NodeId]) -> Option<Root> {
    let (Target::Output(_) | Target::Gradient(_), Write::Dense { axes }) = (root.target, &root.write) else {
        return None;
    };
    let Op::Reduce { op: Reduction::Sum, axes: summed } = graph.op(root.value).clone() else { return None };
    let users = graph.reachable(values).into_iter().flat_map(|id| graph.args(id).to_vec()).chain(values.to_vec());
    if users.filter(|&user| user == root.value).count() > 1 {
        return None;
    }
    let Guarded { mut conditions, value } = guarded(graph, graph.args(root.value)[0]);
    let summed: AxisSet = summed.into_iter().collect();
    let (place, Equality { axis, to }) = conditions.iter().enumerate().find_map(|(place, &condition)| {
        let equality = equality(graph, condition, |axis| axes.contains(&axis))?;
        let mut loads = false;
        own_nodes(graph, &[equality.to], |id| loads |= matches!(graph.op(id), Op::Load { .. }));
        let free = |id: NodeId| !graph.axes(id).contains(equality.axis);
        let others = conditions.iter().copied().filter(|&other| other != condition).chain([value]);
        let found = loads && !graph.axes(equality.to).is_disjoint(&summed) && others.into_iter().all(free);
        found.then_some((place, equality))
    })?;
    conditions.remove(place);
    let mut guard = within(graph, axis, to);
    for condition in conditions {
        guard = graph.binary(Binary::And, guard, condition);
    }
    let value = graph.convert(graph.ty(root.value), value);
    let kept: AxisSet = axes.iter().copied().filter(|&other| other != axis).collect();
    let over = natural_order(graph, &[value, to], &kept.union(&summed));
    let index = axes.iter().map(|&other| if other == axis { to } else { graph.index(other) }).collect();
    let write = Write::Scatter { index, over, op: Reduction::Sum, guard: Some(guard) };
    Some(Root { target: root.target, write, value })
}

/// The conditions under which alone an expression is not zero.
fn guarded(graph: &Graph, mut value: NodeId) -> Guarded {
    let mut conditions = Vec::new();
    while let (Op::Select, &[condition, a, b]) = (graph.op(value), graph.args(value))
        && is_zero(graph, b)
    {
        conjuncts(graph, condition, &mut conditions);
        value = a;
    }
    Guarded { conditions, value }
}

/// The axis that a condition decides, among those that `may` be decided.
fn equality(graph: &Graph, condition: NodeId, may: impl Fn(AxisId) -> bool) -> Option<Equality> {
    let (Op::Binary(Binary::Eq), &[x, y]) = (graph.op(condition), graph.args(condition)) else { return None };
    [(x, y), (y, x)].into_iter().find_map(|(index, to)| {
        let axis = graph.as_index(index)?;
        (may(axis) && !graph.axes(to).contains(axis)).then_some(Equality { axis, to })
    })
}

/// True if an expression may be evaluated at another index along `axis`: no array and no reduction varies along it, and
/// no division, which might be by zero there.
fn can_move(graph: &Graph, id: NodeId, axis: AxisId, stored: &HashSet<NodeId>) -> bool {
    let mut can = true;
    own_nodes(graph, &[id], |id| {
        let fixed = stored.contains(&id)
            || match graph.op(id) {
                Op::Reduce { .. } | Op::Load { source: Source::Temp(_), .. } => true,
                Op::Binary(Binary::Div | Binary::Rem) => graph.ty(id).is_integer(),
                _ => false,
            };
        can &= !(fixed && graph.axes(id).contains(axis));
    });
    can
}

/// `0 <= index && index < size`.
fn within(graph: &mut Graph, axis: AxisId, index: NodeId) -> NodeId {
    let zero = graph.int(0, Ty::I64);
    let size = graph.size(graph.axis(axis).extent);
    let above = graph.binary(Binary::Ge, index, zero);
    let below = graph.binary(Binary::Lt, index, size);
    graph.binary(Binary::And, above, below)
}

/// Puts an expression in the place of the index along an axis.
struct Move {
    axis: AxisId,
    to: NodeId,
    /// The condition of the loads that it moves.
    guard: NodeId,
    done: HashMap<NodeId, NodeId>,
}

impl Move {
    fn node(&mut self, graph: &mut Graph, id: NodeId) -> NodeId {
        if !graph.axes(id).contains(self.axis) {
            return id;
        }
        if let Some(&done) = self.done.get(&id) {
            return done;
        }
        let node = graph.node(id).clone();
        let new = match node.op {
            Op::Index(_) => self.to,
            Op::Load { source, guarded } => {
                let index: Vec<NodeId> = load_index(graph, id).to_vec();
                let index = index.into_iter().map(|index| self.node(graph, index)).collect();
                let guard = match guarded {
                    true => {
                        let own = self.node(graph, node.args[node.args.len() - 1]);
                        graph.binary(Binary::And, self.guard, own)
                    }
                    false => self.guard,
                };
                graph.load(source, index, Some(guard), node.ty)
            }
            op => {
                let args = node.args.iter().map(|&arg| self.node(graph, arg)).collect();
                graph.intern(op, args, node.ty)
            }
        };
        self.done.insert(id, new);
        new
    }
}
