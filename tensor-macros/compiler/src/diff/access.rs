//! The adjoint of a load: from a cotangent at the place of use to the gradient of the parameter.

use super::sweep::Sweep;
use crate::ir::{AxisId, AxisSet, Binary, NodeId, Reduction, Root, Target, Write};
use crate::simplify::Indices;
use crate::simplify::mutation::{self, Mutation};

impl Sweep<'_> {
    /// Adds the `cotangent` of the load `node` of a parameter to its gradient.
    ///
    /// An index that is a bare axis names the declared axis from then on; a second one of the same axis (a diagonal) is a
    /// condition. If no axis is left, the other indices are conditions, too, and the gradient is dense (cross entropy). If
    /// those with an axis left are affine, the gradient is dense as well (convolution); else it is a scatter (embedding), as
    /// the dense form would visit every element for every index.
    pub(super) fn access(&mut self, param: u32, node: NodeId, guarded: bool, cotangent: NodeId) {
        let a = &mut self.algebra;
        let declared = &self.tensors[param as usize].axes;
        let args = a.graph.args(node).to_vec();
        let cotangent = match guarded && !mutation::is(Mutation::UnguardedLoad) {
            true => a.guard(args[declared.len()], cotangent),
            false => cotangent,
        };
        let index = &args[..declared.len()];
        // The condition of a branch may vary along axes that the element does not.
        let used: AxisSet = index.iter().flat_map(|&index| a.graph.axes(index).iter()).collect();
        let unused = a.graph.axes(node).difference(&used);
        let cotangent = a.sum_over(&unused, cotangent);
        if a.is_zero(cotangent) {
            return;
        }
        let mut names = Indices::default();
        let mut conditions: Vec<(AxisId, NodeId)> = vec![];
        for (&index, &axis) in index.iter().zip(declared) {
            match a.graph.as_index(index) {
                Some(used) if !names.contains(used) => {
                    let (own, within) = (a.graph.index(axis), a.shorter(used, axis));
                    names.insert(used, own, within);
                }
                _ => conditions.push((axis, index)),
            }
        }
        if !used.is_subset(&names.axes()) {
            match self.solve_windows(declared, &used, names, conditions, cotangent) {
                Some(value) => self.dense[param as usize].push(value),
                None => self.scatter(param, index.to_vec(), cotangent),
            }
            return;
        }
        let mut value = a.substitute(cotangent, &names);
        for (axis, index) in conditions {
            let (own, index) = (a.graph.index(axis), a.substitute(index, &names));
            let here = a.graph.binary(Binary::Eq, own, index);
            if !mutation::is(Mutation::EveryElement) {
                value = a.guard(here, value);
            }
        }
        for within in names.conditions() {
            value = a.guard(within, value);
        }
        self.dense[param as usize].push(value);
    }

    /// Every point of use adds its cotangent to the element that it has read.
    fn scatter(&mut self, param: u32, index: Vec<NodeId>, cotangent: NodeId) {
        let (guard, value) = self.algebra.split_guard(cotangent);
        // The order of the indices is the order of memory.
        let mut over: Vec<AxisId> = vec![];
        for &index in &index {
            let axes = self.algebra.array_axes(index);
            over.extend(axes.into_iter().filter(|axis| !over.contains(axis)).collect::<Vec<_>>());
        }
        let write = Write::Scatter { index, over, op: Reduction::Sum, guard };
        self.scatters.push(Root { target: Target::Gradient(param), write, value });
    }
}
