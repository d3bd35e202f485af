//! Sums of terms.

use super::Algebra;
use super::term::Term;
use crate::ir::{NodeId, Op, Ty};

impl Algebra<'_> {
    /// The sum of nodes of type `ty`.
    pub fn add(&mut self, ty: Ty, addends: &[NodeId]) -> NodeId {
        let mut terms = vec![];
        for &addend in addends {
            let term = self.term(addend);
            self.flatten(term, &mut terms);
        }
        self.assemble(ty, terms)
    }

    /// The addends of a node, at least one unless it is zero.
    pub(super) fn addends(&mut self, node: NodeId) -> Vec<Term> {
        let mut terms = vec![];
        let term = self.term(node);
        self.flatten(term, &mut terms);
        terms
    }

    /// Splits a term whose one factor is a sum, and merges equal terms.
    fn flatten(&mut self, term: Term, terms: &mut Vec<Term>) {
        if let [(factor, 1)] = term.factors[..] {
            if self.is_zero(factor) {
                return;
            }
            if let Op::Sum { coefficients } = self.graph.op(factor).clone() {
                for (coefficient, addend) in coefficients.into_iter().zip(self.graph.args(factor).to_vec()) {
                    let mut addend = self.term(addend);
                    addend.coefficient *= term.coefficient * f64::from_bits(coefficient);
                    addend.guards.extend(&term.guards);
                    self.sort_guards(&mut addend.guards);
                    self.flatten(addend, terms);
                }
                return;
            }
        }
        match terms.iter_mut().find(|other| other.guards == term.guards && other.factors == term.factors) {
            Some(other) => other.coefficient += term.coefficient,
            None => terms.push(term),
        }
        terms.retain(|term| term.coefficient != 0.0);
    }

    /// The node of a sum of distinct terms.
    pub(super) fn assemble(&mut self, ty: Ty, mut terms: Vec<Term>) -> NodeId {
        match terms.len() {
            0 => return self.zero(ty),
            1 => return self.build(terms.remove(0), ty),
            _ => {}
        }
        let common: Vec<NodeId> = (terms[0].guards.iter().copied())
            .filter(|guard| terms.iter().all(|term| term.guards.contains(guard)))
            .collect();
        for term in &mut terms {
            term.guards.retain(|guard| !common.contains(guard));
        }
        if !common.is_empty() {
            let sum = self.assemble(ty, terms);
            let mut term = self.term(sum);
            term.guards.extend(common);
            return self.build(term, ty);
        }
        // A factor outside of guards would meet the zeros of all of them: it stays in if no addend is without one.
        if terms.iter().any(|term| term.guards.is_empty()) {
            let common = common_factors(&terms);
            if !common.is_empty() {
                let mut rest = vec![];
                for mut term in terms {
                    term.factors.extend(common.iter().map(|&(factor, power)| (factor, -power)));
                    term.factors = self.merge_factors(term.factors);
                    rest.push(self.build(term, ty));
                }
                let rest = self.add(ty, &rest);
                let mut product = self.term(rest);
                product.factors.extend(common);
                return self.build(product, ty);
            }
        }
        let addends = self.join_guards(ty, terms);
        self.sum_node(ty, addends)
    }

    /// Addends without equal guards: those under the same guards become one, those under a condition and its opposite
    /// a select.
    fn join_guards(&mut self, ty: Ty, terms: Vec<Term>) -> Vec<(f64, NodeId)> {
        let mut addends = vec![];
        let mut groups: Vec<(Vec<NodeId>, Vec<Term>)> = vec![];
        for mut term in terms {
            if term.guards.is_empty() {
                let coefficient = std::mem::replace(&mut term.coefficient, 1.0);
                addends.push(match term.factors.is_empty() {
                    true => (1.0, self.graph.float(coefficient, ty)),
                    false => (coefficient, self.build(term, ty)),
                });
                continue;
            }
            let guards = std::mem::take(&mut term.guards);
            match groups.iter_mut().find(|(other, _)| *other == guards) {
                Some((_, members)) => members.push(term),
                None => groups.push((guards, vec![term])),
            }
        }
        while let Some((guards, members)) = groups.pop() {
            let opposite = match guards[..] {
                [guard] => {
                    let opposite = self.not(guard);
                    groups.iter().position(|(other, _)| *other == [opposite])
                }
                _ => None,
            };
            let sum = self.assemble(ty, members);
            if let Some(place) = opposite {
                let (other, members) = groups.remove(place);
                let other_sum = self.assemble(ty, members);
                // The negated condition is the newer node; the select tests the other one.
                let select = match guards[0] < other[0] {
                    true => self.graph.select(guards[0], sum, other_sum),
                    false => self.graph.select(other[0], other_sum, sum),
                };
                addends.push((1.0, select));
                continue;
            }
            let mut term = self.term(sum);
            let coefficient = std::mem::replace(&mut term.coefficient, 1.0);
            term.guards.extend(guards);
            addends.push((coefficient, self.build(term, ty)));
        }
        addends
    }

    /// A sum under guards that some of its addends have themselves.
    pub(super) fn guarded_sum(&mut self, ty: Ty, term: Term) -> NodeId {
        let mut terms = vec![];
        self.flatten(term, &mut terms);
        self.assemble(ty, terms)
    }

    /// `coefficient` times a sum of several addends: it goes to each of them.
    pub(super) fn distribute(&mut self, ty: Ty, coefficient: f64, sum: NodeId) -> NodeId {
        let mut terms = vec![];
        self.flatten(Term { coefficient, ..Term::atom(sum) }, &mut terms);
        let addends = self.join_guards(ty, terms);
        self.sum_node(ty, addends)
    }

    /// The node of addends in canonical order: the first coefficient is positive, and 1 if all have the same size.
    fn sum_node(&mut self, ty: Ty, mut addends: Vec<(f64, NodeId)>) -> NodeId {
        addends.sort_by_key(|&(_, addend)| self.rank(addend));
        let first = addends[0].0;
        let equal = addends.iter().all(|(coefficient, _)| coefficient.abs() == first.abs());
        let content = if equal { first } else { first.signum() };
        let mut node = addends[0].1;
        if addends.len() > 1 {
            let (coefficients, args): (Vec<u64>, Vec<NodeId>) =
                addends.into_iter().map(|(coefficient, addend)| ((coefficient / content).to_bits(), addend)).unzip();
            node = self.graph.intern(Op::Sum { coefficients }, args, ty);
        }
        match content == 1.0 {
            true => node,
            false => self.graph.intern(Op::Sum { coefficients: vec![content.to_bits()] }, vec![node], ty),
        }
    }
}

/// The factors of every term, with the power nearest to 0.
fn common_factors(terms: &[Term]) -> Vec<(NodeId, i32)> {
    let mut common = terms[0].factors.clone();
    for term in &terms[1..] {
        common.retain_mut(|(factor, power)| {
            let other = term.factors.iter().find(|(other, _)| other == factor).map_or(0, |&(_, power)| power);
            *power = if *power > 0 { (*power).min(other) } else { (*power).max(other) };
            *power != 0 && (*power > 0) == (other > 0)
        });
    }
    common
}
