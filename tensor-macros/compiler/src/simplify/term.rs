//! Terms: products under guards.

use super::Algebra;
use super::mutation::{self, Mutation};
use crate::ir::{Binary, Literal, NodeId, Op, Ty, Unary};

/// `coefficient * product of factors`, where all guards hold, else 0.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Term {
    pub coefficient: f64,
    /// Conditions, ordered by rank, without repetition.
    pub guards: Vec<NodeId>,
    /// Factors with their powers, ordered by rank, no power 0.
    pub factors: Vec<(NodeId, i32)>,
}

impl Algebra<'_> {
    /// The product of nodes to integer powers.
    pub fn product(&mut self, factors: &[(NodeId, i32)]) -> NodeId {
        if let [(only, 1)] = *factors {
            return only;
        }
        let ty = self.graph.ty(factors[0].0);
        let mut product = Term { coefficient: 1.0, guards: vec![], factors: vec![] };
        for &(factor, power) in factors {
            let term = self.term(factor);
            if power < 0 && !term.guards.is_empty() {
                product.factors.push((factor, power));
                continue;
            }
            // A sum whose every addend is guarded is exactly 0 where no guard holds, whatever it meets.
            let support = self.support(&term);
            product.guards.extend(term.guards.iter().copied().chain(support));
            product.coefficient *= term.coefficient.powi(power);
            product.factors.extend(term.factors.into_iter().map(|(factor, exponent)| (factor, exponent * power)));
        }
        self.build(product, ty)
    }

    /// `coefficient * node`.
    pub fn scale(&mut self, coefficient: f64, node: NodeId) -> NodeId {
        if self.is_zero(node) {
            return node;
        }
        let ty = self.graph.ty(node);
        let mut term = self.term(node);
        term.coefficient *= coefficient;
        self.build(term, ty)
    }

    /// `if condition { node } else { 0 }`.
    pub fn guard(&mut self, condition: NodeId, node: NodeId) -> NodeId {
        if self.is_zero(node) {
            return node;
        }
        let ty = self.graph.ty(node);
        let mut term = self.term(node);
        term.guards.push(condition);
        self.build(term, ty)
    }

    /// The condition of a zero-select, and what it guards.
    pub fn split_guard(&mut self, node: NodeId) -> (Option<NodeId>, NodeId) {
        let ty = self.graph.ty(node);
        let mut term = self.term(node);
        let guards = std::mem::take(&mut term.guards);
        let value = self.build(term, ty);
        let guard = (!guards.is_empty()).then(|| self.all(guards));
        (guard, value)
    }

    /// True for one load, times what is the same for all elements, under conditions on indices.
    pub fn is_bare(&mut self, node: NodeId) -> bool {
        let term = self.term(node);
        let (uniform, varying): (Vec<_>, Vec<_>) =
            term.factors.into_iter().partition(|&(factor, _)| self.graph.axes(factor).is_empty());
        !term.guards.iter().chain(uniform.iter().map(|(factor, _)| factor)).any(|&node| self.loads(node))
            && matches!(varying[..], [(load, 1)] if matches!(self.graph.op(load), Op::Load { .. }))
    }

    /// The negation of a condition.
    pub fn not(&mut self, condition: NodeId) -> NodeId {
        let args = self.graph.args(condition).to_vec();
        match *self.graph.op(condition) {
            Op::Unary(Unary::Not) => args[0],
            Op::Const(Literal::Bool(value)) => self.graph.bool(!value),
            // Floats are left alone: neither `x < NaN` nor `x >= NaN` holds.
            Op::Binary(op) if self.graph.ty(args[0]).is_integer() => match op {
                Binary::Eq => self.graph.binary(Binary::Ne, args[0], args[1]),
                Binary::Ne => self.graph.binary(Binary::Eq, args[0], args[1]),
                Binary::Lt => self.graph.binary(Binary::Ge, args[0], args[1]),
                Binary::Le => self.graph.binary(Binary::Gt, args[0], args[1]),
                Binary::Gt => self.graph.binary(Binary::Le, args[0], args[1]),
                Binary::Ge => self.graph.binary(Binary::Lt, args[0], args[1]),
                _ => self.graph.unary(Unary::Not, condition),
            },
            _ => self.graph.unary(Unary::Not, condition),
        }
    }

    /// All of some conditions.
    pub fn all(&mut self, conditions: Vec<NodeId>) -> NodeId {
        let mut conjuncts = vec![];
        conditions.into_iter().for_each(|condition| self.push_conjuncts(condition, &mut conjuncts));
        self.sort_guards(&mut conjuncts);
        (conjuncts.into_iter())
            .reduce(|all, condition| self.graph.binary(Binary::And, all, condition))
            .unwrap_or_else(|| self.graph.bool(true))
    }

    /// A node as a term; a sum of several addends is one factor.
    pub(super) fn term(&mut self, node: NodeId) -> Term {
        let args = self.graph.args(node).to_vec();
        match self.graph.op(node).clone() {
            Op::Const(Literal::Float(bits)) => {
                let value = f64::from_bits(bits);
                // A zero of the user's is a factor, so that it meets NaN.
                match value.is_finite() && value != 0.0 {
                    true => Term { coefficient: value, guards: vec![], factors: vec![] },
                    false => Term::atom(node),
                }
            }
            Op::Unary(Unary::Neg) => {
                let mut term = self.term(args[0]);
                term.coefficient = -term.coefficient;
                term
            }
            Op::Select if self.is_zero(args[2]) => {
                let mut term = self.term(args[1]);
                self.push_conjuncts(args[0], &mut term.guards);
                self.sort_guards(&mut term.guards);
                term
            }
            Op::Select if self.is_zero(args[1]) => {
                let mut term = self.term(args[2]);
                let condition = self.not(args[0]);
                self.push_conjuncts(condition, &mut term.guards);
                self.sort_guards(&mut term.guards);
                term
            }
            Op::Sum { coefficients } if coefficients.len() == 1 => {
                let mut term = self.term(args[0]);
                term.coefficient *= f64::from_bits(coefficients[0]);
                term
            }
            Op::Product { powers } => {
                Term { coefficient: 1.0, guards: vec![], factors: args.into_iter().zip(powers).collect() }
            }
            _ => Term::atom(node),
        }
    }

    /// The node of a term. A factor that forward has in memory together with one of the guards is replaced by that array:
    /// under the guard they are equal.
    pub(super) fn build(&mut self, term: Term, ty: Ty) -> NodeId {
        let mut guards = vec![];
        for guard in term.guards {
            self.push_conjuncts(guard, &mut guards);
        }
        self.sort_guards(&mut guards);
        for &guard in &guards {
            let opposite = self.not(guard);
            if guards.contains(&opposite) || *self.graph.op(guard) == Op::Const(Literal::Bool(false)) {
                return self.zero(ty);
            }
        }
        guards.retain(|&guard| *self.graph.op(guard) != Op::Const(Literal::Bool(true)));
        if term.coefficient == 0.0 {
            return self.zero(ty);
        }
        let mut factors = self.cover_quotients(term.factors);
        for (factor, _) in &mut factors {
            let array = guards.iter().find_map(|&guard| self.guarded.get(&(guard, *factor)));
            *factor = *array.unwrap_or(factor);
        }
        let factors = self.merge_factors(factors);
        let mut node = match factors[..] {
            [] => {
                let constant = self.graph.float(term.coefficient, ty);
                return self.under_guards(guards, constant);
            }
            [(sum, 1)] if self.repeats_guard(sum, &guards) => {
                return self.guarded_sum(ty, Term { coefficient: term.coefficient, guards, factors });
            }
            [(sum, 1)] if matches!(self.graph.op(sum), Op::Sum { .. }) && term.coefficient != 1.0 => {
                let node = self.distribute(ty, term.coefficient, sum);
                return self.under_guards(guards, node);
            }
            [(factor, 1)] => factor,
            _ => {
                let (args, powers) = factors.into_iter().unzip();
                self.graph.intern(Op::Product { powers }, args, ty)
            }
        };
        if term.coefficient != 1.0 {
            node = self.graph.intern(Op::Sum { coefficients: vec![term.coefficient.to_bits()] }, vec![node], ty);
        }
        self.under_guards(guards, node)
    }

    /// True for a sum of which an addend has one of the guards itself.
    fn repeats_guard(&mut self, sum: NodeId, guards: &[NodeId]) -> bool {
        !guards.is_empty()
            && matches!(self.graph.op(sum), Op::Sum { .. })
            && (self.graph.args(sum).to_vec().into_iter())
                .any(|addend| self.term(addend).guards.iter().any(|guard| guards.contains(guard)))
    }

    /// `if guards { node } else { 0 }`.
    pub(super) fn under_guards(&mut self, guards: Vec<NodeId>, node: NodeId) -> NodeId {
        if guards.is_empty() {
            return node;
        }
        let (condition, zero) = (self.all(guards), self.zero(self.graph.ty(node)));
        self.graph.select(condition, node, zero)
    }

    /// Orders guards by rank and drops repetitions.
    pub(super) fn sort_guards(&self, guards: &mut Vec<NodeId>) {
        guards.sort_by_key(|&guard| self.rank(guard));
        guards.dedup();
    }

    /// Merges equal factors, and replaces `a / b` by the forward node that has computed it: the quotient is then one
    /// residual instead of two.
    fn cover_quotients(&self, factors: Vec<(NodeId, i32)>) -> Vec<(NodeId, i32)> {
        let mut factors = self.merge_factors(factors);
        loop {
            let covered = (factors.iter().filter(|(_, power)| *power > 0))
                .flat_map(|&(a, _)| factors.iter().filter(|(_, power)| *power < 0).map(move |&(b, _)| (a, b)))
                .find_map(|(a, b)| self.quotients.get(&(a, b)).map(|&quotient| (a, b, quotient)));
            let Some((a, b, quotient)) = covered else {
                return factors;
            };
            factors.extend([(a, -1), (b, 1), (quotient, 1)]);
            factors = self.merge_factors(factors);
        }
    }

    /// Adds the powers of equal factors and orders them by rank.
    pub(super) fn merge_factors(&self, mut factors: Vec<(NodeId, i32)>) -> Vec<(NodeId, i32)> {
        factors.sort_by_key(|&(factor, _)| self.rank(factor));
        let mut merged: Vec<(NodeId, i32)> = vec![];
        for (factor, power) in factors {
            match merged.last_mut() {
                Some((last, total)) if *last == factor => *total += power,
                _ => merged.push((factor, power)),
            }
        }
        merged.retain(|&(_, power)| power != 0);
        merged
    }

    /// Splits `a && b`.
    fn push_conjuncts(&self, condition: NodeId, conjuncts: &mut Vec<NodeId>) {
        match self.graph.op(condition) {
            Op::Binary(Binary::And) => {
                self.push_conjuncts(self.graph.args(condition)[0], conjuncts);
                self.push_conjuncts(self.graph.args(condition)[1], conjuncts);
            }
            _ => conjuncts.push(condition),
        }
    }

    /// A condition without which a term whose only factor is a sum of guarded addends is 0.
    fn support(&mut self, term: &Term) -> Option<NodeId> {
        let [(sum, 1)] = term.factors[..] else {
            return None;
        };
        if !matches!(self.graph.op(sum), Op::Sum { .. }) || mutation::is(Mutation::UnguardedSum) {
            return None;
        }
        let mut support: Option<NodeId> = None;
        for addend in self.graph.args(sum).to_vec() {
            let guards = self.term(addend).guards;
            if guards.is_empty() {
                return None;
            }
            let guard = self.all(guards);
            support = Some(match support {
                Some(other) => self.graph.binary(Binary::Or, other, guard),
                None => guard,
            });
        }
        support
    }
}

impl Term {
    /// A node that is no product itself.
    pub(super) fn atom(node: NodeId) -> Self {
        Self { coefficient: 1.0, guards: vec![], factors: vec![(node, 1)] }
    }
}
