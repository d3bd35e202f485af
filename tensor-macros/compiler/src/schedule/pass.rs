//! The traversals of a kernel.

use super::Kernel;
use crate::ir::{Graph, NodeId, Op, Root, Target, Write};

/// One traversal of a kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pass {
    /// What is traversed.
    pub kind: PassKind,
    /// The reductions whose bodies it evaluates (of [`Kernel::levels`]).
    pub reductions: Vec<NodeId>,
    /// What it writes, by position in [`Kernel::writes`].
    pub writes: Vec<usize>,
}

/// What a pass traverses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PassKind {
    /// Free and reduced axes; evaluates the bodies of one level, and writes over free and reduced axes what needs only
    /// lower levels.
    Level(usize),
    /// Free and reduced axes; writes.
    Inner,
    /// Free axes; writes.
    Outer,
}

/// The traversals of a kernel, in order of execution: its levels, then `Inner` and `Outer` if they write anything.
pub fn passes(graph: &Graph, kernel: &Kernel) -> Vec<Pass> {
    let mut passes: Vec<Pass> = (kernel.levels.iter().enumerate())
        .map(|(level, reductions)| Pass {
            kind: PassKind::Level(level),
            reductions: reductions.clone(),
            writes: vec![],
        })
        .collect();
    let mut inner = Pass { kind: PassKind::Inner, reductions: vec![], writes: vec![] };
    let mut outer = Pass { kind: PassKind::Outer, reductions: vec![], writes: vec![] };
    for (position, root) in kernel.writes.iter().enumerate() {
        let pass = match kind(graph, kernel, root) {
            PassKind::Level(level) => &mut passes[level],
            PassKind::Inner => &mut inner,
            PassKind::Outer => &mut outer,
        };
        pass.writes.push(position);
    }
    passes.extend([inner, outer].into_iter().filter(|pass| !pass.writes.is_empty()));
    passes
}

/// The number of times a kernel goes through its data. A write over the free axes alone is done when its row ends and
/// does not count, except in a kernel without reductions.
pub fn traversals(graph: &Graph, kernel: &Kernel) -> usize {
    passes(graph, kernel).iter().filter(|pass| pass.kind != PassKind::Outer).count().max(1)
}

/// The traversal that performs a write.
fn kind(graph: &Graph, kernel: &Kernel, root: &Root) -> PassKind {
    let axes = match &root.write {
        Write::Dense { axes } => axes,
        Write::Scatter { over, .. } => over,
    };
    if !kernel.reduced.iter().any(|axis| axes.contains(axis)) {
        return PassKind::Outer;
    }
    // The first level that is not read: its traversal has everything the value needs.
    let level = kernel.levels.iter().rposition(|level| level.iter().any(|&reduction| reads(graph, root, reduction)));
    let level = level.map_or(0, |level| level + 1);
    // An edit waits until every level has read the old value.
    match level < kernel.levels.len() && !matches!(root.target, Target::Edit(_)) {
        true => PassKind::Level(level),
        false => PassKind::Inner,
    }
}

/// True if the value or the place of a write needs the result of a reduction.
fn reads(graph: &Graph, root: &Root, reduction: NodeId) -> bool {
    let mut stack = vec![root.value];
    if let Write::Scatter { index, guard, .. } = &root.write {
        stack.extend(index.iter().chain(guard));
    }
    let mut seen = std::collections::HashSet::new();
    while let Some(id) = stack.pop() {
        if id == reduction {
            return true;
        }
        // What is beneath another reduction is that reduction's own.
        if seen.insert(id) && !matches!(graph.op(id), Op::Reduce { .. }) {
            stack.extend(graph.args(id));
        }
    }
    false
}
