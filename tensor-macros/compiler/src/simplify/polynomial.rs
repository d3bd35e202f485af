//! The zero proof: expressions as polynomials in atoms.
//!
//! An *atom* is whatever is not arithmetic: a load, an exponential, a size, a condition (as an indicator, 0 or 1), a sum
//! over axes of a product of atoms that all vary along them. A *monomial* is a product of atoms to integer powers; two
//! expressions with the same polynomial are equal wherever they are finite. The expanded form is never used as code: it
//! differences large numbers.

use std::collections::BTreeMap;

use super::Algebra;
use super::mutation::{self, Mutation};
use crate::ir::{AxisId, AxisSet, Binary, Extent, ExtentId, Literal, NodeId, Op, Reduction, Source, Unary};

/// Proofs give up beyond this many terms.
const MAX_TERMS: usize = 400;

/// Proofs give up beyond this power of an atom.
const MAX_POWER: i32 = 64;

/// Coefficients that cancel up to this share of themselves cancel: constants like 0.1 have been rounded.
const ROUNDING: f64 = 1e-12;

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Atom {
    Size(ExtentId),
    Condition(NodeId),
    Node(NodeId),
    Sum(Vec<AxisId>, Monomial),
}

/// Powers by atom, none of them 0.
type Monomial = BTreeMap<Atom, i32>;

/// Coefficients by monomial, none of them 0.
#[derive(Clone, Default, Debug)]
pub(super) struct Polynomial(BTreeMap<Monomial, f64>);

