//! Tasks, and which of them share a kernel.
//!
//! A *task* is one reduction, one stored array, or one root. A task *reads* the tasks whose results it needs. A *group*
//! is the set of tasks of one kernel, of one *kind*. Two groups may be joined if no path of reads leads from one to the
//! other through a third: a kernel can run neither before nor after itself. Because joins look at paths, not at stages,
//! a reduction is finished as late as a partner for it exists.
//!
//! An expression that is stored by a task of the same group is not read but computed where it is needed.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::Class;
use super::class::{classify, is_plain_load, load_index, own_nodes};
use super::contraction::Contractions;
use crate::ir::{AxisId, AxisSet, ExtentId, Graph, NodeId, Op, Reduction, Root, Source, Target, Write};

/// What a task finishes.
#[derive(Clone, Debug)]
pub(super) enum Work {
    /// A `Reduce` node.
    Reduction(NodeId),
    /// An expression that later kernels read as an array.
    Store(NodeId),
    /// A root.
    Write(Root),
}

/// One thing to finish.
#[derive(Clone, Debug)]
pub(super) struct Task {
    /// What it is.
    pub work: Work,
    /// Free axes of a reduction or a stored expression; the axes of a root.
    pub axes: AxisSet,
    /// Expressions that are evaluated for it.
    pub values: Vec<NodeId>,
    /// Tasks whose results they contain.
    pub reads: BTreeSet<usize>,
    /// Those of `reads` that are read as an array at another index, and so in a later kernel.
    pub array_reads: BTreeSet<usize>,
    /// Loads in them.
    pub loads: HashSet<NodeId>,
}

/// What the tasks of a group have in common.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Kind {
    /// Reductions of one class over `bound`, and writes that ride on them.
    Reduce { class: Class, free: AxisSet, bound: Vec<AxisId> },
    /// Writes over `axes`.
    Pointwise { axes: AxisSet },
    /// One scatter.
    Scatter,
}

/// The tasks of one kernel.
#[derive(Clone, Debug)]
pub(super) struct Group {
    pub kind: Kind,
    /// Positions of its tasks, ascending.
    pub tasks: Vec<usize>,
}

/// All tasks and their groups.
pub(super) struct Plan<'a> {
    graph: &'a Graph,
    tasks: Vec<Task>,
    /// The task that finishes a reduction or stores an expression.
    producer: HashMap<NodeId, usize>,
    /// Groups; a group without tasks was joined to another.
    groups: Vec<Group>,
    group_of: Vec<usize>,
    /// By task: tasks that must come before it, in its kernel or an earlier one, without being read.
    before: Vec<BTreeSet<usize>>,
}

impl<'a> Plan<'a> {
    /// Finds the tasks of `roots` and groups them.
    pub fn new(graph: &'a Graph, roots: &[Root], contractions: &Contractions) -> Self {
        let mut plan =
            Plan { graph, tasks: vec![], producer: HashMap::new(), groups: vec![], group_of: vec![], before: vec![] };
        plan.find_tasks(roots, &contractions.stored);
        plan.order_edits();
        plan.start_groups(contractions);
        plan.join_reductions();
        plan.attach_writes();
        plan.join_pointwise();
        plan
    }

