//! Indices that are affine in axes.

use super::{AxisId, Binary, Elem, Graph, Literal, NodeId, Op, Ty, Unary};

/// An integer that is known before the launch: made of constants, sizes and scalars.
#[derive(Clone, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the arithmetic variants are what they are called")]
pub enum Uniform {
    Int(i64),
    /// An expression of [`Graph::is_uniform`].
    Node(NodeId),
    Add(Box<Uniform>, Box<Uniform>),
    Sub(Box<Uniform>, Box<Uniform>),
    Mul(Box<Uniform>, Box<Uniform>),
}

/// `offset + sum(coefficient * axis)`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Affine {
    /// Each axis once, with a coefficient that is not the constant 0.
    pub terms: Vec<(AxisId, Uniform)>,
    /// The constant part.
    pub offset: Uniform,
}

impl Uniform {
    fn add(self, other: Self) -> Self {
        match (self, other) {
            (Uniform::Int(0), other) | (other, Uniform::Int(0)) => other,
            (Uniform::Int(a), Uniform::Int(b)) => Uniform::Int(a.wrapping_add(b)),
            (a, b) => match b.negated() {
                Some(b) => a.sub(b),
                None => Uniform::Add(Box::new(a), Box::new(b)),
            },
        }
    }

    fn sub(self, other: Self) -> Self {
        match (self, other) {
            (a, Uniform::Int(0)) => a,
            (Uniform::Int(a), Uniform::Int(b)) => Uniform::Int(a.wrapping_sub(b)),
            (a, b) => match b.negated() {
                Some(b) => a.add(b),
                None => Uniform::Sub(Box::new(a), Box::new(b)),
            },
        }
    }

    /// The opposite, if the number has a sign to take away.
    fn negated(&self) -> Option<Self> {
        match self {
            Uniform::Int(value) if *value < 0 => Some(Uniform::Int(value.wrapping_neg())),
            Uniform::Sub(a, b) if **a == Uniform::Int(0) => Some((**b).clone()),
            _ => None,
        }
    }

    fn mul(self, other: Self) -> Self {
        match (self, other) {
            (Uniform::Int(0), _) | (_, Uniform::Int(0)) => Uniform::Int(0),
            (Uniform::Int(1), other) | (other, Uniform::Int(1)) => other,
            (Uniform::Int(a), Uniform::Int(b)) => Uniform::Int(a.wrapping_mul(b)),
            (a, b) => Uniform::Mul(Box::new(a), Box::new(b)),
        }
    }

    /// The number as an expression.
    pub fn node(&self, graph: &mut Graph) -> NodeId {
        let (op, a, b) = match self {
            Uniform::Int(value) => return graph.int(*value, Ty::I64),
            Uniform::Node(node) => return *node,
            Uniform::Add(a, b) => (Binary::Add, a, b),
            Uniform::Sub(a, b) => (Binary::Sub, a, b),
            Uniform::Mul(a, b) => (Binary::Mul, a, b),
        };
        let (a, b) = (a.node(graph), b.node(graph));
        graph.binary(op, a, b)
    }
}

impl Affine {
    /// The affine form of an `I64` expression, if it has one.
    pub fn of(graph: &Graph, node: NodeId) -> Option<Affine> {
        if graph.ty(node) != Ty::I64 {
            return None;
        }
        if let Op::Const(Literal::Int(value)) = *graph.op(node) {
            return Some(Affine::constant(Uniform::Int(value)));
        }
        if graph.is_uniform(node) {
            return Some(Affine::constant(Uniform::Node(node)));
        }
        let args = graph.args(node);
        let operand = |position: usize| Affine::of(graph, args[position]);
        match graph.op(node) {
            Op::Index(axis) if !graph.axis(*axis).rest => Some(Affine::index(*axis)),
            Op::Cast(Elem::I64) | Op::Convert(Ty::I64) => operand(0),
            Op::Unary(Unary::Neg) => Some(operand(0)?.scaled(&Uniform::Int(-1))),
            Op::Binary(Binary::Add) => Some(operand(0)?.plus(operand(1)?)),
            Op::Binary(Binary::Sub) => Some(operand(0)?.minus(operand(1)?)),
            Op::Binary(Binary::Mul) => match (operand(0)?, operand(1)?) {
                (left, right) if right.terms.is_empty() => Some(left.scaled(&right.offset)),
                (left, right) if left.terms.is_empty() => Some(right.scaled(&left.offset)),
                _ => None,
            },
            _ => None,
        }
    }

