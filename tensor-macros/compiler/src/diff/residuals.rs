//! Which forward values are kept.
//!
//! The backward expressions stand over forward nodes. A *cut* is a set of forward nodes that are kept; everything else is
//! computed again from parameters, scalars and the cut. Every reduction is in it. An output or an operand that memory
//! holds anyway joins if other arrays become superfluous by that: the quotient of softmax instead of its maximum and sum,
//! the exponentials of attention instead of its scores.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::ir::{
    AxisId, AxisSet, Backward, Elem, Graph, NodeId, Op, Output, Reduction, Root, Saved, Source, Target, Write,
};
use crate::simplify::Algebra;
use crate::simplify::contraction::computed_operands;
use crate::simplify::factoring::factored;

/// The backward pass of `roots` over the residuals chosen.
pub(super) fn choose(algebra: Algebra<'_>, roots: Vec<Root>, outputs: &[Output], forward: &[Root]) -> Backward {
    let cut = Cut { algebra: &algebra, roots: &roots };
    let mut kept = BTreeSet::new();
    let mut needs = cut.needs(&kept);
    for candidate in cut.outputs(outputs, forward) {
        if needs.visited.contains(&candidate) {
            let with = cut.needs(&(&kept | &[candidate].into()));
            if !with.reductions.is_superset(&needs.reductions) || !with.params.is_superset(&needs.params) {
                kept.insert(candidate);
                needs = with;
            }
        }
    }
    for candidate in cut.operands(forward) {
        if needs.visited.contains(&candidate) {
            let with = cut.needs(&(&kept | &[candidate].into()));
            let axes = algebra.graph.axes(candidate);
            if needs.reductions.difference(&with.reductions).any(|&dropped| algebra.graph.axes(dropped) == axes) {
                kept.insert(candidate);
                needs = with;
            }
        }
    }
    let residuals: Vec<NodeId> =
        needs.reductions.into_iter().chain(kept.into_iter().filter(|node| needs.visited.contains(node))).collect();
    let saved = residuals
        .iter()
        .map(|&node| {
            let ty = algebra.graph.ty(node);
            match output_of(algebra.graph, node, outputs, forward) {
                Some((position, axes)) => Saved { node, axes, ty, output: Some(position) },
                None => Saved { node, axes: algebra.array_axes(node), ty, output: None },
            }
        })
        .collect();
    rewrite(algebra, roots, saved)
}

/// The backward expressions and what they stand on.
struct Cut<'a, 'graph> {
    algebra: &'a Algebra<'graph>,
    roots: &'a [Root],
}

/// What backward reads under a cut.
struct Needs {
    /// Forward reductions that are kept.
    reductions: BTreeSet<NodeId>,
    /// Tensor parameters, which have to be kept alive.
    params: BTreeSet<u32>,
    /// Forward nodes that are kept or computed again.
    visited: BTreeSet<NodeId>,
}

impl Cut<'_, '_> {
    fn needs(&self, kept: &BTreeSet<NodeId>) -> Needs {
        let graph = &*self.algebra.graph;
        let mut needs = Needs { reductions: BTreeSet::new(), params: BTreeSet::new(), visited: BTreeSet::new() };
        let mut seen = vec![false; graph.len()];
        let mut stack: Vec<NodeId> = self.roots.iter().flat_map(root_nodes).collect();
        while let Some(node) = stack.pop() {
            if std::mem::replace(&mut seen[node.0 as usize], true) {
                continue;
            }
            if self.algebra.is_forward(node) {
                needs.visited.insert(node);
            }
            if kept.contains(&node) {
                continue;
            }
            if self.algebra.is_residual(node) {
                needs.reductions.insert(node);
                continue;
            }
            match *graph.op(node) {
                Op::Load { source: Source::Param(param), .. } => {
                    needs.params.insert(param);
                }
                Op::Load { source: Source::Saved(position), .. } => {
                    needs.reductions.insert(self.algebra.residuals[position as usize]);
                }
                Op::Load { source: Source::Temp(position), .. } => {
                    stack.push(self.algebra.temps[position as usize].node);
                }
                _ => {}
            }
            stack.extend(graph.args(node));
        }
        needs
    }

    /// Computed values that are outputs, those nearest to the result first.
    fn outputs(&self, outputs: &[Output], forward: &[Root]) -> Vec<NodeId> {
        let mut nodes: Vec<NodeId> = (forward.iter().map(|root| root.value))
            .filter(|&node| !self.algebra.is_residual(node) && !self.algebra.graph.args(node).is_empty())
            .filter(|&node| !matches!(self.algebra.graph.op(node), Op::Load { .. }))
            .filter(|&node| output_of(self.algebra.graph, node, outputs, forward).is_some())
            .collect();
        nodes.sort_by_key(|&node| std::cmp::Reverse(node));
        nodes
    }

    /// Computed operands of forward contractions, which are arrays in memory.
    fn operands(&self, forward: &[Root]) -> Vec<NodeId> {
        let graph = &*self.algebra.graph;
        let values: Vec<NodeId> = forward.iter().map(|root| root.value).collect();
        let mut nodes: Vec<NodeId> = (graph.reachable(&values).into_iter())
            .flat_map(|node| computed_operands(graph, node))
            .filter(|&node| !self.algebra.is_residual(node))
            .collect();
        nodes.sort_by_key(|&node| std::cmp::Reverse(node));
        nodes.dedup();
        nodes
    }
}