    /// One task per reduction, stored expression and root, operands first.
    fn find_tasks(&mut self, roots: &[Root], stored: &HashSet<NodeId>) {
        let graph = self.graph;
        let mut works: Vec<(NodeId, Work)> = roots.iter().map(|root| (root.value, Work::Write(root.clone()))).collect();
        let values: Vec<NodeId> = roots.iter().flat_map(root_values).collect();
        for id in graph.reachable(&values) {
            let has_root = roots.iter().any(|root| is_array_root(root) && root.value == id);
            if matches!(graph.op(id), Op::Reduce { .. }) {
                works.push((id, Work::Reduction(id)));
            } else if stored.contains(&id) && !has_root && !is_trivial(graph, id) {
                works.push((id, Work::Store(id)));
            }
        }
        // A stable sort by value: a task comes after those it reads, roots of one value after what finishes it.
        works.sort_by_key(|(value, work)| (*value, matches!(work, Work::Write(_))));
        let mut array_roots = HashMap::new();
        for (position, (id, work)) in works.iter().enumerate() {
            let array = matches!(work, Work::Write(root) if is_array_root(root));
            if !matches!(work, Work::Write(_)) || array && !is_trivial(graph, *id) {
                self.producer.entry(*id).or_insert(position);
            }
            if let Work::Write(Root { target: Target::Temp(temp), .. }) = work {
                array_roots.insert(*temp, position);
            }
        }
        for (position, (id, work)) in works.into_iter().enumerate() {
            let (axes, values) = match &work {
                Work::Reduction(id) => (graph.axes(*id).clone(), graph.args(*id).to_vec()),
                Work::Store(id) => (graph.axes(*id).clone(), vec![*id]),
                Work::Write(root) => (write_axes(root).iter().copied().collect(), root_values(root)),
            };
            let (reads, array_reads, loads) = Default::default();
            let mut task = Task { work, axes, values, reads, array_reads, loads };
            // The producer of a stored expression looks into it; its other readers read it.
            let mine = self.producer.get(&id) == Some(&position);
            let mut stack = task.values.clone();
            let mut seen = HashSet::new();
            while let Some(next) = stack.pop() {
                if !seen.insert(next) {
                    continue;
                }
                match self.producer.get(&next) {
                    Some(&producer) if !(mine && next == id) => drop(task.reads.insert(producer)),
                    _ => stack.extend(graph.args(next)),
                }
                if let Op::Load { source, .. } = graph.op(next) {
                    task.loads.insert(next);
                    if let Source::Temp(temp) = source {
                        task.reads.insert(array_roots[temp]);
                        task.array_reads.insert(array_roots[temp]);
                    }
                }
            }
            self.tasks.push(task);
        }
    }

    /// Whoever reads an edited parameter comes before its edit, and a dense write before the scatters of its target.
    fn order_edits(&mut self) {
        let graph = self.graph;
        let mut before = vec![BTreeSet::new(); self.tasks.len()];
        for (position, task) in self.tasks.iter().enumerate() {
            let Work::Write(root) = &task.work else { continue };
            for (other, reader) in self.tasks.iter().enumerate().filter(|&(other, _)| other != position) {
                let reads = |&load: &NodeId| matches!(graph.op(load), Op::Load { source: Source::Param(p), .. } if Target::Edit(*p) == root.target);
                let dense =
                    matches!(&reader.work, Work::Write(first) if first.target == root.target && is_dense(first));
                if reader.loads.iter().any(reads) || dense && !is_dense(root) {
                    before[position].insert(other);
                }
            }
        }
        self.before = before;
    }

    /// One group per task.
    fn start_groups(&mut self, contractions: &Contractions) {
        for (position, task) in self.tasks.iter().enumerate() {
            let kind = match &task.work {
                Work::Reduction(id) => {
                    let Op::Reduce { axes, .. } = self.graph.op(*id) else { unreachable!("a reduction task") };
                    let class = classify(self.graph, *id, &contractions.forms);
                    Kind::Reduce { class, free: task.axes.clone(), bound: axes.clone() }
                }
                Work::Write(root) if !is_dense(root) => Kind::Scatter,
                _ => Kind::Pointwise { axes: task.axes.clone() },
            };
            self.groups.push(Group { kind, tasks: vec![position] });
            self.group_of.push(position);
        }
    }

