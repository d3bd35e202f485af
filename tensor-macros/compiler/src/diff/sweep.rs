//! The reverse sweep.

use super::rules::contribution;
use crate::ir::{AxisSet, Graph, NodeId, Op, Output, Root, Source, Target, Tensor, Write};
use crate::simplify::Algebra;
use crate::simplify::contraction::contraction;

/// Adjoints of forward nodes, and the gradients found so far.
pub(super) struct Sweep<'kernel> {
    pub(super) algebra: Algebra<'kernel>,
    pub(super) tensors: &'kernel [Tensor],
    /// Axes of the outputs.
    pub(super) written: AxisSet,
    seeds: Vec<(NodeId, NodeId)>,
    /// Forward nodes with a differentiable path from a float parameter.
    active: Vec<bool>,
    /// What the users of each forward node have contributed to its cotangent.
    contributions: Vec<Vec<NodeId>>,
    /// Addends of the dense gradient of each tensor parameter.
    pub(super) dense: Vec<Vec<NodeId>>,
    pub(super) scatters: Vec<Root>,
}

impl<'kernel> Sweep<'kernel> {
    pub(super) fn new(
        graph: &'kernel mut Graph,
        tensors: &'kernel [Tensor],
        outputs: &[Output],
        roots: &[Root],
    ) -> Self {
        let mut seeds = vec![];
        let written = outputs.iter().flat_map(|output| output.axes.iter().copied()).collect();
        for root in roots.iter() {
            if let (Target::Output(position), Write::Dense { axes }) = (root.target, &root.write)
                && outputs[position as usize].elem.is_float()
            {
                let ty = outputs[position as usize].elem.ty();
                seeds.push((root.value, graph.load_own(Source::Cotangent(position), axes, ty)));
            }
        }
        let values: Vec<NodeId> = roots.iter().map(|root| root.value).collect();
        let active = active(graph, tensors);
        let forward = graph.len();
        Self {
            algebra: Algebra::new(graph, &values),
            tensors,
            written,
            seeds,
            active,
            contributions: vec![vec![]; forward],
            dense: vec![vec![]; tensors.len()],
            scatters: vec![],
        }
    }

    /// Visits all forward nodes, users before operands.
    pub(super) fn run(&mut self) {
        for (value, cotangent) in std::mem::take(&mut self.seeds) {
            self.contribute(value, cotangent, cotangent);
        }
        for index in (0..self.contributions.len()).rev() {
            let node = NodeId(index as u32);
            let contributions = std::mem::take(&mut self.contributions[index]);
            let adjoint = self.algebra.add(self.algebra.graph.ty(node), &contributions);
            if self.algebra.is_zero(adjoint) {
                continue;
            }
            debug_assert!(self.algebra.graph.axes(adjoint).is_subset(self.algebra.graph.axes(node)));
            if let Op::Load { source: Source::Param(param), guarded } = *self.algebra.graph.op(node) {
                self.access(param, node, guarded, adjoint);
                continue;
            }
            let adjoint = self.behind_barrier(node, adjoint);
            for operand in 0..self.algebra.graph.args(node).len() {
                let arg = self.algebra.graph.args(node)[operand];
                if self.active[arg.0 as usize]
                    && let Some(contribution) = contribution(&mut self.algebra, node, operand, adjoint)
                {
                    #[cfg(test)]
                    let contribution = super::tests::scaled(&mut self.algebra, node, operand, contribution);
                    self.contribute(arg, contribution, node);
                }
            }
        }
    }

    /// Adds to the cotangent of `operand` what `user` contributes.
    fn contribute(&mut self, operand: NodeId, contribution: NodeId, user: NodeId) {
        if self.algebra.is_zero(contribution) || !self.active[operand.0 as usize] {
            return;
        }
        let graph = &self.algebra.graph;
        let over = graph.axes(user).difference(graph.axes(operand));
        let sum = self.algebra.sum_over(&over, contribution);
        if !self.algebra.is_zero(sum) {
            self.contributions[operand.0 as usize].push(sum);
        }
    }

    /// The adjoint of the result of a contraction or a window as an array, unless it is one.
    fn behind_barrier(&mut self, node: NodeId, adjoint: NodeId) -> NodeId {
        let graph = &self.algebra.graph;
        let same_axes = graph.axes(adjoint) == graph.axes(node);
        let barrier = !graph.window_axes(node).is_empty() || contraction(graph, node).is_some();
        match same_axes && barrier && !self.algebra.is_bare(adjoint) {
            true => self.algebra.materialize(adjoint),
            false => adjoint,
        }
    }

    /// The gradients, dense ones first, and what is needed to choose their residuals. A parameter that `arrives` at the
    /// outputs and changes nothing has a gradient of zeros.
    pub(super) fn finish(mut self, arrives: impl Fn(u32) -> bool) -> (Vec<Root>, Algebra<'kernel>) {
        let mut roots = vec![];
        for (param, addends) in std::mem::take(&mut self.dense).into_iter().enumerate() {
            let Tensor { elem, axes, .. } = &self.tensors[param];
            let value = self.algebra.add(elem.ty(), &addends);
            let scattered = self.scatters.iter().any(|root| root.target == Target::Gradient(param as u32));
            if !self.algebra.is_zero(value) || (elem.is_float() && !scattered && arrives(param as u32)) {
                let write = Write::Dense { axes: axes.clone() };
                roots.push(Root { target: Target::Gradient(param as u32), write, value });
            }
        }
        roots.append(&mut self.scatters);
        (roots, self.algebra)
    }
}

/// Which nodes have a differentiable path from a float parameter.
fn active(graph: &Graph, tensors: &[Tensor]) -> Vec<bool> {
    let mut active = vec![false; graph.len()];
    for index in 0..graph.len() {
        let node = graph.node(NodeId(index as u32));
        active[index] = match node.op {
            Op::Load { source: Source::Param(param), .. } => tensors[param as usize].elem.is_float(),
            Op::Stop => false,
            _ => node.ty.is_float() && node.args.iter().any(|arg| active[arg.0 as usize]),
        };
    }
    active
}
