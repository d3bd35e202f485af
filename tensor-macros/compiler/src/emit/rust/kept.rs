//! Bodies of reductions that a later pass reads instead of evaluating them again.
//!
//! The engine has the bodies of a block in a buffer when it has folded them. A later pass over the same block finds them
//! there; where other blocks came between, the engine evaluates the earlier pass for the block once more, which is what the
//! later pass would have done.
//!
//! Invariant: a pass whose bodies are kept stores nothing else and checks nothing, so that it may run again.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::cost;
use super::pass::reduced;
use crate::emit::plan::{Eval, Kernel, Pass, Plan};
use crate::ir::{Graph, NodeId, Op};
use crate::schedule::PassKind;

/// Work that a load is worth.
const WORTH: usize = 8;

/// Lets the passes of a plan read what earlier ones evaluated.
pub(super) fn keep_bodies(graph: &Graph, plan: &mut Plan<'_>) {
    for kernel in &mut plan.kernels {
        for position in 1..kernel.passes.len() {
            let bodies = bodies(graph, kernel, position);
            let pass = &mut kernel.passes[position];
            if pass.kind == PassKind::Outer || !pass.nodes.keys().any(|node| bodies.contains_key(node)) {
                continue;
            }
            let roots = kernel.reductions.iter().enumerate().filter(|(own, _)| pass.reductions.contains(own));
            let mut roots: Vec<NodeId> = roots.map(|(_, (reduction, _))| graph.args(*reduction)[0]).collect();
            for &write in &pass.writes {
                roots.extend(kernel.writes[write].nodes());
            }
            roots.extend(pass.checks.iter().map(|&check| kernel.checks[check].condition));
            read_bodies(graph, pass, &bodies, roots);
        }
    }
}

/// The bodies that the passes before one leave, and that are worth a load.
fn bodies(graph: &Graph, kernel: &Kernel<'_>, position: usize) -> BTreeMap<NodeId, usize> {
    let earlier = kernel.passes[..position].iter().filter(|pass| pass.writes.is_empty() && pass.checks.is_empty());
    let bodies = earlier.flat_map(|pass| {
        pass.reductions.iter().filter_map(move |&reduction| {
            let node = kernel.reductions[reduction].0;
            let body = graph.args(node)[0];
            let body = if *graph.op(body) == Op::Stop { graph.args(body)[0] } else { body };
            let stored_as_it_is = reduced(graph, node) == graph.ty(body);
            (stored_as_it_is && work(graph, pass, body) > WORTH).then_some((body, reduction))
        })
    });
    bodies.collect()
}

/// The work that a pass does for a node.
fn work(graph: &Graph, pass: &Pass, root: NodeId) -> usize {
    let mut seen = HashSet::new();
    let mut stack = vec![root];
    let mut work = 0;
    while let Some(node) = stack.pop() {
        if seen.insert(node) {
            work += cost::of_node(graph, node, &pass.nodes[&node]);
            stack.extend(pass.children(graph, node));
        }
    }
    work
}

/// Replaces what a pass evaluates for the bodies among its nodes.
fn read_bodies(graph: &Graph, pass: &mut Pass, bodies: &BTreeMap<NodeId, usize>, roots: Vec<NodeId>) {
    for (&body, &reduction) in bodies {
        if let Some(eval) = pass.nodes.get_mut(&body) {
            *eval = Eval::Body(reduction);
        }
    }
    let mut needed = BTreeSet::new();
    let mut stack = roots;
    while let Some(node) = stack.pop() {
        if needed.insert(node) {
            stack.extend(pass.children(graph, node));
        }
    }
    pass.nodes.retain(|node, _| needed.contains(node));
    let (mut operands, mut rows, mut axes) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for (&node, eval) in &pass.nodes {
        match eval {
            Eval::Input { operand, .. } | Eval::Gather { operand, .. } => {
                operands.insert(*operand);
            }
            Eval::Row(row) => {
                rows.insert(*row);
            }
            Eval::Compute => axes.extend(graph.as_index(node)),
            Eval::Old { .. } | Eval::Body(_) => {}
        }
    }
    pass.operands.retain(|operand| operands.contains(operand));
    pass.rows.retain(|row| rows.contains(row));
    pass.axes.retain(|axis| axes.contains(axis));
}
