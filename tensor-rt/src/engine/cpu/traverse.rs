//! The traversal of a plan: which threads run which groups.
//!
//! Small launches and scatters run on the calling thread. Many groups are divided among the threads; a few large groups
//! are done one after the other, each pass of them divided by leaves.
//!
//! Invariant: a division among threads changes no result: groups are independent, and subtrees of leaves combine to the
//! same bits (see [`super::partial`]).

use std::sync::Mutex;

use rayon::prelude::*;

use super::executor::{Executor, Found};
use super::plan::{Mode, Plan};
use crate::kernel::program::PassKind;

/// Work that is worth a second thread, in vector instructions for each point ([`Pass::cost`]): waking a thread that sleeps
/// takes some 20 microseconds.
///
/// [`Pass::cost`]: crate::kernel::program::Pass::cost
const PARALLEL_WORK: usize = 5 << 18;
/// Least work of a task.
const TASK_WORK: usize = 1 << 18;
/// Tasks per thread, so that an uneven machine stays busy.
const TASKS_PER_THREAD: usize = 4;

/// Runs all groups; gives the lowest fault.
pub(super) fn run(plan: &Plan<'_>) -> Option<Found> {
    let points = plan.free_points() * plan.reduced_points().max(1);
    let cost = plan.launch.kernel.passes.iter().map(|pass| pass.cost).sum();
    let groups = plan.groups.blocks;
    let tasks = if plan.scatters() { 1 } else { tasks(points, cost) };
    if tasks == 1 {
        return run_groups(plan, 0, groups);
    }
    if groups < 2 * rayon::current_num_threads() && plan.mode != Mode::Pointwise {
        return run_divided(plan, tasks);
    }
    let tasks = tasks.min(groups);
    (0..tasks)
        .into_par_iter()
        .map(|task| run_groups(plan, groups * task / tasks, groups * (task + 1) / tasks))
        .reduce(|| None, Found::lower)
}

/// The number of tasks that so many points of a cost are divided into.
pub(super) fn tasks(points: usize, cost: u16) -> usize {
    let work = points.saturating_mul(usize::from(cost));
    if work < PARALLEL_WORK {
        return 1;
    }
    match rayon::current_num_threads() {
        1 => 1,
        threads => (work / TASK_WORK).clamp(1, threads * TASKS_PER_THREAD),
    }
}

fn run_groups(plan: &Plan<'_>, first: usize, end: usize) -> Option<Found> {
    let mut executor = Executor::new(plan);
    for group in first..end {
        executor.run_group(group);
    }
    executor.fault
}

/// Runs group after group, each divided among the threads.
fn run_divided(plan: &Plan<'_>, tasks: usize) -> Option<Found> {
    let mut leader = Executor::new(plan);
    for group in 0..plan.groups.blocks {
        leader.enter(group);
        if !plan.has_elements() || leader.has_whole_rows() || leader.leaves() < 2 {
            leader.run_group(group);
            continue;
        }
        for row in 0..leader.split_rows() {
            for pass in 0..plan.launch.kernel.passes.len() {
                if plan.launch.kernel.passes[pass].kind != PassKind::Outer {
                    run_pass_divided(plan, &mut leader, group, row, pass, tasks);
                }
            }
        }
        leader.finish_group();
    }
    leader.fault
}

fn run_pass_divided(plan: &Plan<'_>, leader: &mut Executor<'_>, group: usize, row: usize, pass: usize, tasks: usize) {
    let leaves = leader.leaves();
    // Chunks of `2^height` leaves are whole subtrees.
    let height = leaves.div_ceil(tasks).next_power_of_two().ilog2() as usize;
    let chunks = leaves.div_ceil(1 << height);
    let rows = leader.rows();
    let faults = Mutex::new(None);
    let worker = || {
        let mut worker = Executor::new(plan);
        worker.enter(group);
        worker.copy_rows(&rows);
        worker
    };
    let partials: Vec<_> = (0..chunks)
        .into_par_iter()
        .map_init(worker, |worker, chunk| {
            worker.run_leaves(pass, row, chunk << height..leaves.min((chunk + 1) << height));
            if worker.fault.is_some() {
                let mut faults = faults.lock().expect("bug: a pass panicked");
                *faults = Found::lower(*faults, worker.fault);
            }
            worker.take_partials(pass)
        })
        .collect();
    for partial in partials {
        leader.push_partials(pass, partial, height);
    }
    leader.finish_level(pass, row);
    leader.fault = Found::lower(leader.fault, faults.into_inner().expect("bug: a pass panicked"));
}
