//! From groups of tasks to kernels: arrays, axis names and orders, and the expressions of each kernel.
//!
//! Within a kernel every reduction binds the same axes, so the axes of the tasks are renamed to those of the first write
//! over free and reduced axes. What another kernel finishes is replaced by a load of its array.

use std::collections::{BTreeSet, HashMap};

use super::class::{natural_order, own_nodes};
use super::contraction::Form;
use super::group::{Group, Grouping, Kind, Task, Work, position_axes, root_values, write_axes};
use super::{Class, Contraction, Kernel, Schedule, Temp};
use crate::ir::{AxisId, Graph, NodeId, Op, Root, Source, Target, Ty, Write};

/// New names of axes.
pub(super) type Renaming = Vec<(AxisId, AxisId)>;

/// An array of the schedule, under the names of the expression that it holds.
#[derive(Clone)]
struct Stored {
    target: Target,
    axes: Vec<AxisId>,
    /// A root writes it; else the task that finishes the expression does.
    own_root: bool,
}

/// Makes the kernels of a grouping.
pub(super) fn kernels(graph: &mut Graph, grouping: &Grouping, forms: &HashMap<NodeId, Form>) -> Schedule {
    let mut builder = Builder { graph, grouping, forms, arrays: HashMap::new(), renumbered: HashMap::new() };
    let mut schedule = Schedule::default();
    builder.find_arrays(&mut schedule);
    for position in 0..grouping.groups.len() {
        let kernel = builder.kernel(position, &mut schedule);
        // What is computed where it is needed needs no array, and a group may consist of nothing else.
        if !kernel.levels.is_empty() || !kernel.writes.is_empty() {
            schedule.kernels.push(kernel);
        }
    }
    schedule
}

struct Builder<'a> {
    graph: &'a mut Graph,
    grouping: &'a Grouping,
    forms: &'a HashMap<NodeId, Form>,
    /// By expression: where kernels other than its own find it.
    arrays: HashMap<NodeId, Stored>,
    /// Temps of the derivative, by their old positions.
    renumbered: HashMap<u32, u32>,
}

/// How a group names and orders its axes.
pub(super) struct Layout {
    /// Free axes, outermost first.
    pub free: Vec<AxisId>,
    /// Reduced axes, outermost first.
    pub reduced: Vec<AxisId>,
    /// By task of the group: how its axes are renamed.
    pub renamings: HashMap<usize, Renaming>,
}

