//! Checks of the module's invariants.

use std::collections::HashSet;

use super::class::{is_plain_load, own_nodes};
use super::group::{root_values, write_axes};
use super::{Class, Kernel, Schedule};
use crate::ir::{AxisSet, Graph, NodeId, Op, Root, Source, Target, Write};

impl Schedule {
    /// Checks that the schedule writes `targets`, each once, and keeps the module's invariants.
    ///
    /// # Panics
    /// If it does not, which is a bug of the compiler.
    pub fn verify(&self, graph: &Graph, targets: &[Target]) {
        let mut finished = HashSet::new();
        let mut written: Vec<Target> = Vec::new();
        let mut read = HashSet::new();
        let forward = self
            .kernels
            .iter()
            .all(|kernel| kernel.writes.iter().all(|root| !matches!(root.target, Target::Gradient(_))));
        for kernel in &self.kernels {
            verify_axes(graph, kernel);
            verify_levels(graph, kernel, &mut finished);
            for id in graph.reachable(&expressions(graph, kernel)) {
                match graph.op(id) {
                    Op::Load { source: Source::Temp(temp), .. } => {
                        read.insert(*temp);
                        assert!(written.contains(&Target::Temp(*temp)), "temp {temp} is read before it is written");
                        let rank = super::class::load_index(graph, id).len();
                        assert_eq!(
                            rank,
                            self.temps[*temp as usize].axes.len(),
                            "temp {temp} is read at {rank} indices"
                        );
                    }
                    Op::Load { source: Source::Saved(saved), .. } if forward => {
                        assert!(written.contains(&Target::Saved(*saved)), "residual {saved} is read before its write");
                    }
                    _ => {}
                }
            }
            for root in &kernel.writes {
                verify_write(root, &written);
                written.push(root.target);
            }
        }
        for (position, temp) in self.temps.iter().enumerate() {
            assert!(read.contains(&(position as u32)), "temp {position} over {:?} is not read", temp.axes);
        }
        for &target in targets {
            assert!(written.contains(&target), "{target:?} is not written");
        }
        for target in &written {
            let temp = matches!(target, Target::Temp(temp) if (*temp as usize) < self.temps.len());
            assert!(temp || targets.contains(target), "{target:?} is written for nobody");
        }
    }
}

/// What a kernel evaluates.
fn expressions(graph: &Graph, kernel: &Kernel) -> Vec<NodeId> {
    let bodies = kernel.levels.iter().flatten().flat_map(|&reduction| graph.args(reduction).iter().copied());
    kernel.writes.iter().flat_map(root_values).chain(bodies).collect()
}

fn verify_axes(graph: &Graph, kernel: &Kernel) {
    let free: AxisSet = kernel.free.iter().copied().collect();
    let reduced: AxisSet = kernel.reduced.iter().copied().collect();
    assert_eq!((free.len(), reduced.len()), (kernel.free.len(), kernel.reduced.len()), "an axis stands twice");
    assert!(free.is_disjoint(&reduced), "an axis is free and reduced");
    for &reduction in kernel.levels.iter().flatten() {
        let Op::Reduce { axes, .. } = graph.op(reduction) else { panic!("{reduction:?} is no reduction") };
        assert_eq!(axes.iter().copied().collect::<AxisSet>(), reduced, "a reduction binds other axes");
        assert!(graph.axes(reduction).is_subset(&free), "a reduction has axes that the kernel has not");
    }
    let inner = free.union(&reduced);
    for root in &kernel.writes {
        let axes: AxisSet = write_axes(root).iter().copied().collect();
        assert!(axes == free || axes == inner, "{:?} is over axes that the kernel has not", root.target);
        for value in root_values(root) {
            assert!(graph.axes(value).is_subset(&axes), "the value of {:?} has more axes", root.target);
        }
    }
    match (kernel.class, &kernel.contraction) {
        (Class::Contraction, Some(contraction)) => {
            for operand in [contraction.lhs, contraction.rhs] {
                let clipped = graph.is_clipped_load(operand);
                assert!(clipped || is_plain_load(graph, operand), "an operand of a contraction is computed");
            }
            let sides = contraction.batch.iter().chain(&contraction.m).chain(&contraction.n).copied();
            assert_eq!(sides.collect::<AxisSet>(), free, "a free axis of a contraction is on no side");
        }
        (Class::Contraction, None) | (_, Some(_)) => panic!("class and operands of a contraction disagree"),
        _ => {}
    }
    assert_eq!(kernel.levels.is_empty(), matches!(kernel.class, Class::Pointwise | Class::Scatter));
}

fn verify_levels(graph: &Graph, kernel: &Kernel, finished: &mut HashSet<NodeId>) {
    let mut known: Vec<NodeId> = Vec::new();
    for level in &kernel.levels {
        for &reduction in level {
            own_nodes(graph, graph.args(reduction), |id| {
                let lower = !matches!(graph.op(id), Op::Reduce { .. }) || known.contains(&id);
                assert!(lower, "a level needs a reduction that is not finished before it");
            });
        }
        known.extend(level);
    }
    for root in &kernel.writes {
        own_nodes(graph, &root_values(root), |id| {
            let own = !matches!(graph.op(id), Op::Reduce { .. }) || known.contains(&id);
            assert!(own, "{:?} needs a reduction that its kernel does not finish", root.target);
        });
    }
    for reduction in known {
        assert!(finished.insert(reduction), "{reduction:?} is finished twice");
    }
}

fn verify_write(root: &Root, written: &[Target]) {
    match root.write {
        Write::Dense { .. } => assert!(!written.contains(&root.target), "{:?} is overwritten", root.target),
        Write::Scatter { .. } => {}
    }
}
