//! Every rule made wrong in turn is noticed.

use std::cell::RefCell;
use std::collections::BTreeSet;

use super::operations::cases;
use super::vectors::vectors;
use crate::ir::{Binary, NodeId, Op, Reduction, Unary};
use crate::simplify::Algebra;
use crate::simplify::mutation::{self, Mutation};

thread_local! {
    /// The rules that were asked for a contribution.
    static USED: RefCell<BTreeSet<(&'static str, usize)>> = const { RefCell::new(BTreeSet::new()) };
}

/// The contribution of a node to an operand, wrong if its rule is.
pub(in crate::diff) fn scaled(algebra: &mut Algebra<'_>, node: NodeId, operand: usize, contribution: NodeId) -> NodeId {
    let rule = name(algebra.graph.op(node));
    USED.with_borrow_mut(|used| used.insert((rule, operand)));
    match mutation::is(Mutation::Scaled(rule, operand)) {
        true => algebra.scale(1.25, contribution),
        false => contribution,
    }
}

/// The name of an operation's rule.
fn name(op: &Op) -> &'static str {
    match op {
        Op::Unary(op) => UNARY.iter().find(|(other, _)| other == op).map_or("other function", |(_, name)| name),
        Op::Binary(op) => BINARY.iter().find(|(other, _)| other == op).map_or("other function", |(_, name)| name),
        Op::Reduce { op: Reduction::Sum, .. } => "sum",
        Op::Reduce { op: Reduction::Prod, .. } => "prod",
        Op::Reduce { op: Reduction::Max, .. } => "largest",
        Op::Reduce { op: Reduction::Min, .. } => "smallest",
        Op::Fma => "fma",
        Op::Select => "select",
        Op::Cast(_) => "cast",
        Op::Convert(_) => "convert",
        _ => "other operation",
    }
}

const UNARY: [(Unary, &str); 25] = [
    (Unary::Neg, "neg"),
    (Unary::Exp, "exp"),
    (Unary::Exp2, "exp2"),
    (Unary::Ln, "ln"),
    (Unary::Log2, "log2"),
    (Unary::Log10, "log10"),
    (Unary::Log1p, "log1p"),
    (Unary::Expm1, "expm1"),
    (Unary::Sqrt, "sqrt"),
    (Unary::Rsqrt, "rsqrt"),
    (Unary::Cbrt, "cbrt"),
    (Unary::Sin, "sin"),
    (Unary::Cos, "cos"),
    (Unary::Tan, "tan"),
    (Unary::Asin, "asin"),
    (Unary::Acos, "acos"),
    (Unary::Atan, "atan"),
    (Unary::Sinh, "sinh"),
    (Unary::Cosh, "cosh"),
    (Unary::Tanh, "tanh"),
    (Unary::Sigmoid, "sigmoid"),
    (Unary::Softplus, "softplus"),
    (Unary::Erf, "erf"),
    (Unary::Erfc, "erfc"),
    (Unary::Abs, "abs"),
];

const BINARY: [(Binary, &str); 11] = [
    (Binary::Add, "add"),
    (Binary::Sub, "sub"),
    (Binary::Mul, "mul"),
    (Binary::Div, "div"),
    (Binary::Rem, "rem"),
    (Binary::Powf, "powf"),
    (Binary::Powi, "powi"),
    (Binary::Atan2, "atan2"),
    (Binary::Xlogy, "xlogy"),
    (Binary::Max, "max"),
    (Binary::Min, "min"),
];

/// Every rule that contributes to an operand.
fn rules() -> BTreeSet<(&'static str, usize)> {
    let one = UNARY.iter().map(|&(_, name)| (name, 0));
    let two = BINARY.iter().flat_map(|&(op, name)| (0..if op == Binary::Powi { 1 } else { 2 }).map(move |i| (name, i)));
    let others = [("sum", 0), ("prod", 0), ("largest", 0), ("smallest", 0), ("cast", 0)];
    let more = [("fma", 0), ("fma", 1), ("fma", 2), ("select", 1), ("select", 2)];
    one.chain(two).chain(others).chain(more).collect()
}

/// True if a vector or a difference quotient disagrees, or an assertion fails.
fn is_noticed() -> bool {
    let fails = |check: &dyn Fn() -> Result<(), String>| {
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(check)).map_or(true, |result| result.is_err())
    };
    vectors().iter().any(|vector| fails(&|| vector.check())) || cases().iter().any(|case| fails(&|| case.check()))
}

#[test]
fn every_contribution_made_wrong_is_noticed() {
    assert!(!is_noticed(), "the rules are right at first");
    let used: BTreeSet<_> = USED.with_borrow(Clone::clone);
    assert_eq!(used, rules(), "every rule is used by a test, and every rule that is used is listed");
    let missed: Vec<_> = (rules().into_iter())
        .filter(|&(rule, operand)| !mutation::with(Mutation::Scaled(rule, operand), is_noticed))
        .collect();
    assert!(missed.is_empty(), "wrong contributions without a red test: {missed:?}");
}

#[test]
fn every_convention_made_wrong_is_noticed() {
    let mutations = [
        Mutation::MissingSize,
        Mutation::Capture,
        Mutation::UnguardedBranch,
        Mutation::UnguardedSum,
        Mutation::UnsharedTies,
        Mutation::WholeTies,
        Mutation::LosingConstant,
        Mutation::IgnoredZeros,
        Mutation::PowerOfZero,
        Mutation::PowerAtZero,
        Mutation::LogarithmAtZero,
        Mutation::EveryElement,
        Mutation::UnguardedLoad,
        Mutation::EverythingIsZero,
        Mutation::LongerAxis,
        Mutation::BetweenSteps,
        Mutation::PickedOutside,
        Mutation::ResidualAtOwnIndex,
    ];
    let missed: Vec<_> = mutations.into_iter().filter(|&mutation| !mutation::with(mutation, is_noticed)).collect();
    assert!(missed.is_empty(), "wrong conventions without a red test: {missed:?}");
}