/// The expressions of a root.
fn root_nodes(root: &Root) -> Vec<NodeId> {
    let mut nodes = vec![root.value];
    if let Write::Scatter { index, guard, .. } = &root.write {
        nodes.extend(index.iter().chain(guard));
    }
    nodes
}

/// The output that holds the value of a node, element by element, and its axes.
fn output_of(graph: &Graph, node: NodeId, outputs: &[Output], forward: &[Root]) -> Option<(u32, Vec<AxisId>)> {
    forward.iter().filter(|root| root.value == node).find_map(|root| {
        let (Target::Output(position), Write::Dense { axes }) = (root.target, &root.write) else {
            return None;
        };
        let same_axes = axes.iter().copied().collect::<AxisSet>() == *graph.axes(node);
        (same_axes && holds(graph, node, outputs[position as usize].elem)).then(|| (position, axes.clone()))
    })
}

/// True if an output of this element may stand for the value. The kernel's own element may be half: then the derivative
/// uses the value that the user sees, except a maximum, which is compared with its elements.
fn holds(graph: &Graph, node: NodeId, elem: Elem) -> bool {
    match elem {
        Elem::F32 | Elem::F64 => true,
        Elem::Generic => match graph.op(node) {
            Op::Reduce { op: Reduction::Max | Reduction::Min, .. } => {
                matches!(graph.op(graph.args(node)[0]), Op::Load { .. })
            }
            _ => true,
        },
        Elem::F16 | Elem::Bf16 | Elem::I64 | Elem::I32 | Elem::U32 | Elem::U8 | Elem::Bool => false,
    }
}

/// Replaces residuals by loads, drops arrays that nothing reads, and numbers both.
fn rewrite(algebra: Algebra<'_>, mut roots: Vec<Root>, saved: Vec<Saved>) -> Backward {
    let mut read = BTreeSet::new();
    let mut nodes: Vec<NodeId> = roots.iter().flat_map(root_nodes).collect();
    loop {
        let new: Vec<u32> = (algebra.graph.reachable(&nodes).into_iter())
            .filter_map(|node| match algebra.graph.op(node) {
                Op::Load { source: Source::Temp(position), .. } if !read.contains(position) => Some(*position),
                _ => None,
            })
            .collect();
        if new.is_empty() {
            break;
        }
        nodes.extend(new.iter().map(|&position| algebra.temps[position as usize].node));
        read.extend(new);
    }
    let Algebra { graph, temps, residuals, .. } = algebra;
    let positions: HashMap<NodeId, u32> =
        saved.iter().enumerate().map(|(position, saved)| (saved.node, position as u32)).collect();
    let mut rewriter =
        Rewriter { sources: BTreeMap::new(), saved: &saved, positions: &positions, done: HashMap::new(), graph };
    for (old, node) in residuals.iter().enumerate() {
        if let Some(&position) = positions.get(node) {
            rewriter.sources.insert(key(Source::Saved(old as u32)), Source::Saved(position));
        }
    }
    for (new, &old) in read.iter().enumerate() {
        rewriter.sources.insert(key(Source::Temp(old)), Source::Temp(new as u32));
    }
    let mut kept = vec![];
    for &old in &read {
        let mut temp = temps[old as usize].clone();
        temp.node = rewriter.node(temp.node);
        kept.push(temp);
    }
    for root in &mut roots {
        root.value = rewriter.node(root.value);
        if let Write::Scatter { index, guard, .. } = &mut root.write {
            index.iter_mut().chain(guard).for_each(|node| *node = rewriter.node(*node));
        }
    }
    Backward { saved, temps: kept, roots, blocked: vec![] }
}

/// Puts loads of residuals in the place of forward nodes, and sums in the form that costs least.
struct Rewriter<'a> {
    graph: &'a mut Graph,
    saved: &'a [Saved],
    positions: &'a HashMap<NodeId, u32>,
    /// New sources by (is it a temp, old position).
    sources: BTreeMap<(bool, u32), Source>,
    done: HashMap<NodeId, NodeId>,
}

fn key(source: Source) -> (bool, u32) {
    match source {
        Source::Saved(position) => (false, position),
        Source::Temp(position) => (true, position),
        Source::Param(_) | Source::Cotangent(_) => unreachable!("parameters and cotangents keep their positions"),
    }
}

impl Rewriter<'_> {
    fn node(&mut self, id: NodeId) -> NodeId {
        if let Some(&done) = self.done.get(&id) {
            return done;
        }
        let result = match self.positions.get(&id) {
            Some(&position) => {
                let Saved { axes, ty, .. } = &self.saved[position as usize];
                self.graph.load_own(Source::Saved(position), axes, *ty)
            }
            None => {
                let mut node = self.graph.node(id).clone();
                let args: Vec<NodeId> = node.args.iter().map(|&arg| self.node(arg)).collect();
                if let Op::Load { source, .. } = &mut node.op
                    && matches!(source, Source::Saved(_) | Source::Temp(_))
                {
                    *source = self.sources[&key(*source)];
                }
                match node.op {
                    Op::Sum { coefficients } => factored(self.graph, &coefficients, args, node.ty),
                    op => self.graph.intern(op, args, node.ty),
                }
            }
        };
        self.done.insert(id, result);
        result
    }
}
