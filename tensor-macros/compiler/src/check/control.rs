//! `if`, `&&` and `||`: what is evaluated where.

use super::value::{Value, Written, unify};
use super::{Checker, Edited};
use crate::errors::Place;
use crate::ir::{Binary, NodeId, Source, Ty, Unary};

impl Checker<'_> {
    /// `if c { a } else { b }`: both branches have one type.
    pub(super) fn if_value(&mut self, branch: &syn::ExprIf) -> Option<Value> {
        let condition = self.condition(&branch.cond);
        let then = self.under(condition, |checker| checker.value_block(&branch.then_branch));
        let Some((_, other)) = &branch.else_branch else {
            self.errors.error(branch.if_token, "an `if` without `else` has no value\nhelp: add `else { .. }`");
            return None;
        };
        let negated = condition.map(|condition| self.graph.unary(Unary::Not, condition));
        let otherwise = self.under(negated, |checker| checker.expr(other));
        let (condition, then, otherwise) = (condition?, then?, otherwise?);
        let (then, otherwise) = match unify(&mut self.graph, self.float, then, otherwise) {
            Ok(both) => both,
            Err(misfit) => {
                let rule = "both branches of `if` need one type";
                let texts = [
                    tail_text(&branch.then_branch),
                    match &**other {
                        syn::Expr::Block(block) => tail_text(&block.block),
                        other => Written::new(other).text,
                    },
                ];
                self.misfit(misfit, rule, [then, otherwise], texts, Place::of(other));
                return None;
            }
        };
        let node = self.graph.select(condition, then.node, otherwise.node);
        Some(Value { node, kind: then.kind })
    }

    /// `if c { y = a; } else { y = b; }`: each branch writes under its condition.
    pub(super) fn if_statement(&mut self, branch: &syn::ExprIf) {
        let condition = self.condition(&branch.cond);
        let before = self.edits.clone();
        self.under(condition, |checker| checker.effect_block(&branch.then_branch));
        let then = std::mem::replace(&mut self.edits, before.clone());
        if let Some((_, other)) = &branch.else_branch {
            let negated = condition.map(|condition| self.graph.unary(Unary::Not, condition));
            self.under(negated, |checker| checker.effect(other));
        }
        let Some(condition) = condition else { return };
        for (position, then) in then.into_iter().enumerate() {
            self.edits[position] = self.merged(position, condition, then, self.edits[position]);
        }
    }

    /// What a parameter holds after both branches.
    fn merged(&mut self, position: usize, condition: NodeId, then: Edited, otherwise: Edited) -> Edited {
        if then.value == otherwise.value {
            return Edited { value: then.value, scattered: then.scattered || otherwise.scattered };
        }
        let tensor = &self.tensors[position];
        let old = self.graph.load_own(Source::Param(position as u32), &tensor.axes, tensor.elem.ty());
        let axes = tensor.axes.clone();
        let name = format!("`{}`", tensor.name);
        let value = self.graph.select(condition, then.value.unwrap_or(old), otherwise.value.unwrap_or(old));
        let place = self.places.get(condition).unwrap_or(Place::at(self.function.span));
        self.check_free_axes(condition, &axes, &Written { place, text: String::new() }, &name);
        Edited { value: Some(value), scattered: then.scattered || otherwise.scattered }
    }

    /// A condition is `bool`.
    pub(super) fn condition(&mut self, expr: &syn::Expr) -> Option<NodeId> {
        if let syn::Expr::Let(pattern) = super::statements::strip(expr) {
            self.errors.error(pattern, "patterns do not exist in a kernel\nhelp: compare with `==`, `<` and the like");
            return None;
        }
        let value = self.expr(expr)?;
        match self.graph.ty(value.node) {
            Ty::Bool => Some(value.node),
            _ => {
                let found = self.describe(value);
                self.errors
                    .error(expr, format!("a condition is `bool`, found {found}\nhelp: compare it, as in `x != 0`"));
                None
            }
        }
    }

    /// `a && b` and `a || b`: the right side is evaluated only if the left one does not decide.
    pub(super) fn short_circuit(&mut self, op: Binary, left: &syn::Expr, right: &syn::Expr) -> Option<Value> {
        let a = self.condition(left);
        let reached = match op {
            Binary::Or => a.map(|a| self.graph.unary(Unary::Not, a)),
            _ => a,
        };
        let b = self.under(reached, |checker| checker.condition(right));
        let (a, b) = (a?, b?);
        Some(Value::typed(self.graph.binary(op, a, b)))
    }

    /// Evaluates something under a further condition.
    pub(super) fn under<R>(&mut self, condition: Option<NodeId>, evaluate: impl FnOnce(&mut Self) -> R) -> R {
        let outer = self.path;
        self.path = self.and(outer, condition);
        let result = evaluate(self);
        self.path = outer;
        result
    }

    /// Both of two conditions, the first one first; `None` always holds.
    pub(super) fn and(&mut self, first: Option<NodeId>, second: Option<NodeId>) -> Option<NodeId> {
        match (first, second) {
            (Some(first), Some(second)) => Some(self.graph.binary(Binary::And, first, second)),
            (first, second) => second.or(first),
        }
    }
}

/// How messages call the value of a block.
fn tail_text(block: &syn::Block) -> String {
    match block.stmts.last() {
        Some(syn::Stmt::Expr(tail, None)) => Written::new(tail).text,
        _ => "(..)".to_owned(),
    }
}
