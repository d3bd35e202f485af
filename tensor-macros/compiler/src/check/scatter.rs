//! Writes that combine into elements: `p[i] += e` of a `&mut` parameter, and everything of an `&atomic` one.
//!
//! An `&atomic` parameter may be changed by other threads at any time. So a kernel neither reads nor overwrites it, and
//! combines into it in one way only: between two ways the threads' order would show.

use quote::ToTokens;

use super::statements::strip;
use super::value::{Value, Written};
use super::{Checker, Param, functions};
use crate::ir::{AxisSet, Binary, Intent, NodeId, Reduction, Root, Target, Write};

/// What a statement combines into an element, and how.
struct Combination<'a> {
    op: Reduction,
    /// `-=` adds the negative.
    negated: bool,
    operand: &'a syn::Expr,
}

impl Checker<'_> {
    /// `p[i] += e` adds into computed elements, over all points that `i` iterates.
    pub(super) fn assign_indexed(
        &mut self,
        position: u32,
        left: &syn::ExprIndex,
        op: Option<Binary>,
        right: &syn::Expr,
    ) {
        let tensor = self.tensors[position as usize].clone();
        let Some(index) = self.indices(position, left) else {
            self.expr(right);
            return;
        };
        let bare: Vec<_> = index.iter().map(|&index| self.graph.as_index(index)).collect();
        if bare.iter().zip(&tensor.axes).all(|(bare, own)| *bare == Some(*own)) {
            self.assign_own(position, &left.expr, op, right);
            return;
        }
        let value = self.combined_value(&index, right);
        let negated = match op {
            Some(Binary::Add) => false,
            Some(Binary::Sub) => true,
            _ => {
                let message = format!("only `+=` and `-=` write `{}` at a computed index", tensor.name);
                let help = format!(
                    "several points may meet in one element; write `{0} = ..` for each element's own value",
                    tensor.name
                );
                self.errors.error(left, format!("{message}\nhelp: {help}"));
                return;
            }
        };
        if self.scatter(position, index, value, &Combination { op: Reduction::Sum, negated, operand: right }) {
            self.edits[position as usize].scattered = true;
        }
    }

    /// The `&atomic` parameter that an assignment names on its left, by position.
    pub(super) fn atomic_target(&self, left: &syn::Expr) -> Option<u32> {
        let target = match strip(left) {
            syn::Expr::Index(index) => strip(&index.expr),
            other => other,
        };
        let name = functions::bare_name(target)?.to_string();
        if self.scope.iter().any(|(local, _)| *local == name) {
            return None;
        }
        match self.params.get(&name) {
            Some(Param::Tensor { position, .. }) => Some(*position),
            Some(Param::Scalar(_)) | None => None,
        }
        .filter(|&position| self.tensors[position as usize].intent == Intent::Atomic)
    }

    /// `acc += e`, `acc[i] += e`, `acc[i] = max(acc[i], e)`: over all points that the index iterates.
    pub(super) fn accumulate(&mut self, position: u32, left: &syn::Expr, op: Option<Binary>, right: &syn::Expr) {
        let tensor = self.tensors[position as usize].clone();
        let name = &tensor.name;
        let Some(combination) = combination(left, op, right) else {
            self.expr_besides(position, right);
            let text = if matches!(strip(left), syn::Expr::Index(_)) { format!("{name}[..]") } else { name.clone() };
            let help = format!("write `{text} += ..`, `{text} = max({text}, ..)` or `{text} = min({text}, ..)`");
            self.errors.error(
                left,
                format!("`{name}` is `&atomic`: other threads may be changing it, so it is only accumulated into\nhelp: {help}"),
            );
            return;
        };
        let index = match strip(left) {
            syn::Expr::Index(index) => self.indices(position, index),
            _ => Some(tensor.axes.iter().map(|&axis| self.graph.index(axis)).collect()),
        };
        let Some(index) = index else {
            self.expr(combination.operand);
            return;
        };
        let value = self.combined_value(&index, combination.operand);
        if let Some(other) = self.other_combination(position, combination.op) {
            let [first, second] = [other, combination.op].map(verb);
            self.errors.error(
                left,
                format!("`{name}` {first} and {second} in one kernel, so the result would depend on the order of the threads\nhelp: write a kernel and an `&atomic` tensor for each"),
            );
            return;
        }
        self.scatter(position, index, value, &combination);
    }

    /// The value that is combined at each point which an index iterates.
    fn combined_value(&mut self, index: &[NodeId], operand: &syn::Expr) -> Option<Value> {
        let over: AxisSet = index.iter().flat_map(|&index| self.graph.axes(index).iter()).collect();
        self.of_element(over.iter().collect(), |checker| checker.expr(operand))
    }

    /// Checks an expression whose value is of no use, unless what is wrong with it is the read of a parameter that was
    /// reported.
    fn expr_besides(&mut self, position: u32, expr: &syn::Expr) {
        let name = &self.tensors[position as usize].name;
        let mentions = expr.to_token_stream().into_iter().flat_map(super::statements::leaves).any(|leaf| leaf == *name);
        if !mentions {
            self.expr(expr);
        }
    }

    /// Another way in which the body combines into a parameter.
    fn other_combination(&self, position: u32, op: Reduction) -> Option<Reduction> {
        let of_param = self.roots.iter().filter(|root| root.target == Target::Edit(position));
        let mut ops = of_param.filter_map(|root| match &root.write {
            Write::Scatter { op, .. } => Some(*op),
            Write::Dense { .. } => None,
        });
        ops.find(|other| *other != op)
    }

    /// Adds the root of a write that combines; false after a mistake.
    fn scatter(
        &mut self,
        position: u32,
        index: Vec<NodeId>,
        value: Option<Value>,
        combination: &Combination<'_>,
    ) -> bool {
        let tensor = self.tensors[position as usize].clone();
        let &Combination { op, negated, operand } = combination;
        let written = Written::new(operand);
        let Some(value) = value else { return false };
        let name = format!("`{}`", tensor.name);
        let Some(mut node) = self.adapt_or_error(value, tensor.elem.ty(), &written, &name) else { return false };
        let symbol = match (op, negated) {
            (Reduction::Max, _) => "max",
            (Reduction::Min, _) => "min",
            (_, true) => "-=",
            (_, false) => "+=",
        };
        if !self.check_numeric(node, symbol, &written) {
            return false;
        }
        if negated {
            node = self.negate(node);
        }
        let over: AxisSet = index.iter().flat_map(|&index| self.graph.axes(index).iter()).collect();
        let guard = self.path;
        self.check_scattered_axes(node, &over, &written, &tensor.name);
        if let Some(guard) = guard {
            self.check_scattered_axes(guard, &over, &written, &tensor.name);
        }
        let write = Write::Scatter { index, over: over.iter().collect(), op, guard };
        self.roots.push(Root { target: Target::Edit(position), write, value: node });
        true
    }

    /// What is combined at an index varies along the axes that the index iterates, and no others.
    fn check_scattered_axes(&mut self, node: NodeId, iterated: &AxisSet, written: &Written, name: &str) {
        for axis in self.graph.axes(node).difference(iterated).iter() {
            let place = self.places.source_of_axis(&self.graph, node, axis).unwrap_or(written.place);
            let label = self.graph.axis(axis).name.clone();
            let message = format!("axis `{label}` is neither iterated by the index of `{name}` nor reduced");
            self.errors.error(place, format!("{message}\nhelp: reduce it: `sum[{label}](..)`"));
        }
    }
}

