//! The algebra of derived expressions.
//!
//! `diff` never interns arithmetic itself; it calls the constructors of [`Algebra`], which return *canonical form*:
//!
//! - a *term* is `coefficient * guards * factors`: outermost a zero-select (`if guards { .. } else { 0 }`), beneath it a
//!   one-term [`Op::Sum`] with the coefficient, beneath it an [`Op::Product`] of factors to integer powers;
//! - a sum of terms has no equal and no nested terms, common guards and factors stand outside, `if c {a} + if !c {b}` is
//!   one select;
//! - operands are ordered by (number of axes, id);
//! - a summed expression has what the summed axes lack outside, independent sums apart, and no sum that is proved zero;
//!   what is under a guard stays together, as the guard makes it exactly 0.
//!
//! [`factoring`] gives finished sums their cheapest form, which is not canonical.
//!
//! Vocabulary: a *structural zero* is the constant 0 that a constructor returns where there is no path. It is dropped;
//! a zero that is computed never is, so that NaN passes. (`x * 0.0` of the user has the derivative `g * 0.0`.)
//!
//! Invariants:
//! - nodes that existed when the algebra was made are *forward* nodes; they are operands, never rewritten (their ids are
//!   what residuals are recognised by), except by [`lift`], which runs before;
//! - constructors never change the type, and the axes of a result are among those of its operands;
//! - constructors are idempotent: canonical operands in canonical arrangement come back as they are.
//!
//! [`Op::Sum`]: crate::ir::Op::Sum
//! [`Op::Product`]: crate::ir::Op::Product

mod addition;
mod arrays;
pub mod contraction;
pub mod factoring;
pub mod lift;
pub(crate) mod mutation;
mod polynomial;
mod substitution;
mod summation;
mod term;
#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, HashMap};

use crate::ir::{AxisId, AxisSet, Binary, Distribution, Graph, NodeId, Op, Reduction, Source, Temp, Ty, Unary};

use mutation::Mutation;
use polynomial::Polynomial;
pub use substitution::Indices;

/// The constructors of derived expressions over one graph.
pub struct Algebra<'graph> {
    /// The graph.
    pub graph: &'graph mut Graph,
    /// Arrays of the backward pass made so far; a zero proof looks into them.
    pub temps: Vec<Temp>,
    /// Forward results that are read at other indices than their own, by position in [`Source::Saved`].
    pub residuals: Vec<NodeId>,
    /// Number of forward nodes.
    forward: usize,
    /// Forward quotients `a / b` by `(a, b)`.
    quotients: HashMap<(NodeId, NodeId), NodeId>,
    /// Forward arrays `if c { a } else { 0 }` by `(c, a)`.
    guarded: HashMap<(NodeId, NodeId), NodeId>,
    /// Axes made so far to rename a given one.
    renamed: HashMap<AxisId, Vec<AxisId>>,
    polynomials: HashMap<NodeId, Option<Polynomial>>,
}

impl<'graph> Algebra<'graph> {
    /// An algebra over a graph in which everything reachable from `roots` is forward.
    pub fn new(graph: &'graph mut Graph, roots: &[NodeId]) -> Self {
        let reachable = graph.reachable(roots);
        let quotients = (reachable.iter())
            .filter(|&&id| *graph.op(id) == Op::Binary(Binary::Div) && graph.ty(id).is_float())
            .map(|&id| ((graph.args(id)[0], graph.args(id)[1]), id))
            .collect();
        let operands = reachable.iter().flat_map(|&id| contraction::computed_operands(graph, id));
        let arrays: Vec<NodeId> = roots.iter().copied().chain(operands).collect();
        let forward = graph.len();
        let mut algebra = Self {
            graph,
            temps: vec![],
            residuals: vec![],
            forward,
            quotients,
            guarded: HashMap::new(),
            renamed: HashMap::new(),
            polynomials: HashMap::new(),
        };
        for array in arrays {
            if let Op::Select = algebra.graph.op(array) {
                let [condition, a, b] = [0, 1, 2].map(|operand| algebra.graph.args(array)[operand]);
                if algebra.is_zero(b) {
                    algebra.guarded.insert((condition, a), array);
                } else if algebra.is_zero(a) {
                    let condition = algebra.not(condition);
                    algebra.guarded.insert((condition, b), array);
                }
            }
        }
        algebra
    }

    /// True if the node was there before any derived one.
    pub fn is_forward(&self, node: NodeId) -> bool {
        (node.0 as usize) < self.forward
    }

    /// The structural zero.
    pub fn zero(&mut self, ty: Ty) -> NodeId {
        self.graph.float(0.0, ty)
    }

    /// True for the structural zero.
    pub fn is_zero(&self, node: NodeId) -> bool {
        self.graph.as_float(node).is_some_and(|value| value.to_bits() == 0)
    }

