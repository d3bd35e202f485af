//! Donated parameters: which outputs may take their storage.
//!
//! An output takes the storage of a parameter of its element and its axes if writing it is a legal edit of the parameter
//! where the schedule already stands: nothing is reordered for it, and what is no legal edit is a fresh array instead of a
//! mistake.

use super::Donation;
use super::group::{Grouping, Work};
use super::in_place::{reads, refusals};
use crate::ir::{Graph, Intent, Kernel, Target, Write};

/// Every output that may take the storage of a parameter, in the order of parameters, then of outputs. Whether the
/// storage is unique, and which output takes it, is known at the call.
pub(super) fn donations(kernel: &Kernel, grouping: &Grouping) -> Vec<Donation> {
    let mut found = Vec::new();
    for (param, tensor) in kernel.tensors.iter().enumerate().filter(|(_, tensor)| tensor.intent == Intent::Donate) {
        for (output, declared) in kernel.outputs.iter().enumerate() {
            let fits = declared.elem == tensor.elem && declared.axes == tensor.axes;
            let donation = Donation { param: param as u32, output: output as u32 };
            if fits && is_legal(&kernel.graph, grouping, donation) {
                found.push(donation);
            }
        }
    }
    found
}

/// True if no read of the parameter could see the output.
fn is_legal(graph: &Graph, grouping: &Grouping, donation: Donation) -> bool {
    let writes = |task: &usize| match &grouping.tasks[*task].work {
        Work::Write(root) => {
            root.target == Target::Output(donation.output) && matches!(root.write, Write::Dense { .. })
        }
        Work::Reduction(_) | Work::Store(_) => false,
    };
    let place = grouping.groups.iter().enumerate().find_map(|(position, group)| {
        let writer = group.tasks.iter().copied().find(writes)?;
        Some((position, group, writer))
    });
    let Some((position, group, writer)) = place else { return false };
    let mut later = grouping.groups[position + 1..].iter().flat_map(|group| &group.tasks);
    let is_read_later = later.any(|&task| !reads(graph, &grouping.tasks[task], donation.param).is_empty());
    !is_read_later && refusals(graph, grouping, group, writer, donation.param).is_empty()
}
