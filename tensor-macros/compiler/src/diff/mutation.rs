//! Wrong derivatives on demand: the proof that the tests would see them.

use std::cell::Cell;

use crate::ir::{NodeId, Op};
use crate::simplify::Algebra;

thread_local! {
    static ACTIVE: Cell<Option<Mutation>> = const { Cell::new(None) };
}

/// One wrong rule.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Mutation {
    /// The contribution of an operation (by its name in [`name`]) to one of its operands is 1.25 times what it should be.
    Scaled(&'static str, usize),
}

/// Runs `test` with a rule made wrong.
pub(super) fn with<R>(mutation: Mutation, test: impl FnOnce() -> R) -> R {
    ACTIVE.set(Some(mutation));
    let result = test();
    ACTIVE.set(None);
    result
}

/// The contribution, wrong if this is the rule.
pub(super) fn scaled(algebra: &mut Algebra<'_>, node: NodeId, operand: usize, contribution: NodeId) -> NodeId {
    match ACTIVE.get() {
        Some(Mutation::Scaled(rule, place)) if place == operand && rule == name(algebra.graph.op(node)) => {
            algebra.scale(1.25, contribution)
        }
        _ => contribution,
    }
}

/// The name of an operation's rule.
pub(super) fn name(op: &Op) -> String {
    match op {
        Op::Unary(op) => format!("{op:?}"),
        Op::Binary(op) => format!("{op:?}"),
        Op::Reduce { op, .. } => format!("Reduce{op:?}"),
        Op::Cast(_) => "Cast".to_owned(),
        Op::Convert(_) => "Convert".to_owned(),
        other => format!("{other:?}"),
    }
}
