//! The adjoint of a load: from a cotangent at the place of use to the gradient of the parameter.

use std::collections::BTreeMap;

use super::sweep::Sweep;
use crate::ir::{AxisId, AxisSet, Binary, NodeId, Reduction, Root, Target, Write};
use crate::simplify::mutation::{self, Mutation};

impl Sweep<'_> {
    /// Adds the `cotangent` of the load `node` of a parameter to its gradient.
    ///
    /// An index that is a bare axis names the declared axis from then on; a second one of the same axis (a diagonal) is a
    /// condition. If no axis is left, the other indices are conditions, too, and the gradient is dense (cross entropy);
    /// else it is a scatter (embedding), as the dense form would visit every element for every index.
    pub(super) fn access(&mut self, param: u32, node: NodeId, guarded: bool, cotangent: NodeId) {
        let a = &mut self.algebra;
        let declared = self.tensors[param as usize].axes.clone();
        let args = a.graph.args(node).to_vec();
        let cotangent = match guarded && !mutation::is(Mutation::UnguardedLoad) {
            true => a.guard(args[declared.len()], cotangent),
            false => cotangent,
        };
        let index = &args[..declared.len()];
        let mut names: BTreeMap<AxisId, NodeId> = BTreeMap::new();
        let mut conditions: Vec<(AxisId, NodeId)> = vec![];
        for (&index, &axis) in index.iter().zip(&declared) {
            match a.graph.as_index(index) {
                Some(used) if !names.contains_key(&used) => {
                    names.insert(used, a.graph.index(axis));
                }
                _ => conditions.push((axis, index)),
            }
        }
        let direct: AxisSet = names.keys().copied().collect();
        if !a.graph.axes(node).is_subset(&direct) {
            self.scatter(param, index.to_vec(), cotangent);
            return;
        }
        let mut value = a.substitute(cotangent, &names);
        for (axis, index) in conditions {
            let index = a.substitute(index, &names);
            let own = a.graph.index(axis);
            let here = a.graph.binary(Binary::Eq, own, index);
            if !mutation::is(Mutation::EveryElement) {
                value = a.guard(here, value);
            }
        }
        self.dense[param as usize].push(value);
    }

    /// Every point of use adds its cotangent to the element that it has read.
    fn scatter(&mut self, param: u32, index: Vec<NodeId>, cotangent: NodeId) {
        let (guard, value) = self.algebra.split_guard(cotangent);
        let mut over: Vec<AxisId> = vec![];
        for &index in &index {
            over.extend(
                self.algebra.array_axes(index).into_iter().filter(|axis| !over.contains(axis)).collect::<Vec<_>>(),
            );
        }
        let write = Write::Scatter { index, over, op: Reduction::Sum, guard };
        self.scatters.push(Root { target: Target::Gradient(param), write, value });
    }
}
