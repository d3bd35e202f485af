//! A schedule with everything numbered, as the runtime's tables want it. Every target is printed from it.
//!
//! Vocabulary: an *operand* is one way of reading an array: a source and, for each of its dimensions, an axis of the
//! kernel, an *affine* index, which is a stride per axis, *clipped*, an affine index outside of whose dimension the elements
//! are 0, or *dynamic*, an index that the pass computes. An operand with a
//! dynamic dimension is a *gather*. A node *evaluated* by a pass is one whose value the pass needs for each point;
//! reductions finished earlier are *rows* to it.
//!
//! Invariants: positions are those of the tables; `Pass::nodes` is closed under [`Pass::children`]; a dimension is an axis
//! of another extent, or affine, only if the read is unguarded: the host proves every such index before the launch.

use std::collections::{BTreeMap, HashSet};

use crate::ir::{self, Affine, AxisId, Clip, Extent, Graph, NodeId, Op, Reduction, Source, Target, Ty};
use crate::schedule::{self, PassKind};

/// The element of an array in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Storage {
    /// As declared.
    Element(ir::Elem),
    /// The type that values of this type are computed in: cotangents, residuals and temporaries.
    Computed(Ty),
}

/// One direction of a kernel: a schedule and what its sources mean.
#[derive(Clone, Copy, Debug)]
pub struct Direction<'a> {
    /// The kernel; its graph holds the nodes of the schedule.
    pub kernel: &'a ir::Kernel,
    /// The residuals.
    pub saved: &'a [ir::Saved],
    /// The kernels in order.
    pub schedule: &'a schedule::Schedule,
}

/// A numbered schedule.
#[derive(Debug)]
pub struct Plan<'a> {
    /// Kernels in order.
    pub kernels: Vec<Kernel<'a>>,
}

/// The index of a dimension.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Index {
    /// The index along an axis of the kernel.
    Axis(AxisId),
    /// The same for all points but for a step per axis.
    Affine(Affine),
    /// The element is 0 where the index leaves the dimension.
    Clipped(Clip),
    /// Computed for each point.
    Dynamic,
}

/// One way of reading an array.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Operand {
    /// The array.
    pub source: Source,
    /// Its element.
    pub storage: Storage,
    /// One per dimension.
    pub index: Vec<Index>,
}

/// A numbered kernel.
#[derive(Debug)]
pub struct Kernel<'a> {
    /// What the schedule says.
    pub schedule: &'a schedule::Kernel,
    /// What is read.
    pub operands: Vec<Operand>,
    /// What is reduced: node and level.
    pub reductions: Vec<(NodeId, usize)>,
    /// What is written.
    pub writes: Vec<Write>,
    /// What is checked.
    pub checks: Vec<Check>,
    /// The traversals.
    pub passes: Vec<Pass>,
    /// The operands of the contraction.
    pub contraction: Option<(usize, usize)>,
}

/// An assertion in the kernel that checks it.
#[derive(Debug)]
pub struct Check {
    /// Its position in [`ir::Kernel::assertions`].
    pub assertion: u32,
    /// Its axes, as the kernel calls them, in the assertion's order.
    pub axes: Vec<AxisId>,
    /// What has to hold.
    pub condition: NodeId,
}

/// A numbered write.
#[derive(Debug)]
pub struct Write {
    /// The array.
    pub target: Target,
    /// Its element.
    pub storage: Storage,
    /// The value.
    pub value: NodeId,
    /// Which elements.
    pub kind: WriteKind,
}

/// Which elements a write touches.
#[derive(Debug)]
pub enum WriteKind {
    /// The pass's own.
    Own {
        /// The axis of each dimension.
        axes: Vec<AxisId>,
        /// True if the pass reads the old value.
        reads_old: bool,
    },
    /// Computed ones.
    Scatter {
        /// One index per dimension.
        index: Vec<Index>,
        /// The values of the dynamic dimensions, in order.
        dynamic: Vec<NodeId>,
        /// Where it is executed; then at least one dimension is dynamic, unless all are `..`.
        guard: Option<NodeId>,
        /// How it combines.
        op: Reduction,
        /// True if nothing was written to the target before.
        zeroed: bool,
    },
}