impl Algebra<'_> {
    /// True if the sum of `body` over `axes` is proved to be zero for all values of its loads.
    pub(super) fn sums_to_zero(&mut self, axes: &AxisSet, body: NodeId) -> bool {
        let sum = self.polynomial(body).and_then(|body| self.sum_polynomial(axes, &body));
        let sum = sum.and_then(|sum| self.clear_denominators(sum));
        sum.is_some_and(|sum| sum.0.is_empty()) || mutation::is(Mutation::EverythingIsZero)
    }

    /// The polynomial of a node; `None` if it has too many terms.
    fn polynomial(&mut self, node: NodeId) -> Option<Polynomial> {
        if let Some(known) = self.polynomials.get(&node) {
            return known.clone();
        }
        let polynomial = self.expand(node);
        self.polynomials.insert(node, polynomial.clone());
        polynomial
    }

    fn expand(&mut self, node: NodeId) -> Option<Polynomial> {
        let args = self.graph.args(node).to_vec();
        match self.graph.op(node).clone() {
            Op::Const(Literal::Float(bits)) if f64::from_bits(bits).is_finite() => {
                Some(Polynomial::constant(f64::from_bits(bits)))
            }
            Op::Convert(_) => {
                Some(self.integer_polynomial(args[0]).unwrap_or_else(|| Polynomial::atom(Atom::Node(node))))
            }
            Op::Unary(Unary::Neg) => Some(self.polynomial(args[0])?.scaled(-1.0)),
            Op::Binary(Binary::Add) => self.polynomial(args[0])?.plus(&self.polynomial(args[1])?),
            Op::Binary(Binary::Sub) => self.polynomial(args[0])?.plus(&self.polynomial(args[1])?.scaled(-1.0)),
            Op::Binary(Binary::Mul) => self.polynomial(args[0])?.times(&self.polynomial(args[1])?),
            Op::Binary(Binary::Div) => {
                let inverse = self.power_polynomial(args[1], -1)?;
                self.polynomial(args[0])?.times(&inverse)
            }
            Op::Binary(Binary::Powi) => match self.graph.op(args[1]) {
                Op::Const(Literal::Int(power)) if power.abs() <= 4 => self.power_polynomial(args[0], *power as i32),
                _ => Some(Polynomial::atom(Atom::Node(node))),
            },
            Op::Fma => self.polynomial(args[0])?.times(&self.polynomial(args[1])?)?.plus(&self.polynomial(args[2])?),
            Op::Select => {
                let condition = self.indicator(args[0])?;
                let [a, b] = [self.polynomial(args[1])?, self.polynomial(args[2])?];
                // A condition times infinity says nothing.
                if a.has_constant_factor(self) || b.has_constant_factor(self) {
                    return Some(Polynomial::atom(Atom::Node(node)));
                }
                b.plus(&a.plus(&b.scaled(-1.0))?.times(&condition)?)
            }
            Op::Reduce { op: Reduction::Sum, axes } if self.graph.ty(node).is_float() => {
                let body = self.polynomial(args[0])?;
                self.sum_polynomial(&axes.into_iter().collect(), &body)
            }
            Op::Sum { coefficients } => {
                let mut sum = Polynomial::default();
                for (coefficient, arg) in coefficients.into_iter().zip(args) {
                    sum = sum.plus(&self.polynomial(arg)?.scaled(f64::from_bits(coefficient)))?;
                }
                Some(sum)
            }
            Op::Product { powers } => {
                let mut product = Polynomial::constant(1.0);
                for (power, arg) in powers.into_iter().zip(args) {
                    product = product.times(&self.power_polynomial(arg, power)?)?;
                }
                Some(product)
            }
            Op::Stop => self.polynomial(args[0]),
            Op::Load { source: Source::Temp(position), guarded: false } => {
                let temp = self.temps[position as usize].clone();
                let own = args.iter().zip(&temp.axes).all(|(&index, &axis)| self.graph.as_index(index) == Some(axis));
                if own { self.polynomial(temp.node) } else { Some(Polynomial::atom(Atom::Node(node))) }
            }
            _ => Some(Polynomial::atom(Atom::Node(node))),
        }
    }

    /// `node` to a power; the inverse of several terms is an atom.
    fn power_polynomial(&mut self, node: NodeId, power: i32) -> Option<Polynomial> {
        let base = self.polynomial(node)?;
        if power >= 0 {
            return (0..power).try_fold(Polynomial::constant(1.0), |product, _| product.times(&base));
        }
        let inverse = base.0.iter().next().filter(|(monomial, _)| {
            base.0.len() == 1 && !monomial.keys().any(|atom| matches!(atom, Atom::Condition(_)))
        });
        Some(match inverse {
            Some((monomial, coefficient)) => {
                let monomial = monomial.iter().map(|(atom, exponent)| (atom.clone(), exponent * power)).collect();
                Polynomial([(monomial, coefficient.powi(power))].into())
            }
            None => Polynomial([([(Atom::Node(node), power)].into(), 1.0)].into()),
        })
    }

    /// 1 where a condition holds, else 0.
    fn indicator(&mut self, condition: NodeId) -> Option<Polynomial> {
        let args = self.graph.args(condition).to_vec();
        match self.graph.op(condition) {
            Op::Const(Literal::Bool(value)) => Some(Polynomial::constant(f64::from(u8::from(*value)))),
            Op::Unary(Unary::Not) => Polynomial::constant(1.0).plus(&self.indicator(args[0])?.scaled(-1.0)),
            Op::Binary(Binary::And) => self.indicator(args[0])?.times(&self.indicator(args[1])?),
            _ => {
                // A comparison of integers and its opposite add up to 1.
                let opposite = self.not(condition);
                match opposite < condition && !matches!(self.graph.op(opposite), Op::Unary(Unary::Not)) {
                    true => Polynomial::constant(1.0).plus(&Polynomial::atom(Atom::Condition(opposite)).scaled(-1.0)),
                    false => Some(Polynomial::atom(Atom::Condition(condition))),
                }
            }
        }
    }

    /// Products of sizes and constants, which are exact as floats; indices and integer tensors are left alone.
    fn integer_polynomial(&self, node: NodeId) -> Option<Polynomial> {
        match self.graph.op(node) {
            Op::Size(extent) => Some(self.size_polynomial(*extent)),
            Op::Const(Literal::Int(value)) => Some(Polynomial::constant(*value as f64)),
            Op::Binary(Binary::Mul) => {
                let [x, y] = [self.graph.args(node)[0], self.graph.args(node)[1]];
                self.integer_polynomial(x)?.times(&self.integer_polynomial(y)?)
            }
            _ => None,
        }
    }

    fn size_polynomial(&self, extent: ExtentId) -> Polynomial {
        match self.graph.extent(extent) {
            Extent::Literal(size) => Polynomial::constant(size as f64),
            Extent::Declared | Extent::Computed(_) => Polynomial::atom(Atom::Size(extent)),
        }
    }

    /// The sum over `axes`, monomial by monomial.
    fn sum_polynomial(&self, axes: &AxisSet, body: &Polynomial) -> Option<Polynomial> {
        let mut sum = Polynomial::default();
        for (monomial, &coefficient) in &body.0 {
            let term = self.sum_monomial(axes, monomial)?.scaled(coefficient);
            sum = sum.plus(&term)?;
        }
        Some(sum)
    }

    /// Atoms that do not vary along the axes leave the sum, axes that nothing varies along give their size, independent
    /// axes are separate sums, and a sum within becomes part of this one.
    fn sum_monomial(&self, axes: &AxisSet, monomial: &Monomial) -> Option<Polynomial> {
        let (mut inside, mut outside): (Monomial, Monomial) = (Monomial::new(), Monomial::new());
        for (atom, &power) in monomial {
            let place = if self.atom_axes(atom).is_disjoint(axes) { &mut outside } else { &mut inside };
            place.insert(atom.clone(), power);
        }
        let mut product = Polynomial([(outside, 1.0)].into());
        let mut varying: AxisSet =
            inside.keys().flat_map(|atom| self.atom_axes(atom).intersection(axes).iter().collect::<Vec<_>>()).collect();
        for missing in axes.difference(&varying).iter() {
            product = product.times(&self.size_polynomial(self.graph.axis(missing).extent))?;
        }
        while let Some((atom, bound, body)) = inside.iter().find_map(|(atom, &power)| match atom {
            Atom::Sum(bound, body) if power == 1 => Some((atom.clone(), bound.clone(), body.clone())),
            _ => None,
        }) {
            let bound: AxisSet = bound.into_iter().collect();
            let others = inside.keys().filter(|&other| *other != atom);
            if !bound.is_disjoint(&varying)
                || others.into_iter().any(|other| !self.atom_axes(other).is_disjoint(&bound))
            {
                break;
            }
            inside.remove(&atom);
            for (atom, power) in body {
                *inside.entry(atom).or_insert(0) += power;
            }
            inside.retain(|_, power| *power != 0);
            varying = varying.union(&bound);
        }
        while !varying.is_empty() {
            let first = varying.iter().next().expect("it is not empty");
            let mut group: AxisSet = [first].into_iter().collect();
            loop {
                let next: AxisSet = (inside.keys().map(|atom| self.atom_axes(atom).intersection(&varying)))
                    .filter(|axes| !axes.is_disjoint(&group))
                    .fold(group.clone(), |a, b| a.union(&b));
                if next == group {
                    break;
                }
                group = next;
            }
            let (members, others): (Monomial, Monomial) =
                inside.into_iter().partition(|(atom, _)| !self.atom_axes(atom).is_disjoint(&group));
            product = product.times(&Polynomial::atom(Atom::Sum(group.iter().collect(), members)))?;
            inside = others;
            varying = varying.difference(&group);
        }
        Some(product)
    }

    fn atom_axes(&self, atom: &Atom) -> AxisSet {
        match atom {
            Atom::Size(_) => AxisSet::new(),
            Atom::Condition(node) | Atom::Node(node) => self.graph.axes(*node).clone(),
            Atom::Sum(bound, body) => {
                let axes: AxisSet =
                    body.keys().flat_map(|atom| self.atom_axes(atom).iter().collect::<Vec<_>>()).collect();
                axes.difference(&bound.iter().copied().collect())
            }
        }
    }

    /// Multiplies by the denominators that are sums of several terms, so that they meet their own numerators.
    fn clear_denominators(&mut self, mut polynomial: Polynomial) -> Option<Polynomial> {
        loop {
            let denominator = polynomial.0.keys().flatten().find_map(|(atom, &power)| match atom {
                Atom::Node(node) if power < 0 => Some((*node, power)).filter(|_| !polynomial_is_atom(self, *node)),
                _ => None,
            });
            let Some((node, _)) = denominator else {
                return Some(polynomial);
            };
            let atom = Atom::Node(node);
            let lowest = polynomial.0.keys().filter_map(|monomial| monomial.get(&atom)).min().copied()?;
            let mut cleared = Polynomial::default();
            for (mut monomial, coefficient) in polynomial.0 {
                let power = monomial.remove(&atom).unwrap_or(0) - lowest;
                let numerator = self.power_polynomial(node, power)?;
                let term = Polynomial([(monomial, coefficient)].into()).times(&numerator)?;
                cleared = cleared.plus(&term)?;
            }
            polynomial = cleared;
        }
    }
}

