//! Edits in place: no read of an edited parameter may see a new value.
//!
//! Reads in earlier kernels are free. A read in the kernel that writes must be of the element that is written: in a write
//! over the parameter's own axes, or in the reductions of a row that holds the element, or, if the parameter has one
//! element per row, anywhere in that row. Kernels that read come before the kernel that writes.

use std::collections::HashMap;

use super::build::{Renaming, layout, rename};
use super::class::load_index;
use super::group::{Group, Grouping, Kind, Task, Work, write_axes};
use super::{Class, Conflict, ConflictReason};
use crate::ir::{AxisId, AxisSet, Graph, NodeId, Op, Root, Source, Target, Write};

/// Every read that could see a new value. `origins` maps expressions to those of the checked kernel.
pub(super) fn conflicts(graph: &Graph, grouping: &Grouping, origins: &HashMap<NodeId, NodeId>) -> Vec<Conflict> {
    let mut found: Vec<Conflict> = Vec::new();
    let mut report = |param: u32, read: NodeId, reason: ConflictReason| {
        let read = origins.get(&read).copied().unwrap_or(read);
        if !found.iter().any(|conflict| conflict.param == param && conflict.read == read) {
            found.push(Conflict { param, read, reason });
        }
    };
    for group in &grouping.groups {
        for (editor, _, param) in edits(grouping, group) {
            for (load, reason) in refusals(graph, grouping, group, editor, param) {
                report(param, load, reason);
            }
        }
    }
    for group in &grouping.cycle {
        for (editor, _, param) in edits(grouping, group) {
            for other in &grouping.cycle {
                for &reader in other.tasks.iter().filter(|&&reader| reader != editor) {
                    for load in reads(graph, &grouping.tasks[reader], param) {
                        report(param, load, ConflictReason::Cycle);
                    }
                }
            }
        }
    }
    found
}

/// The reads of a parameter that are illegal if a write of the same group replaces its elements.
pub(super) fn refusals(
    graph: &Graph,
    grouping: &Grouping,
    group: &Group,
    writer: usize,
    param: u32,
) -> Vec<(NodeId, ConflictReason)> {
    let Work::Write(root) = &grouping.tasks[writer].work else { unreachable!("a task that writes a root") };
    let renamings = layout(graph, grouping, group).renamings;
    let mut refused = Vec::new();
    for &reader in &group.tasks {
        for load in reads(graph, &grouping.tasks[reader], param) {
            let read = Read { task: &grouping.tasks[reader], load, renaming: &renamings[&reader] };
            let reason = refusal(graph, group, root, &renamings[&writer], &read);
            refused.extend(reason.map(|reason| (load, reason)));
        }
    }
    refused
}

/// A read in the kernel of an edit.
struct Read<'a> {
    task: &'a Task,
    load: NodeId,
    renaming: &'a Renaming,
}

/// The edits of a group: task, root and parameter.
fn edits<'a>(grouping: &'a Grouping, group: &'a Group) -> impl Iterator<Item = (usize, &'a Root, u32)> {
    group.tasks.iter().filter_map(|&position| match &grouping.tasks[position].work {
        Work::Write(root) => match root.target {
            Target::Edit(param) => Some((position, root, param)),
            Target::Output(_) | Target::Gradient(_) | Target::Saved(_) | Target::Temp(_) | Target::Assertion(_) => None,
        },
        Work::Reduction(_) | Work::Store(_) => None,
    })
}

/// The loads of a parameter in a task, in order.
pub(super) fn reads(graph: &Graph, task: &Task, param: u32) -> Vec<NodeId> {
    let of_param = |&load: &NodeId| matches!(graph.op(load), Op::Load { source: Source::Param(p), .. } if *p == param);
    let mut loads: Vec<NodeId> = task.loads.iter().copied().filter(of_param).collect();
    loads.sort_unstable();
    loads
}

/// Why a read is illegal beside an edit in the same kernel, if it is.
fn refusal(graph: &Graph, group: &Group, edit: &Root, names: &Renaming, read: &Read<'_>) -> Option<ConflictReason> {
    let Write::Dense { axes } = &edit.write else { return Some(ConflictReason::OtherElement) };
    let renamed = |axes: &[AxisId], names: &Renaming| axes.iter().map(|&axis| rename(axis, names)).collect::<Vec<_>>();
    let declared = renamed(axes, names);
    let index: Option<Vec<AxisId>> = load_index(graph, read.load).iter().map(|&index| graph.as_index(index)).collect();
    if index.map(|index| renamed(&index, read.renaming)).as_ref() != Some(&declared) {
        return Some(ConflictReason::OtherElement);
    }
    let declared: AxisSet = declared.into_iter().collect();
    let legal = match &group.kind {
        Kind::Pointwise { axes } => *axes == declared,
        // One element per row: it is read before the row ends and written when it ends.
        Kind::Reduce { free, .. } if *free == declared => true,
        Kind::Reduce { class: Class::Row | Class::StridedRow, .. } => match &read.task.work {
            // All levels of a row come before the writes over its elements.
            Work::Reduction(_) => true,
            Work::Store(_) => read.task.axes.len() == declared.len(),
            Work::Write(root) => write_axes(root).len() == declared.len(),
        },
        Kind::Reduce { .. } => false,
        Kind::Scatter => false,
    };
    (!legal).then_some(ConflictReason::Broadcast)
}