/// How an assignment to an `&atomic` parameter combines, if it does: `+=`, `-=`, or `acc = max(acc, e)`, where the operand
/// that is the left side is not read but combined into.
fn combination<'a>(left: &syn::Expr, op: Option<Binary>, right: &'a syn::Expr) -> Option<Combination<'a>> {
    match op {
        Some(Binary::Add) => return Some(Combination { op: Reduction::Sum, negated: false, operand: right }),
        Some(Binary::Sub) => return Some(Combination { op: Reduction::Sum, negated: true, operand: right }),
        Some(_) => return None,
        None => {}
    }
    let syn::Expr::Call(call) = strip(right) else { return None };
    let op = match functions::bare_name(strip(&call.func))?.to_string().as_str() {
        "max" => Reduction::Max,
        "min" => Reduction::Min,
        _ => return None,
    };
    let text = |expr: &syn::Expr| strip(expr).to_token_stream().to_string();
    let is_left = |expr: &&syn::Expr| text(expr) == text(left);
    let arguments: Vec<&syn::Expr> = call.args.iter().collect();
    match arguments[..] {
        [a, operand] if is_left(&a) => Some(Combination { op, negated: false, operand }),
        [operand, b] if is_left(&b) => Some(Combination { op, negated: false, operand }),
        _ => None,
    }
}

/// What a combination does to a parameter.
fn verb(op: Reduction) -> &'static str {
    match op {
        Reduction::Max => "is raised by `max`",
        Reduction::Min => "is lowered by `min`",
        _ => "is added into",
    }
}