/// True if a node is its own polynomial.
fn polynomial_is_atom(algebra: &mut Algebra<'_>, node: NodeId) -> bool {
    let polynomial = algebra.polynomial(node);
    polynomial.is_none_or(|polynomial| polynomial.0.keys().all(|monomial| monomial.contains_key(&Atom::Node(node))))
}

impl Polynomial {
    fn constant(value: f64) -> Self {
        let mut polynomial = Self::default();
        if value != 0.0 {
            polynomial.0.insert(Monomial::new(), value);
        }
        polynomial
    }

    fn atom(atom: Atom) -> Self {
        Self([([(atom, 1)].into(), 1.0)].into())
    }

    fn scaled(&self, factor: f64) -> Self {
        Self(self.0.iter().map(|(monomial, coefficient)| (monomial.clone(), coefficient * factor)).collect())
    }

    fn plus(&self, other: &Self) -> Option<Self> {
        let mut sum = self.clone();
        for (monomial, &coefficient) in &other.0 {
            sum.insert(monomial.clone(), coefficient);
        }
        (sum.0.len() <= MAX_TERMS).then_some(sum)
    }

    fn times(&self, other: &Self) -> Option<Self> {
        let mut product = Self::default();
        for (x, a) in &self.0 {
            for (y, b) in &other.0 {
                let mut monomial = x.clone();
                for (atom, &power) in y {
                    let total = monomial.entry(atom.clone()).or_insert(0);
                    *total = if matches!(atom, Atom::Condition(_)) { 1 } else { *total + power };
                }
                monomial.retain(|_, power| *power != 0);
                if monomial.values().any(|power| power.abs() > MAX_POWER) {
                    return None;
                }
                product.insert(monomial, a * b);
            }
            // What is too long now may still cancel; what is far too long will not.
            if product.0.len() > 2 * MAX_TERMS {
                return None;
            }
        }
        if product.0.len() > MAX_TERMS {
            return None;
        }
        Some(product)
    }

    fn insert(&mut self, monomial: Monomial, coefficient: f64) {
        let total = self.0.entry(monomial.clone()).or_insert(0.0);
        let larger = total.abs().max(coefficient.abs());
        *total += coefficient;
        if total.abs() <= ROUNDING * larger {
            self.0.remove(&monomial);
        }
    }

    /// True if a constant that is no number stands in it: infinity and NaN are atoms, whose powers mean nothing.
    fn has_constant_factor(&self, algebra: &Algebra<'_>) -> bool {
        (self.0.keys().flatten())
            .any(|(atom, _)| matches!(atom, Atom::Node(node) if matches!(algebra.graph.op(*node), Op::Const(_))))
    }
}