    /// Joins reductions of one class over the same axes: levels of a row, or independent reductions of a column.
    fn join_reductions(&mut self) {
        for early in 0..self.groups.len() {
            for late in (early + 1..self.groups.len()).rev() {
                let (
                    Kind::Reduce { class, free, bound },
                    Kind::Reduce { class: other_class, free: other_free, bound: other_bound },
                ) = (&self.groups[early].kind, &self.groups[late].kind)
                else {
                    continue;
                };
                let levels = matches!(class, Class::Row | Class::StridedRow);
                let single = matches!(class, Class::Column | Class::Full);
                let same = class == other_class && free == other_free && self.same_bound(bound, other_bound);
                if !(same && (levels || single && !self.is_adjacent(early, late)) && self.same_positions(early, late)) {
                    continue;
                }
                // Stored expressions between two levels of a row are computed on the way.
                let between = self.between(early, late);
                let joins = |&group: &usize| {
                    levels
                        && matches!(self.groups[group].kind, Kind::Pointwise { .. })
                        && self.groups[group].tasks.iter().all(|&task| self.fits(task, early))
                        && !self.is_apart(group, early)
                        && !self.is_apart(group, late)
                };
                if between.iter().all(joins) && !self.is_apart(early, late) {
                    between.into_iter().for_each(|group| self.join(group, late));
                    self.join(early, late);
                    break;
                }
            }
        }
    }

    /// Writes join the last reductions that they need, or reductions that go through the same arrays.
    fn attach_writes(&mut self) {
        for position in 0..self.tasks.len() {
            let home = self.group_of[position];
            if !matches!(self.groups[home].kind, Kind::Pointwise { .. }) {
                continue;
            }
            let fits: Vec<usize> = (0..self.groups.len())
                .filter(|&group| self.fits(position, group) && self.may_join(group, home))
                .collect();
            let needed = fits.iter().rev().find(|&&group| self.needs(position, group));
            let shared = fits.iter().rev().find(|&&group| self.shares(position, group));
            if let Some(&group) = needed.or(shared) {
                self.join(home, group);
            }
        }
    }

    /// Pointwise writes over the same axes share a kernel.
    fn join_pointwise(&mut self) {
        for early in 0..self.groups.len() {
            for late in (early + 1..self.groups.len()).rev() {
                let (Kind::Pointwise { axes }, Kind::Pointwise { axes: other }) =
                    (&self.groups[early].kind, &self.groups[late].kind)
                else {
                    continue;
                };
                let present = !self.groups[early].tasks.is_empty() && !self.groups[late].tasks.is_empty();
                if present && axes == other && self.keeps_edits(early, late) && self.may_join(early, late) {
                    self.join(early, late);
                    break;
                }
            }
        }
    }

    /// True if a write over the task's axes is possible in a kernel of the group.
    fn fits(&self, position: usize, group: usize) -> bool {
        let Kind::Reduce { class, free, bound } = &self.groups[group].kind else { return false };
        if self.groups[group].tasks.is_empty() {
            return false;
        }
        let axes = &self.tasks[position].axes;
        let inner: Vec<AxisId> = axes.difference(free).iter().collect();
        if *axes == *free {
            true
        } else if free.is_subset(axes) && self.same_bound(bound, &inner) {
            match class {
                Class::Row | Class::StridedRow => true,
                // A column ends long after its elements were seen.
                Class::Column => !self.needs_reduction(position, group),
                _ => false,
            }
        } else {
            false
        }
    }

    /// True if the task reads a result of the group.
    fn needs(&self, position: usize, group: usize) -> bool {
        self.tasks[position].reads.iter().any(|&read| self.group_of[read] == group)
    }

    /// True if the task, or a task of the group that it reads, reads a reduction of the group.
    fn needs_reduction(&self, position: usize, group: usize) -> bool {
        self.tasks[position].reads.iter().any(|&read| {
            self.group_of[read] == group
                && (matches!(self.tasks[read].work, Work::Reduction(_)) || self.needs_reduction(read, group))
        })
    }

    /// True if the task costs the group no further traversal of an array.
    fn shares(&self, position: usize, group: usize) -> bool {
        let task = &self.tasks[position];
        let edit = matches!(&task.work, Work::Write(root) if matches!(root.target, Target::Edit(_)));
        let class = match &self.groups[group].kind {
            Kind::Reduce { class, .. } => *class,
            _ => return false,
        };
        if edit || matches!(class, Class::Contraction | Class::Tiled) {
            return false;
        }
        let varies = |load: &&NodeId| !self.graph.axes(**load).is_empty();
        self.keeps_edits(self.group_of[position], group)
            && self.groups[group].tasks.iter().any(|&other| {
                self.tasks[other].reads.contains(&position)
                    || self.tasks[other].loads.intersection(&task.loads).any(|load| varies(&load))
            })
    }

