//! Assertions: `assert!(condition, "text")`.

use syn::Token;
use syn::punctuated::Punctuated;

use super::Checker;
use crate::ir::{Assertion, AxisId, Binary, NodeId, Op, Unary};

impl Checker<'_> {
    /// A macro in the place of a statement.
    pub(super) fn macro_statement(&mut self, call: &syn::Macro) {
        match call.path.is_ident("assert") {
            true => self.assertion(call),
            false => self.refuse_macro(call),
        }
    }

    /// An assertion has a condition and one literal text.
    fn assertion(&mut self, call: &syn::Macro) {
        if self.in_size {
            self.errors.error(&call.path, "an assertion stands in the body, not in a size\nhelp: move it there");
            return;
        }
        let arguments = match call.parse_body_with(Punctuated::<syn::Expr, Token![,]>::parse_terminated) {
            Ok(arguments) => arguments,
            Err(error) => {
                self.errors.push(error);
                return;
            }
        };
        let mut arguments = arguments.iter();
        let Some(condition) = arguments.next() else {
            self.errors.error(call, "`assert!` takes a condition\nhelp: write `assert!(x > 0, \"x is positive\")`");
            return;
        };
        let condition = self.condition(condition);
        let text = self.assertion_text(call, arguments.next(), arguments.next());
        if let (Some(condition), Some(text)) = (condition, text) {
            let condition = match self.path {
                Some(path) => {
                    let elsewhere = self.graph.unary(Unary::Not, path);
                    self.graph.binary(Binary::Or, elsewhere, condition)
                }
                None => condition,
            };
            let axes = self.assertion_axes(condition);
            self.assertions.push(Assertion { condition, axes, text });
        }
    }

    /// The text is shown as it is written.
    fn assertion_text(
        &mut self,
        call: &syn::Macro,
        text: Option<&syn::Expr>,
        further: Option<&syn::Expr>,
    ) -> Option<String> {
        let Some(text) = text else {
            let help = "say what is wrong where it fails: `assert!(x > 0, \"x is positive\")`";
            self.errors.error(call, format!("`assert!` has no text\nhelp: {help}"));
            return None;
        };
        let syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(literal), .. }) = text else {
            self.errors
                .error(text, "the text of `assert!` is one literal\nhelp: write it in quotes: `\"x is positive\"`");
            return None;
        };
        let value = literal.value();
        if further.is_some() || value.contains(['{', '}']) {
            let help = "the error has the index of the element; leave out braces and arguments";
            let place: &dyn quote::ToTokens = if further.is_some() { &further } else { text };
            self.errors.error(place, format!("no values are put into the text of `assert!`\nhelp: {help}"));
            return None;
        }
        Some(value)
    }

    /// The axes along which the condition varies, and those of the enclosing reductions: over no elements, their bodies
    /// are not executed. They stand in the order of the widest tensor in the condition, so that a position is an index of
    /// that tensor.
    fn assertion_axes(&self, condition: NodeId) -> Vec<AxisId> {
        let reduced = self.scope_axes.reduced().iter().copied();
        let mut left: Vec<AxisId> = self.graph.axes(condition).iter().collect();
        left.extend(reduced.filter(|axis| !self.graph.axes(condition).contains(*axis)));
        let read = self.graph.reachable(&[condition]).into_iter().filter_map(|id| match self.graph.op(id) {
            Op::Load { .. } => {
                let index = self.graph.args(id).iter().flat_map(|&index| self.graph.axes(index).iter());
                Some(index.filter(|axis| left.contains(axis)).collect::<Vec<_>>())
            }
            _ => None,
        });
        let widest = read.min_by_key(|axes| std::cmp::Reverse(axes.len())).unwrap_or_default();
        let mut axes = vec![];
        for axis in widest.into_iter().chain(self.scope_axes.all()).chain(left.iter().copied()) {
            if left.contains(&axis) && !axes.contains(&axis) {
                axes.push(axis);
            }
        }
        axes
    }
}