impl Builder<'_> {
    /// Gives an array to every expression that another kernel reads.
    fn find_arrays(&mut self, schedule: &mut Schedule) {
        let Grouping { tasks, producer, groups, group_of, .. } = self.grouping;
        let mut readers: HashMap<usize, BTreeSet<usize>> = HashMap::new();
        for (position, task) in tasks.iter().enumerate() {
            for &read in &task.reads {
                if group_of[read] != group_of[position] {
                    readers.entry(read).or_default().insert(group_of[position]);
                }
            }
        }
        // Residuals and the temps of the derivative come with an array and its axes.
        let mut given: HashMap<NodeId, usize> = HashMap::new();
        for (position, task) in tasks.iter().enumerate() {
            let Work::Write(root) = &task.work else { continue };
            let Write::Dense { axes } = &root.write else { continue };
            let finished_at = producer.get(&root.value).copied().unwrap_or(position);
            let (target, read) = match root.target {
                Target::Saved(_) => (root.target, true),
                Target::Temp(_) if !readers.contains_key(&position) && !readers.contains_key(&finished_at) => continue,
                Target::Temp(old) => {
                    let new = add_temp(schedule, axes, self.graph.ty(root.value));
                    self.renumbered.insert(old, new);
                    (Target::Temp(new), true)
                }
                Target::Output(_) | Target::Edit(_) | Target::Gradient(_) | Target::Assertion(_) => {
                    (root.target, false)
                }
            };
            if read && given.insert(root.value, position).is_none() {
                self.arrays.insert(root.value, Stored { target, axes: axes.clone(), own_root: true });
            }
        }
        for group in groups {
            for &position in &group.tasks {
                let (Work::Reduction(id) | Work::Store(id)) = tasks[position].work else { continue };
                let Some(first) = readers.get(&position).and_then(BTreeSet::first) else { continue };
                if !given.contains_key(&id) {
                    let axes = self.temp_axes(id, group, &groups[*first]);
                    let target = Target::Temp(add_temp(schedule, &axes, self.graph.ty(id)));
                    self.arrays.insert(id, Stored { target, axes, own_root: false });
                }
            }
        }
    }

    /// The axes of a temp: as a reader along rows likes them, else as its kernel writes them.
    fn temp_axes(&self, value: NodeId, writer: &Group, reader: &Group) -> Vec<AxisId> {
        let axes = self.graph.axes(value);
        let group = match &reader.kind {
            Kind::Reduce { class: Class::Row, bound, .. } if !axes.is_disjoint(&bound.iter().copied().collect()) => {
                reader
            }
            _ => writer,
        };
        let Layout { free, reduced, .. } = layout(self.graph, self.grouping, group);
        let mut order: Vec<AxisId> = free.into_iter().chain(reduced).filter(|&axis| axes.contains(axis)).collect();
        order.extend(axes.iter().filter(|axis| !order.contains(axis)).collect::<Vec<_>>());
        order
    }

    fn kernel(&mut self, position: usize, schedule: &mut Schedule) -> Kernel {
        let grouping = self.grouping;
        let group = &grouping.groups[position];
        let Layout { free, reduced, renamings } = layout(self.graph, grouping, group);
        let mut rewriter = Rewriter { builder: self, group: position, bound: reduced.clone(), memory: HashMap::new() };
        let mut reductions: Vec<NodeId> = Vec::new();
        let mut writes: Vec<Root> = Vec::new();
        let mut contraction = None;
        for &index in &group.tasks {
            let task = &grouping.tasks[index];
            let renaming = &renamings[&index];
            match &task.work {
                Work::Reduction(id) => {
                    let reduction = rewriter.rewrite(*id, renaming);
                    if !reductions.contains(&reduction) {
                        reductions.push(reduction);
                    }
                    if let Some(form) = rewriter.builder.forms.get(id) {
                        let (lhs, rhs) = (rewriter.rewrite(form.lhs, renaming), rewriter.rewrite(form.rhs, renaming));
                        contraction = Some(Form { lhs, rhs, guarded: form.guarded });
                    }
                    writes.extend(rewriter.store(*id, renaming));
                }
                Work::Store(id) => writes.extend(rewriter.store(*id, renaming)),
                Work::Write(root) => writes.extend(rewriter.root(root, renaming)),
            }
        }
        writes.sort_by_key(|root| rank(root.target));
        let class = match &group.kind {
            Kind::Reduce { class, .. } => *class,
            Kind::Pointwise { .. } => Class::Pointwise,
            Kind::Scatter => Class::Scatter,
        };
        let graph = &*self.graph;
        let contraction = contraction.map(|form| operands(graph, &free, &form));
        let levels = levels(graph, reductions);
        for root in &writes {
            // Temps are declared with the names under which they are written.
            if let (Target::Temp(temp), Write::Dense { axes }) = (root.target, &root.write) {
                schedule.temps[temp as usize].axes.clone_from(axes);
            }
        }
        Kernel { class, free, reduced, levels, writes, contraction }
    }
}

/// The sides of a contraction; the one that owns the first free axis of its own is the left one.
fn operands(graph: &Graph, free: &[AxisId], form: &Form) -> Contraction {
    let Form { lhs, rhs, guarded } = *form;
    let sides = |lhs: NodeId, rhs: NodeId| {
        let (left, right) = (graph.axes(lhs), graph.axes(rhs));
        let of = |in_left: bool, in_right: bool| {
            let keeps = |axis: &AxisId| left.contains(*axis) == in_left && right.contains(*axis) == in_right;
            free.iter().copied().filter(keeps).collect::<Vec<_>>()
        };
        Contraction { lhs, rhs, batch: of(true, true), m: of(true, false), n: of(false, true), guarded }
    };
    let contraction = sides(lhs, rhs);
    let place = |side: &[AxisId]| free.iter().position(|axis| side.contains(axis));
    match place(&contraction.m) <= place(&contraction.n) {
        true => contraction,
        false => sides(rhs, lhs),
    }
}

/// A new temp.
fn add_temp(schedule: &mut Schedule, axes: &[AxisId], ty: Ty) -> u32 {
    schedule.temps.push(Temp { axes: axes.to_vec(), ty });
    schedule.temps.len() as u32 - 1
}