    /// True if no task of one group reads, at another index, what the other group edits.
    fn keeps_edits(&self, a: usize, b: usize) -> bool {
        let keeps = |editors: usize, readers: usize| {
            self.groups[editors].tasks.iter().all(|&position| {
                let Work::Write(Root { target: Target::Edit(p), write: Write::Dense { axes }, .. }) =
                    &self.tasks[position].work
                else {
                    return true;
                };
                self.groups[readers].tasks.iter().all(|&reader| {
                    let mut loads = self.tasks[reader].loads.iter();
                    loads.all(|&load| {
                        !matches!(self.graph.op(load), Op::Load { source: Source::Param(q), .. } if q == p)
                            || is_own(self.graph, load, axes)
                    })
                })
            })
        };
        keeps(a, b) && keeps(b, a)
    }

    /// True if the axes have the same extents, so that one can be renamed to the other.
    fn same_bound(&self, a: &[AxisId], b: &[AxisId]) -> bool {
        let extents = |axes: &[AxisId]| {
            let mut extents: Vec<ExtentId> = axes.iter().map(|&axis| self.graph.axis(axis).extent).collect();
            extents.sort_unstable();
            extents
        };
        extents(a) == extents(b)
    }

    /// True unless positions over different axis orders are asked for.
    fn same_positions(&self, a: usize, b: usize) -> bool {
        match (self.position_order(a), self.position_order(b)) {
            (Some(a), Some(b)) => a == b,
            _ => true,
        }
    }

    /// The axes over which a group finds positions, in the order in which they count.
    fn position_order(&self, group: usize) -> Option<&'a [AxisId]> {
        self.groups[group].tasks.iter().find_map(|&position| position_axes(self.graph, &self.tasks[position]))
    }

    /// The groups that must come before a group.
    fn earlier(&self, group: usize) -> BTreeSet<usize> {
        let tasks = self.groups[group].tasks.iter();
        tasks
            .flat_map(|&position| self.tasks[position].reads.iter().chain(&self.before[position]))
            .map(|&read| self.group_of[read])
            .filter(|&other| other != group)
            .collect()
    }

    /// True if one of two groups reads the other.
    fn is_adjacent(&self, a: usize, b: usize) -> bool {
        self.earlier(a).contains(&b) || self.earlier(b).contains(&a)
    }

    /// True if no path of reads joins two groups through a third, and neither reads an array of the other.
    fn may_join(&self, a: usize, b: usize) -> bool {
        !self.is_apart(a, b) && self.between(a, b).is_empty()
    }

    /// True if one of two groups reads an array of the other at another index than it is written.
    fn is_apart(&self, a: usize, b: usize) -> bool {
        let reads = |from: usize, to: usize| {
            let mut tasks = self.groups[from].tasks.iter();
            tasks.any(|&task| self.tasks[task].array_reads.iter().any(|&read| self.group_of[read] == to))
        };
        reads(a, b) || reads(b, a)
    }

    /// The groups on paths of reads from one group to the other.
    fn between(&self, a: usize, b: usize) -> BTreeSet<usize> {
        let mut found = BTreeSet::new();
        for (from, to) in [(a, b), (b, a)] {
            let starts = self.earlier(from).into_iter().filter(|&next| next != to);
            found.extend(starts.filter(|&next| self.reaches(next, from, to)));
        }
        // What lies behind a first step is found from that step.
        let mut stack: Vec<usize> = found.iter().copied().collect();
        while let Some(group) = stack.pop() {
            for next in self.earlier(group) {
                let inside = next != a && next != b && !found.contains(&next);
                if inside && (self.reaches(next, a, b) || self.reaches(next, b, a)) {
                    found.insert(next);
                    stack.push(next);
                }
            }
        }
        found
    }

    /// True if a path of reads leads from `start` to `goal` without `barred`.
    fn reaches(&self, start: usize, barred: usize, goal: usize) -> bool {
        let mut stack = vec![start];
        let mut seen = HashSet::new();
        while let Some(group) = stack.pop() {
            if group == goal {
                return true;
            }
            if group != barred && seen.insert(group) {
                stack.extend(self.earlier(group));
            }
        }
        false
    }

    /// Moves the tasks of `from` to `into`.
    fn join(&mut self, from: usize, into: usize) {
        let tasks = std::mem::take(&mut self.groups[from].tasks);
        for &task in &tasks {
            self.group_of[task] = into;
        }
        self.groups[into].tasks.extend(tasks);
        self.groups[into].tasks.sort_unstable();
    }

    /// The groups in an order of execution, and the groups left over, which need each other.
    pub fn finish(self) -> Grouping {
        let mut open: Vec<usize> =
            (0..self.groups.len()).filter(|&group| !self.groups[group].tasks.is_empty()).collect();
        open.sort_by_key(|&group| self.groups[group].tasks[0]);
        let mut order: Vec<usize> = Vec::new();
        while let Some(place) =
            open.iter().position(|&group| self.earlier(group).iter().all(|other| order.contains(other)))
        {
            order.push(open.remove(place));
        }
        let cycle = open.iter().map(|&group| self.groups[group].clone()).collect();
        let groups: Vec<Group> = order.iter().map(|&group| self.groups[group].clone()).collect();
        let mut group_of = vec![usize::MAX; self.tasks.len()];
        for (position, group) in groups.iter().enumerate() {
            group.tasks.iter().for_each(|&task| group_of[task] = position);
        }
        Grouping { tasks: self.tasks, producer: self.producer, groups, group_of, cycle }
    }
}