/// A numbered traversal.
#[derive(Debug)]
pub struct Pass {
    /// What is traversed.
    pub kind: PassKind,
    /// Operands read.
    pub operands: Vec<usize>,
    /// Axes whose index is a value.
    pub axes: Vec<AxisId>,
    /// Reductions read.
    pub rows: Vec<usize>,
    /// Reductions whose bodies are evaluated.
    pub reductions: Vec<usize>,
    /// Writes performed.
    pub writes: Vec<usize>,
    /// Checks performed.
    pub checks: Vec<usize>,
    /// Every evaluated node and how, operands before users.
    pub nodes: BTreeMap<NodeId, Eval>,
}

/// How a pass gets the value of a node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Eval {
    /// From its operands.
    Compute,
    /// From an operand at the point's own index; 0 where the guard fails.
    Input {
        /// The operand.
        operand: usize,
        /// The guard.
        guard: Option<NodeId>,
    },
    /// From a gather; 0, and not executed, where the guard fails.
    Gather {
        /// The operand.
        operand: usize,
        /// The values of the dynamic dimensions, in order.
        index: Vec<NodeId>,
        /// The guard.
        guard: Option<NodeId>,
    },
    /// From the array that the same pass writes, before it does.
    Old {
        /// The write.
        write: usize,
        /// The guard.
        guard: Option<NodeId>,
    },
    /// From a finished reduction.
    Row(usize),
    /// From what an earlier pass of the kernel evaluated as the body of a reduction (`rust::kept`).
    Body(usize),
}

impl Storage {
    /// The type of its values.
    pub fn ty(self) -> Ty {
        match self {
            Storage::Element(elem) => elem.ty(),
            Storage::Computed(ty) => ty,
        }
    }
}

impl Write {
    /// What is evaluated for it.
    pub fn nodes(&self) -> Vec<NodeId> {
        let mut nodes = vec![self.value];
        if let WriteKind::Scatter { dynamic, guard, .. } = &self.kind {
            nodes.extend(dynamic.iter().chain(guard));
        }
        nodes
    }
}