    /// True for a forward reduction, whose result is kept. Exception: a maximum is compared with the elements it was taken
    /// of, and a residual is never compared with an expression that could round differently the second time.
    pub fn is_residual(&self, node: NodeId) -> bool {
        match self.graph.op(node) {
            Op::Reduce { op: Reduction::Max | Reduction::Min, .. } => {
                self.is_forward(node) && self.rounds_alike(self.graph.args(node)[0])
            }
            Op::Reduce { .. } => self.is_forward(node),
            _ => false,
        }
    }

    /// True if the value is made of kept values by operations that IEEE 754 defines to the last bit.
    fn rounds_alike(&self, node: NodeId) -> bool {
        let exact = |op: &Op| match op {
            Op::Load { .. } | Op::Reduce { .. } => true,
            Op::Const(_) | Op::Scalar(_) | Op::Size(_) | Op::Index(_) | Op::Fma | Op::Select | Op::Stop => true,
            Op::Cast(_) | Op::Convert(_) => true,
            Op::Unary(op) => matches!(
                op,
                Unary::Neg
                    | Unary::Not
                    | Unary::Sqrt
                    | Unary::Abs
                    | Unary::Sign
                    | Unary::Floor
                    | Unary::Ceil
                    | Unary::Round
                    | Unary::Trunc
                    | Unary::IsNan
                    | Unary::IsFinite
            ),
            Op::Binary(op) => !matches!(op, Binary::Powf | Binary::Powi | Binary::Atan2 | Binary::Xlogy),
            Op::Random { distribution, .. } => match distribution {
                Distribution::Uniform => true,
                Distribution::Normal => false,
            },
            Op::Sum { .. } | Op::Product { .. } => false,
        };
        let mut nodes: BTreeSet<NodeId> = [node].into();
        while let Some(node) = nodes.pop_last() {
            if !exact(self.graph.op(node)) {
                return false;
            }
            if !matches!(self.graph.op(node), Op::Load { .. } | Op::Reduce { .. }) {
                nodes.extend(self.graph.args(node));
            }
        }
        true
    }

    /// True if an element of a tensor stands in the expression.
    pub fn loads(&self, node: NodeId) -> bool {
        self.graph.reachable(&[node]).iter().any(|&node| matches!(self.graph.op(node), Op::Load { .. }))
    }

    /// Makes an array of the backward pass and loads it at its own axes.
    pub fn materialize(&mut self, node: NodeId) -> NodeId {
        let (axes, ty) = (self.array_axes(node), self.graph.ty(node));
        let known = self.temps.iter().position(|temp| temp.node == node);
        let position = known.unwrap_or(self.temps.len());
        if known.is_none() {
            self.temps.push(Temp { node, axes: axes.clone(), ty });
        }
        self.graph.load_own(Source::Temp(position as u32), &axes, ty)
    }

    /// The axes of a node in the order that an array of it has: `..` first, then as the user declared them.
    pub fn array_axes(&self, node: NodeId) -> Vec<AxisId> {
        let (rest, named): (Vec<_>, Vec<_>) =
            self.graph.axes(node).iter().partition(|&axis| self.graph.axis(axis).rest);
        rest.into_iter().chain(named).collect()
    }

    /// The size of an axis as a value of type `ty`.
    pub fn size(&mut self, axis: AxisId, ty: Ty) -> NodeId {
        let size = self.graph.size(self.graph.axis(axis).extent);
        self.graph.convert(ty, size)
    }

    /// Where an index along `axis` is also one along `other`, if that may be the shorter one.
    pub fn shorter(&mut self, other: AxisId, axis: AxisId) -> Option<NodeId> {
        let [extent, other_extent] = [axis, other].map(|axis| self.graph.axis(axis).extent);
        if extent == other_extent || mutation::is(Mutation::LongerAxis) {
            return None;
        }
        let (index, size) = (self.graph.index(axis), self.graph.size(other_extent));
        Some(self.graph.binary(Binary::Lt, index, size))
    }

    /// Where an index lies in an axis.
    pub fn within(&mut self, index: NodeId, axis: AxisId) -> NodeId {
        let (zero, size) = (self.graph.int(0, Ty::I64), self.graph.size(self.graph.axis(axis).extent));
        let not_negative = self.graph.binary(Binary::Ge, index, zero);
        let not_beyond = self.graph.binary(Binary::Lt, index, size);
        self.all(vec![not_negative, not_beyond])
    }

    /// The order of operands in sums, products and guards.
    fn rank(&self, node: NodeId) -> (usize, NodeId) {
        (self.graph.axes(node).len(), node)
    }

    /// True if the node varies along one of the axes.
    fn varies(&self, node: NodeId, axes: &AxisSet) -> bool {
        !self.graph.axes(node).is_disjoint(axes)
    }
}
