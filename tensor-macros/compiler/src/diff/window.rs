//! The adjoint of windows: indices that are affine in axes, solved for an axis.
//!
//! `x[P * stride + W]` reads the element `L` wherever `P * stride + W == L`. Solved for `P`, an element gathers its cotangent
//! from the places `P = (L - W) / stride`, where that is a whole number within the axis, and sums them over the window `W`.

use super::sweep::Sweep;
use crate::ir::{Affine, AxisId, AxisSet, Binary, NodeId, Ty, Uniform};
use crate::simplify::Indices;
use crate::simplify::mutation::{self, Mutation};

/// An equation of a declared axis and the index that stands for it.
struct Equation {
    declared: AxisId,
    index: NodeId,
}

/// An axis, its index, and where that is one.
struct Solution {
    axis: AxisId,
    index: NodeId,
    within: NodeId,
}

impl Sweep<'_> {
    /// What the `cotangent` of a load over the axes `used` contributes to the dense gradient of a parameter with the axes
    /// `declared`, if the indices of `equations` are affine, or made of named axes alone; `names` holds the declared axes
    /// that name used ones.
    pub(super) fn solve_windows(
        &mut self,
        declared: &[AxisId],
        used: &AxisSet,
        mut names: Indices,
        equations: Vec<(AxisId, NodeId)>,
        cotangent: NodeId,
    ) -> Option<NodeId> {
        let a = &mut self.algebra;
        let nameless = used.difference(&names.axes());
        let solvable = |index| a.graph.axes(index).is_disjoint(&nameless) || Affine::of(a.graph, index).is_some();
        if !equations.iter().all(|&(_, index)| solvable(index)) {
            return None;
        }
        let cotangent = a.finish_reductions(cotangent, &nameless);
        // Axes of the output first: a window is what is summed.
        let (outputs, windows): (Vec<_>, Vec<_>) = nameless.iter().partition(|&axis| self.written.contains(axis));
        let mut taken: AxisSet = used.iter().chain(declared.iter().copied()).collect();
        let mut open: Vec<AxisId> = outputs.into_iter().chain(windows).collect();
        // From here on, a declared axis is that of the gradient.
        for axis in open.iter_mut().filter(|axis| declared.contains(axis)) {
            let renamed = a.rename(*axis, &taken);
            taken.insert(renamed);
            names.insert(*axis, a.graph.index(renamed), None);
            *axis = renamed;
        }
        let mut guards: Vec<NodeId> = names.conditions().collect();
        let mut equations: Vec<Equation> =
            (equations.into_iter()).map(|(declared, index)| Equation { declared, index }).collect();
        let substituted: Vec<NodeId> = equations.iter().map(|equation| a.substitute(equation.index, &names)).collect();
        for equation in &equations {
            self.know(equation, &mut names);
        }
        let a = &mut self.algebra;
        let mut value = a.substitute(cotangent, &names);
        for (equation, index) in equations.iter_mut().zip(substituted) {
            equation.index = index;
        }
        while !equations.is_empty() {
            let equation = equations.remove(0);
            let Some(Solution { axis, index, within }) = self.solve(&equation, &open) else {
                let declared = self.algebra.graph.index(equation.declared);
                guards.push(self.algebra.graph.binary(Binary::Eq, declared, equation.index));
                continue;
            };
            let a = &mut self.algebra;
            let mut solution = Indices::default();
            solution.insert(axis, index, Some(within));
            value = a.substitute(value, &solution);
            for node in guards.iter_mut().chain(equations.iter_mut().map(|equation| &mut equation.index)) {
                *node = a.substitute(*node, &solution);
            }
            guards.push(within);
            open.retain(|&other| other != axis);
        }
        let a = &mut self.algebra;
        for guard in guards {
            value = a.guard(guard, value);
        }
        Some(a.sum_over(&open.into_iter().collect(), value))
    }

    /// Where an equation holds, its index is the declared axis, and lies within it.
    fn know(&mut self, &Equation { declared, index }: &Equation, names: &mut Indices) {
        let graph = &mut self.algebra.graph;
        let (zero, size) = (graph.int(0, Ty::I64), graph.size(graph.axis(declared).extent));
        let not_negative = graph.binary(Binary::Ge, index, zero);
        let not_beyond = graph.binary(Binary::Lt, index, size);
        let holds = graph.bool(true);
        names.insert_known(index, graph.index(declared));
        names.insert_known(not_negative, holds);
        names.insert_known(not_beyond, holds);
    }

    /// The first of the `open` axes with a term in the equation, and its index where the equation holds.
    fn solve(&mut self, equation: &Equation, open: &[AxisId]) -> Option<Solution> {
        let a = &mut self.algebra;
        let form = Affine::of(a.graph, equation.index)?;
        let (axis, (coefficient, rest)) = open.iter().find_map(|&axis| Some((axis, form.clone().without(axis)?)))?;
        let declared = Affine::index(equation.declared);
        let (index, whole) = match coefficient {
            Uniform::Int(1) => (declared.minus(rest).node(a.graph), None),
            Uniform::Int(-1) => (rest.minus(declared).node(a.graph), None),
            coefficient => {
                let distance = declared.minus(rest).node(a.graph);
                let step = coefficient.node(a.graph);
                let quotient = a.graph.binary(Binary::Div, distance, step);
                // A remainder would be a second division.
                let back = a.graph.binary(Binary::Mul, quotient, step);
                (quotient, Some(a.graph.binary(Binary::Eq, back, distance)))
            }
        };
        let mut within = vec![a.within(index, axis)];
        within.extend(whole.filter(|_| !mutation::is(Mutation::BetweenSteps)));
        Some(Solution { axis, index, within: a.all(within) })
    }
}