impl<'a> Direction<'a> {
    /// The axes that a source was declared with.
    pub fn source_axes(&self, source: Source) -> &'a [AxisId] {
        match source {
            Source::Param(param) => &self.kernel.tensors[param as usize].axes,
            Source::Cotangent(output) => &self.kernel.outputs[output as usize].axes,
            Source::Saved(saved) => &self.saved[saved as usize].axes,
            Source::Temp(temp) => &self.schedule.temps[temp as usize].axes,
        }
    }

    /// The element of a source.
    pub fn source_storage(&self, source: Source) -> Storage {
        match source {
            Source::Param(param) => Storage::Element(self.kernel.tensors[param as usize].elem),
            Source::Cotangent(output) => Storage::Computed(self.kernel.outputs[output as usize].elem.ty()),
            Source::Saved(saved) => Storage::Computed(self.saved[saved as usize].ty),
            Source::Temp(temp) => Storage::Computed(self.schedule.temps[temp as usize].ty),
        }
    }

    /// The axes that a target was declared with.
    pub fn target_axes(&self, target: Target) -> &'a [AxisId] {
        match target {
            Target::Output(output) => &self.kernel.outputs[output as usize].axes,
            Target::Edit(param) | Target::Gradient(param) => &self.kernel.tensors[param as usize].axes,
            Target::Saved(saved) => &self.saved[saved as usize].axes,
            Target::Temp(temp) => &self.schedule.temps[temp as usize].axes,
            Target::Assertion(_) => panic!("bug: an assertion is no array"),
        }
    }

    /// The element of a target.
    pub fn target_storage(&self, target: Target) -> Storage {
        match target {
            Target::Output(output) => Storage::Element(self.kernel.outputs[output as usize].elem),
            Target::Edit(param) | Target::Gradient(param) => Storage::Element(self.kernel.tensors[param as usize].elem),
            Target::Saved(saved) => Storage::Computed(self.saved[saved as usize].ty),
            Target::Temp(temp) => Storage::Computed(self.schedule.temps[temp as usize].ty),
            Target::Assertion(_) => panic!("bug: an assertion is no array"),
        }
    }

    /// Numbers everything.
    pub fn plan(&self) -> Plan<'a> {
        let mut written = HashSet::new();
        let kernels = self.schedule.kernels.iter().map(|kernel| self.kernel(kernel, &mut written)).collect();
        Plan { kernels }
    }

    fn kernel(&self, kernel: &'a schedule::Kernel, written: &mut HashSet<Target>) -> Kernel<'a> {
        let graph = &self.kernel.graph;
        let levels = kernel.levels.iter().enumerate();
        let reductions: Vec<(NodeId, usize)> =
            levels.flat_map(|(level, nodes)| nodes.iter().map(move |&node| (node, level))).collect();
        let mut reads = Reads { direction: *self, operands: vec![] };
        // Assertions come last among the writes of the schedule.
        let stored = kernel.writes.iter().take_while(|root| !matches!(root.target, Target::Assertion(_)));
        let mut writes: Vec<Write> = stored.map(|root| reads.write(root, written)).collect();
        let checks: Vec<Check> = kernel.writes[writes.len()..].iter().map(check).collect();
        let mut passes = vec![];
        for pass in schedule::passes(graph, kernel) {
            let limit = match pass.kind {
                PassKind::Level(level) => level,
                PassKind::Inner | PassKind::Outer => kernel.levels.len(),
            };
            let rows: Vec<(NodeId, usize)> = reductions
                .iter()
                .enumerate()
                .filter(|(_, (_, level))| *level < limit)
                .map(|(row, (node, _))| (*node, row))
                .collect();
            let own: Vec<usize> =
                (0..reductions.len()).filter(|&row| pass.reductions.contains(&reductions[row].0)).collect();
            passes.push(reads.pass(pass, own, &reductions, &rows, (&writes, &checks)));
        }
        for pass in &passes {
            for eval in pass.nodes.values() {
                if let Eval::Old { write, .. } = eval
                    && let WriteKind::Own { reads_old, .. } = &mut writes[*write].kind
                {
                    *reads_old = true;
                }
            }
        }
        let contraction = kernel.contraction.as_ref().map(|it| (reads.operand(it.lhs).0, reads.operand(it.rhs).0));
        Kernel { schedule: kernel, operands: reads.operands, reductions, writes, checks, passes, contraction }
    }
}

/// The operands of one kernel, as its loads are met.
struct Reads<'a> {
    direction: Direction<'a>,
    operands: Vec<Operand>,
}