/// The tasks of every kernel, in order of execution.
pub(super) struct Grouping {
    pub tasks: Vec<Task>,
    /// The task that finishes a reduction or stores an expression.
    pub producer: HashMap<NodeId, usize>,
    pub groups: Vec<Group>,
    /// By task: its place in `groups`.
    pub group_of: Vec<usize>,
    /// Groups without an order: each edits what another still reads.
    pub cycle: Vec<Group>,
}

/// The axes over which an `argmax` or `argmin` finds a position, if there are several: their order counts.
pub(super) fn position_axes<'a>(graph: &'a Graph, task: &Task) -> Option<&'a [AxisId]> {
    match task.work {
        Work::Reduction(id) => match graph.op(id) {
            Op::Reduce { op: Reduction::ArgMax | Reduction::ArgMin, axes } if axes.len() > 1 => Some(axes),
            _ => None,
        },
        _ => None,
    }
}

/// The expressions of a root.
pub(super) fn root_values(root: &Root) -> Vec<NodeId> {
    let mut values = vec![root.value];
    if let Write::Scatter { index, guard, .. } = &root.write {
        values.extend(index.iter().chain(guard));
    }
    values
}

/// The axes that a root iterates.
pub(super) fn write_axes(root: &Root) -> &[AxisId] {
    match &root.write {
        Write::Dense { axes } => axes,
        Write::Scatter { over, .. } => over,
    }
}

/// True if a root writes an array that later kernels of its schedule may read.
fn is_array_root(root: &Root) -> bool {
    matches!(root.target, Target::Saved(_) | Target::Temp(_))
}

/// True if a root writes every element.
fn is_dense(root: &Root) -> bool {
    matches!(root.write, Write::Dense { .. })
}

/// True if a load reads at exactly these axes.
pub(super) fn is_own(graph: &Graph, load: NodeId, axes: &[AxisId]) -> bool {
    let index = load_index(graph, load);
    index.len() == axes.len() && index.iter().zip(axes).all(|(&index, &axis)| graph.as_index(index) == Some(axis))
}

/// True for expressions that no array can make cheaper: uniform ones and arrays at their own index.
fn is_trivial(graph: &Graph, id: NodeId) -> bool {
    let mut uniform = true;
    own_nodes(graph, &[id], |node| uniform &= matches!(graph.op(node), Op::Const(_) | Op::Scalar(_) | Op::Size(_)));
    uniform || is_plain_load(graph, id)
}