    /// The index along an axis.
    pub fn index(axis: AxisId) -> Self {
        Affine { terms: vec![(axis, Uniform::Int(1))], offset: Uniform::Int(0) }
    }

    fn constant(offset: Uniform) -> Self {
        Affine { terms: vec![], offset }
    }

    fn plus(self, other: Self) -> Self {
        self.combined(other, Uniform::add)
    }

    /// The form less another one.
    pub fn minus(self, other: Self) -> Self {
        self.combined(other, Uniform::sub)
    }

    fn combined(mut self, other: Self, combine: fn(Uniform, Uniform) -> Uniform) -> Self {
        for (axis, coefficient) in other.terms {
            match self.terms.iter_mut().find(|(known, _)| *known == axis) {
                Some((_, sum)) => *sum = combine(sum.clone(), coefficient),
                None => self.terms.push((axis, combine(Uniform::Int(0), coefficient))),
            }
        }
        self.terms.retain(|(_, coefficient)| *coefficient != Uniform::Int(0));
        self.offset = combine(self.offset, other.offset);
        self
    }

    fn scaled(self, factor: &Uniform) -> Self {
        let terms = self.terms.into_iter().map(|(axis, coefficient)| (axis, coefficient.mul(factor.clone())));
        let terms = terms.filter(|(_, coefficient)| *coefficient != Uniform::Int(0)).collect();
        Affine { terms, offset: self.offset.mul(factor.clone()) }
    }

    /// The coefficient of an axis and the form without it, if the axis has a term.
    pub fn without(mut self, axis: AxisId) -> Option<(Uniform, Affine)> {
        let place = self.terms.iter().position(|(known, _)| *known == axis)?;
        let (_, coefficient) = self.terms.remove(place);
        Some((coefficient, self))
    }

    /// The form as an expression.
    pub fn node(&self, graph: &mut Graph) -> NodeId {
        let mut sum = None;
        for (axis, coefficient) in &self.terms {
            let index = graph.index(*axis);
            let (op, factor) = match coefficient.negated() {
                Some(opposite) if sum.is_some() => (Binary::Sub, opposite),
                _ => (Binary::Add, coefficient.clone()),
            };
            let term = match factor {
                Uniform::Int(1) => index,
                factor => {
                    let factor = factor.node(graph);
                    graph.binary(Binary::Mul, index, factor)
                }
            };
            sum = Some(sum.map_or(term, |sum| graph.binary(op, sum, term)));
        }
        let Some(sum) = sum else { return self.offset.node(graph) };
        if self.offset == Uniform::Int(0) {
            return sum;
        }
        let (op, offset) = match self.offset.negated() {
            Some(opposite) => (Binary::Sub, opposite),
            None => (Binary::Add, self.offset.clone()),
        };
        let offset = offset.node(graph);
        graph.binary(op, sum, offset)
    }
}

impl Graph {
    /// True for an integer that a host computes from constants, sizes and scalars.
    pub fn is_uniform(&self, node: NodeId) -> bool {
        self.ty(node).is_integer()
            && match self.op(node) {
                Op::Const(Literal::Int(_)) | Op::Size(_) | Op::Scalar(_) => true,
                Op::Cast(Elem::I64) | Op::Convert(Ty::I64) | Op::Stop | Op::Unary(Unary::Neg) => true,
                Op::Binary(Binary::Add | Binary::Sub | Binary::Mul | Binary::Min | Binary::Max) => true,
                // A division with a third operand is executed under a condition.
                Op::Binary(Binary::Div | Binary::Rem) => self.args(node).len() == 2,
                _ => false,
            }
            && self.args(node).iter().all(|&arg| self.is_uniform(arg))
    }
}