impl<'a> Reads<'a> {
    fn graph(&self) -> &'a Graph {
        &self.direction.kernel.graph
    }

    /// How the dimensions declared with `axes` are indexed by `index`, and the values of the dynamic ones.
    fn index(&self, axes: &[AxisId], index: &[NodeId], guarded: bool) -> (Vec<Index>, Vec<NodeId>) {
        let graph = self.graph();
        let mut dynamic = vec![];
        let pattern = (index.iter().zip(axes)).map(|(&node, &declared)| match graph.as_index(node) {
            Some(axis) if !guarded || same_extent(graph, axis, declared) => Index::Axis(axis),
            None if !guarded && let Some(affine) = Affine::of(graph, node) => Index::Affine(affine),
            _ => {
                dynamic.push(node);
                Index::Dynamic
            }
        });
        (pattern.collect(), dynamic)
    }

    /// How a guarded load indexes, if no index is dynamic, and what is left of its guard.
    fn clipped(&self, axes: &[AxisId], index: &[NodeId], guard: NodeId) -> Option<(Vec<Index>, Option<NodeId>)> {
        let graph = self.graph();
        let conditions = graph.conjuncts(guard);
        let mut said = vec![];
        let mut pattern = vec![];
        for (&node, &declared) in index.iter().zip(axes) {
            pattern.push(match graph.as_index(node) {
                Some(axis) if same_extent(graph, axis, declared) => Index::Axis(axis),
                _ => {
                    let clip = graph.clip(node, &conditions)?;
                    if clip.extent != graph.axis(declared).extent {
                        return None;
                    }
                    said.extend(clip.conditions.iter().copied());
                    Index::Clipped(clip)
                }
            });
        }
        let rest = conditions.iter().any(|condition| !said.contains(condition));
        Some((pattern, rest.then_some(guard)))
    }

    /// The operand of a load, its dynamic indices, and what is left of its guard.
    fn operand(&mut self, load: NodeId) -> (usize, Vec<NodeId>, Option<NodeId>) {
        let Op::Load { source, guarded } = *self.graph().op(load) else {
            panic!("bug: {:?} is not a load", self.graph().node(load));
        };
        let mut args = self.graph().args(load).to_vec();
        let guard = if guarded { args.pop() } else { None };
        let axes = self.direction.source_axes(source);
        let (index, dynamic, guard) = match guard.and_then(|guard| self.clipped(axes, &args, guard)) {
            Some((index, rest)) => (index, vec![], rest),
            None => {
                let (index, dynamic) = self.index(axes, &args, guarded);
                (index, dynamic, guard)
            }
        };
        let operand = Operand { source, storage: self.direction.source_storage(source), index };
        let position = self.operands.iter().position(|other| *other == operand).unwrap_or_else(|| {
            self.operands.push(operand);
            self.operands.len() - 1
        });
        (position, dynamic, guard)
    }

    fn write(&mut self, root: &ir::Root, written: &mut HashSet<Target>) -> Write {
        let first = written.insert(root.target);
        let kind = match &root.write {
            ir::Write::Dense { axes } => WriteKind::Own { axes: axes.clone(), reads_old: false },
            ir::Write::Scatter { index, op, guard, .. } => {
                let edit = matches!(root.target, Target::Edit(_));
                let axes = self.direction.target_axes(root.target);
                let (mut pattern, mut dynamic) = self.index(axes, index, guard.is_some());
                if guard.is_some() && dynamic.is_empty() {
                    // The index of a skipped point says so.
                    let graph = self.graph();
                    if let Some(dim) = (0..axes.len()).find(|&dim| !graph.axis(axes[dim]).rest) {
                        pattern[dim] = Index::Dynamic;
                        dynamic.push(index[dim]);
                    }
                }
                WriteKind::Scatter { index: pattern, dynamic, guard: *guard, op: *op, zeroed: first && !edit }
            }
        };
        Write { target: root.target, storage: self.direction.target_storage(root.target), value: root.value, kind }
    }

    fn pass(
        &mut self,
        pass: schedule::Pass,
        reductions: Vec<usize>,
        all: &[(NodeId, usize)],
        rows: &[(NodeId, usize)],
        (writes, checks): (&[Write], &[Check]),
    ) -> Pass {
        let (stored, checked): (Vec<usize>, Vec<usize>) = pass.writes.iter().partition(|&&write| write < writes.len());
        let checked: Vec<usize> = checked.into_iter().map(|write| write - writes.len()).collect();
        let mut stack: Vec<NodeId> =
            reductions.iter().map(|&reduction| self.graph().args(all[reduction].0)[0]).collect();
        for &write in &stored {
            stack.extend(writes[write].nodes());
        }
        stack.extend(checked.iter().map(|&check| checks[check].condition));
        let mut out = Pass {
            kind: pass.kind,
            operands: vec![],
            axes: vec![],
            rows: vec![],
            reductions,
            writes: stored,
            checks: checked,
            nodes: BTreeMap::new(),
        };
        // First operands first, so that positions follow the text.
        stack.reverse();
        while let Some(node) = stack.pop() {
            if out.nodes.contains_key(&node) {
                continue;
            }
            let eval = self.eval(node, rows, writes, &out.writes);
            match &eval {
                Eval::Input { operand, .. } | Eval::Gather { operand, .. } => insert(&mut out.operands, *operand),
                Eval::Row(row) => insert(&mut out.rows, *row),
                Eval::Compute => {
                    if let Some(axis) = self.graph().as_index(node) {
                        insert(&mut out.axes, axis);
                    }
                }
                Eval::Old { .. } | Eval::Body(_) => {}
            }
            stack.extend(children(self.graph(), node, &eval).into_iter().rev());
            out.nodes.insert(node, eval);
        }
        out
    }

    fn eval(&mut self, node: NodeId, rows: &[(NodeId, usize)], writes: &[Write], performed: &[usize]) -> Eval {
        match self.graph().op(node) {
            Op::Reduce { .. } => {
                let row = rows.iter().find(|(reduction, _)| *reduction == node);
                Eval::Row(
                    row.unwrap_or_else(|| panic!("bug in the schedule: {node:?} is read before it is finished")).1,
                )
            }
            Op::Load { source: Source::Param(param), guarded } => {
                let args = self.graph().args(node);
                let (index, guard) = match guarded {
                    true => (&args[..args.len() - 1], args.last().copied()),
                    false => (args, None),
                };
                let own = performed.iter().copied().find(|&write| {
                    let WriteKind::Own { axes, .. } = &writes[write].kind else { return false };
                    writes[write].target == Target::Edit(*param)
                        && index.iter().zip(axes).all(|(&arg, &axis)| self.graph().as_index(arg) == Some(axis))
                });
                match own {
                    Some(write) => Eval::Old { write, guard },
                    None => self.read(node),
                }
            }
            Op::Load { .. } => self.read(node),
            Op::Select => self.padded(node).map_or(Eval::Compute, |load| self.read(load)),
            _ => Eval::Compute,
        }
    }

    /// The load that a zero-select is, if it repeats the guard of a load that is 0 by itself where its guard does not hold.
    fn padded(&self, select: NodeId) -> Option<NodeId> {
        let graph = self.graph();
        let &[condition, load, otherwise] = graph.args(select) else { return None };
        let (Op::Load { source, guarded: true }, true) = (graph.op(load), graph.is_zero(otherwise)) else {
            return None;
        };
        let (&guard, index) = graph.args(load).split_last()?;
        let (_, rest) = self.clipped(self.direction.source_axes(*source), index, guard)?;
        let said = graph.conjuncts(guard);
        let repeats = graph.conjuncts(condition).iter().all(|condition| said.contains(condition));
        (rest.is_none() && repeats).then_some(load)
    }

    fn read(&mut self, load: NodeId) -> Eval {
        let (operand, index, guard) = self.operand(load);
        match self.operands[operand].index.contains(&Index::Dynamic) {
            true => Eval::Gather { operand, index, guard },
            false => Eval::Input { operand, guard },
        }
    }
}