/// Reductions by the number of reductions that their bodies need, one after the other.
fn levels(graph: &Graph, mut reductions: Vec<NodeId>) -> Vec<Vec<NodeId>> {
    reductions.sort_unstable();
    let mut level_of: HashMap<NodeId, usize> = HashMap::new();
    let mut levels: Vec<Vec<NodeId>> = Vec::new();
    for reduction in reductions {
        let mut level = 0;
        own_nodes(graph, graph.args(reduction), |id| {
            if let Some(&inner) = level_of.get(&id) {
                level = level.max(inner + 1);
            }
        });
        level_of.insert(reduction, level);
        levels.resize(levels.len().max(level + 1), Vec::new());
        levels[level].push(reduction);
    }
    levels
}

/// The axes of a group's kernel.
pub(super) fn layout(graph: &Graph, grouping: &Grouping, group: &Group) -> Layout {
    let tasks: Vec<(usize, &Task)> = group.tasks.iter().map(|&index| (index, &grouping.tasks[index])).collect();
    let mut written: Vec<&Root> = Vec::new();
    for (_, task) in &tasks {
        if let Work::Write(root) = &task.work {
            written.push(root);
        }
    }
    written.sort_by_key(|root| rank(root.target));
    let values: Vec<NodeId> = tasks.iter().flat_map(|(_, task)| task.values.iter().copied()).collect();
    let (free, bound) = match &group.kind {
        Kind::Reduce { free, bound, .. } => (free.clone(), bound.clone()),
        Kind::Pointwise { axes } => (axes.clone(), vec![]),
        Kind::Scatter => (written.iter().flat_map(|root| write_axes(root).iter().copied()).collect(), vec![]),
    };
    let order = match written.first() {
        Some(root) => write_axes(root).iter().copied().filter(|&axis| free.contains(axis)).collect(),
        None => natural_order(graph, &values, &free),
    };
    // The names and, if possible, the order of the first write over free and reduced axes.
    let inner_root = written.iter().find(|root| write_axes(root).len() > free.len());
    let inner_store = tasks.iter().find(|(_, task)| task.axes.len() > free.len());
    let names: Vec<AxisId> = match (inner_root, inner_store) {
        _ if bound.is_empty() => vec![],
        (Some(root), _) => write_axes(root).iter().copied().filter(|&axis| !free.contains(axis)).collect(),
        (None, Some((_, task))) => task.axes.difference(&free).iter().collect(),
        (None, None) => bound,
    };
    let mut renamings = HashMap::new();
    let mut reduced = None;
    let mut positions = None;
    for &(index, task) in &tasks {
        let renaming = match &task.work {
            Work::Reduction(id) => {
                let Op::Reduce { axes, .. } = graph.op(*id) else { unreachable!("a reduction task") };
                let renaming = matching(graph, axes, &names);
                let order = natural_order(graph, graph.args(*id), &axes.iter().copied().collect());
                reduced.get_or_insert_with(|| rename_all(&order, &renaming));
                if let Some(axes) = position_axes(graph, task) {
                    positions = Some(rename_all(axes, &renaming));
                }
                renaming
            }
            _ => matching(graph, &task.axes.difference(&free).iter().collect::<Vec<_>>(), &names),
        };
        renamings.insert(index, renaming);
    }
    let written_order = inner_root.map(|_| names);
    let reduced = positions.or(written_order).or(reduced).unwrap_or_default();
    Layout { free: order, reduced, renamings }
}

/// The order of writes: results, residuals, temps, assertions.
fn rank(target: Target) -> (u8, u32) {
    match target {
        Target::Output(position) => (0, position),
        Target::Edit(position) | Target::Gradient(position) => (1, position),
        Target::Saved(position) => (2, position),
        Target::Temp(position) => (3, position),
        Target::Assertion(position) => (4, position),
    }
}

/// Renames axes to others of the same extents; equal ones keep their names.
fn matching(graph: &Graph, axes: &[AxisId], names: &[AxisId]) -> Renaming {
    let mut left: Vec<AxisId> = names.iter().copied().filter(|name| !axes.contains(name)).collect();
    let mut renaming = Vec::new();
    for &axis in axes.iter().filter(|axis| !names.contains(axis)) {
        let extent = graph.axis(axis).extent;
        if let Some(place) = left.iter().position(|&name| graph.axis(name).extent == extent) {
            renaming.push((axis, left.remove(place)));
        }
    }
    renaming
}