impl Pass {
    /// The nodes whose values a node of the pass is computed from.
    pub fn children(&self, graph: &Graph, node: NodeId) -> Vec<NodeId> {
        children(graph, node, &self.nodes[&node])
    }
}

fn children(graph: &Graph, node: NodeId, eval: &Eval) -> Vec<NodeId> {
    match eval {
        Eval::Compute => graph.args(node).to_vec(),
        Eval::Input { guard, .. } | Eval::Old { guard, .. } => guard.iter().copied().collect(),
        Eval::Gather { index, guard, .. } => index.iter().chain(guard).copied().collect(),
        Eval::Row(_) | Eval::Body(_) => vec![],
    }
}

/// A root of the schedule that is an assertion.
fn check(root: &ir::Root) -> Check {
    match (root.target, &root.write) {
        (Target::Assertion(assertion), ir::Write::Dense { axes }) => {
            Check { assertion, axes: axes.clone(), condition: root.value }
        }
        _ => panic!("bug in the schedule: {:?} comes after an assertion", root.target),
    }
}

/// True if two axes always have the same number of elements.
fn same_extent(graph: &Graph, a: AxisId, b: AxisId) -> bool {
    let (a, b) = (graph.axis(a).extent, graph.axis(b).extent);
    let literal = |extent| match graph.extent(extent) {
        Extent::Literal(size) => Some(size),
        Extent::Declared | Extent::Computed(_) => None,
    };
    a == b || (literal(a).is_some() && literal(a) == literal(b))
}

/// Adds a member to a sorted list.
fn insert<M: Ord + Copy>(list: &mut Vec<M>, member: M) {
    if let Err(place) = list.binary_search(&member) {
        list.insert(place, member);
    }
}