/// The new name of an axis.
pub(super) fn rename(axis: AxisId, renaming: &[(AxisId, AxisId)]) -> AxisId {
    renaming.iter().find(|(old, _)| *old == axis).map_or(axis, |&(_, new)| new)
}

fn rename_all(axes: &[AxisId], renaming: &[(AxisId, AxisId)]) -> Vec<AxisId> {
    axes.iter().map(|&axis| rename(axis, renaming)).collect()
}

/// Brings expressions into one kernel.
struct Rewriter<'a, 'b> {
    builder: &'a mut Builder<'b>,
    group: usize,
    bound: Vec<AxisId>,
    memory: HashMap<(NodeId, Renaming), NodeId>,
}

impl Rewriter<'_, '_> {
    /// The write of an expression that another kernel reads.
    fn store(&mut self, id: NodeId, renaming: &Renaming) -> Option<Root> {
        let Stored { target, axes, own_root } = self.builder.arrays.get(&id)?.clone();
        if own_root {
            return None;
        }
        let value = self.rewrite(id, renaming);
        Some(Root { target, write: Write::Dense { axes: rename_all(&axes, renaming) }, value })
    }

    /// A root; none for a temp that no other kernel reads.
    fn root(&mut self, root: &Root, renaming: &Renaming) -> Option<Root> {
        let target = match root.target {
            Target::Temp(old) => Target::Temp(*self.builder.renumbered.get(&old)?),
            other => other,
        };
        let values: Vec<NodeId> = root_values(root).into_iter().map(|id| self.rewrite(id, renaming)).collect();
        let write = match &root.write {
            Write::Dense { axes } => Write::Dense { axes: rename_all(axes, renaming) },
            Write::Scatter { index, over, op, guard } => Write::Scatter {
                index: values[1..=index.len()].to_vec(),
                over: rename_all(over, renaming),
                op: *op,
                guard: guard.map(|_| values[index.len() + 1]),
            },
        };
        Some(Root { target, write, value: values[0] })
    }

    /// The expression in this kernel, with new names for some of its free axes.
    fn rewrite(&mut self, id: NodeId, renaming: &Renaming) -> NodeId {
        let graph = &*self.builder.graph;
        let here: Renaming = renaming.iter().copied().filter(|&(old, _)| graph.axes(id).contains(old)).collect();
        let key = (id, here);
        if let Some(&done) = self.memory.get(&key) {
            return done;
        }
        let new = self.rewrite_new(id, &key.1);
        self.memory.insert(key, new);
        new
    }

    fn rewrite_new(&mut self, id: NodeId, renaming: &Renaming) -> NodeId {
        let grouping = self.builder.grouping;
        if let Some(&task) = grouping.producer.get(&id)
            && grouping.group_of[task] != self.group
        {
            let Stored { target, axes, .. } = self.builder.arrays[&id].clone();
            let source = match target {
                Target::Temp(temp) => Source::Temp(temp),
                Target::Saved(saved) => Source::Saved(saved),
                other => unreachable!("{other:?} is not read"),
            };
            let graph = &mut *self.builder.graph;
            return graph.load_own(source, &rename_all(&axes, renaming), graph.ty(id));
        }
        let node = self.builder.graph.node(id).clone();
        let (op, inner) = match node.op {
            Op::Index(axis) => return self.builder.graph.index(rename(axis, renaming)),
            Op::Reduce { op, axes } => {
                let mut inner = matching(self.builder.graph, &axes, &self.bound);
                let axes = rename_all(&axes, &inner);
                inner.extend(renaming);
                (Op::Reduce { op, axes }, inner)
            }
            Op::Load { source: Source::Temp(old), guarded } => {
                (Op::Load { source: Source::Temp(self.builder.renumbered[&old]), guarded }, renaming.clone())
            }
            op => (op, renaming.clone()),
        };
        let args: Vec<NodeId> = node.args.iter().map(|&arg| self.rewrite(arg, &inner)).collect();
        self.builder.graph.intern(op, args, node.ty)
    }
}
