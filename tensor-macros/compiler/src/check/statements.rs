//! Blocks and statements: `let`, assignments, the value of a body.

use proc_macro2::{Ident, TokenTree};
use quote::ToTokens;

use super::value::{Value, Written};
use super::{Checker, Param, functions, is_dense};
use crate::errors::Place;
use crate::ir::{AxisId, Binary, Intent, Literal, NodeId, Op, Root, Source, Target, Unary, Write};

impl Checker<'_> {
    /// The body: statements, then the outputs.
    pub(super) fn body(&mut self, block: &syn::Block) {
        let function = self.function;
        let expected = function.outputs.len();
        let (statements, tail) = split_tail(block);
        self.scope.clear();
        self.enter_body();
        for (position, statement) in statements.iter().enumerate() {
            match statement {
                // Reported below: the `;` is the mistake.
                syn::Stmt::Expr(expr, Some(_))
                    if expected > 0 && position + 1 == block.stmts.len() && !is_statement(expr) =>
                {
                    self.expr(expr);
                }
                statement => self.statement(statement),
            }
        }
        match tail {
            Some(tail) if is_statement(tail) => {
                self.effect(tail);
                self.check_has_value(block, expected);
            }
            Some(tail) if expected == 0 => {
                let text = "the body ends in a value, but the kernel declares no output";
                if self.expr(tail).is_some() {
                    self.errors.error(tail, format!("{text}\nhelp: declare it, `-> Tensor[..]`, or end with `;`"));
                }
            }
            Some(tail) if function.tuple => self.tuple(tail, expected),
            Some(tail) => {
                let value = self.output_expr(0, tail);
                self.write_output(0, value, tail);
            }
            None => self.check_has_value(block, expected),
        }
    }

    /// A kernel with outputs ends in their values.
    fn check_has_value(&mut self, block: &syn::Block, expected: usize) {
        if expected == 0 {
            return;
        }
        match block.stmts.last() {
            // The `return` was refused.
            Some(syn::Stmt::Expr(syn::Expr::Return(_), Some(_))) => {}
            Some(syn::Stmt::Expr(last, Some(semicolon))) if !is_statement(last) => {
                self.errors.error(semicolon, "the body ends in `;` and has no value\nhelp: remove the `;`");
            }
            _ => {
                let message = "the body has no value, but the kernel declares an output";
                self.errors.error_at(
                    block.brace_token.span.close(),
                    format!("{message}\nhelp: end with the value of one element"),
                );
            }
        }
    }

    /// Several outputs are the elements of a tuple.
    fn tuple(&mut self, tail: &syn::Expr, expected: usize) {
        let syn::Expr::Tuple(tuple) = strip(tail) else {
            let help = "end the body with a tuple, `(a, b)`; an `if` stands in each of its elements";
            self.errors
                .error(tail, format!("the kernel has {expected} outputs, the body ends in one value\nhelp: {help}"));
            return;
        };
        if tuple.elems.len() != expected {
            let found = tuple.elems.len();
            self.errors.error(tail, format!("the kernel has {expected} outputs, the body ends in {found} values"));
        }
        for (position, elem) in tuple.elems.iter().enumerate() {
            let value = self.output_expr(position, elem);
            if position < expected {
                self.write_output(position, value, elem);
            }
        }
    }

    /// The value of one element of an output.
    fn output_expr(&mut self, position: usize, expr: &syn::Expr) -> Option<Value> {
        match self.outputs.get(position) {
            Some(output) => self.of_element(output.axes.clone(), |checker| checker.expr(expr)),
            None => self.expr(expr),
        }
    }

    /// An output holds a value of its element's type that varies along its axes only.
    fn write_output(&mut self, position: usize, value: Option<Value>, expr: &syn::Expr) {
        let Some(output) = self.outputs.get(position).cloned() else { return };
        let Some(value) = value else { return };
        let name = match (self.outputs.len(), position) {
            (1, _) => "the output".to_owned(),
            (_, 0) => "the first output".to_owned(),
            (_, 1) => "the second output".to_owned(),
            (_, 2) => "the third output".to_owned(),
            (_, position) => format!("output {}", position + 1),
        };
        let Some(node) = self.adapt_or_error(value, output.elem.ty(), &Written::new(expr), &name) else {
            return;
        };
        // An axis of the output that was refused may be the one that is missing.
        if output.axes.len() == self.function.outputs[position].axes.len() {
            self.check_free_axes(node, &output.axes, &Written::new(expr), &name);
        }
        let target = Target::Output(position as u32);
        self.roots.push(Root { target, write: Write::Dense { axes: output.axes }, value: node });
    }

    /// A free axis of a result is one of its target, or was reduced.
    pub(super) fn check_free_axes(&mut self, node: NodeId, target: &[AxisId], written: &Written, name: &str) {
        let extra: Vec<_> = self.graph.axes(node).iter().filter(|axis| !target.contains(axis)).collect();
        for axis in extra {
            let place = self.places.source_of_axis(&self.graph, node, axis).unwrap_or(written.place);
            let label = self.graph.axis(axis).name.clone();
            let message = format!("axis `{label}` is neither in {name} nor reduced");
            let size =
                if self.is_number(node, axis) { format!("; its size is `size({label})`") } else { String::new() };
            self.errors.error(
                place,
                format!("{message}\nhelp: reduce it, as in `sum[{label}](..)`, or add `{label}` to {name}{size}"),
            );
        }
    }

    /// True if the index along an axis is computed with, and not only read at.
    fn is_number(&self, node: NodeId, axis: AxisId) -> bool {
        let graph = &self.graph;
        graph.reachable(&[node]).into_iter().any(|id| {
            let reads = matches!(graph.op(id), Op::Load { .. });
            !reads && graph.args(id).iter().any(|&arg| graph.as_index(arg) == Some(axis))
        })
    }

    /// One statement of the kernel's own block, or of a branch of an `if` statement.
    fn statement(&mut self, statement: &syn::Stmt) {
        match statement {
            syn::Stmt::Local(local) => self.local(local),
            syn::Stmt::Expr(expr, _) if is_statement(expr) => self.effect(expr),
            syn::Stmt::Expr(expr, _) => self.unused(expr),
            syn::Stmt::Item(item) => self.refuse_item(item),
            syn::Stmt::Macro(statement) => self.macro_statement(&statement.mac),
        }
    }

    /// The value of an expression is used.
    pub(super) fn unused(&mut self, expr: &syn::Expr) {
        if self.expr(expr).is_some() {
            self.errors.error(expr, "the value of this expression is not used\nhelp: name it with `let`, or remove it");
        }
    }

    /// `let name = value;`
    pub(super) fn local(&mut self, local: &syn::Local) {
        self.check_no_attributes(&local.attrs);
        let (name, ty) = match &local.pat {
            syn::Pat::Type(typed) => (self.let_name(&typed.pat), Some(&*typed.ty)),
            other => (self.let_name(other), None),
        };
        let mut value = None;
        match &local.init {
            Some(init) => {
                if let Some((keyword, _)) = &init.diverge {
                    self.errors.error(keyword, "`let .. else` does not exist in a kernel\nhelp: write `if`/`else`");
                }
                value = match (&name, strip(&init.expr)) {
                    // The pattern was refused; the values are checked one by one.
                    (None, syn::Expr::Tuple(tuple)) => {
                        for elem in &tuple.elems {
                            self.expr(elem);
                        }
                        None
                    }
                    _ => self.expr(&init.expr),
                };
                if let (Some(found), Some(ty)) = (value, ty) {
                    value = self.annotated(found, &init.expr, ty);
                }
            }
            None => self.errors.error(local, "a `let` has a value from the start\nhelp: write `let name = ..;`"),
        }
        let Some(name) = name else { return };
        if self.axes.named(&name).is_some() {
            self.errors
                .error(&local.pat, format!("`{name}` is an axis and cannot be a `let`\nhelp: use a lower-case name"));
        }
        if let Some(value) = value
            && !matches!(self.graph.op(value.node), Op::Const(_) | Op::Scalar(_) | Op::Index(_) | Op::Load { .. })
        {
            self.names.entry(value.node).or_insert_with(|| name.clone());
        }
        self.scope.push((name, value));
    }

    /// A `let` binds one name.
    fn let_name(&mut self, pat: &syn::Pat) -> Option<String> {
        match pat {
            syn::Pat::Ident(pat) if pat.by_ref.is_none() && pat.subpat.is_none() => {
                if let Some(mutability) = &pat.mutability {
                    let help = format!("bind the new value again: `let {0} = ..;`", pat.ident);
                    self.errors.error(mutability, format!("a `let` never changes\nhelp: {help}"));
                }
                Some(pat.ident.to_string())
            }
            other => {
                self.errors.error(other, "a `let` binds one name\nhelp: write one `let` for each value");
                // The names are known, so that their uses are no mistakes of their own.
                for tree in other.to_token_stream().into_iter().flat_map(leaves) {
                    self.scope.push((tree.to_string(), None));
                }
                None
            }
        }
    }

    /// An annotation names the type of the value.
    fn annotated(&mut self, value: Value, init: &syn::Expr, ty: &syn::Type) -> Option<Value> {
        let target = self.type_named(ty)?;
        let node = self.adapt_or_error(value, target, &Written::new(init), "the `let`")?;
        Some(Value::typed(node))
    }

    /// An expression that is evaluated for its effect: an assignment, an assertion, or an `if` around some.
    pub(super) fn effect(&mut self, expr: &syn::Expr) {
        match expr {
            syn::Expr::Assign(_) if self.in_expression => self.refuse_assignment(expr),
            syn::Expr::Binary(binary) if self.in_expression && is_compound(&binary.op) => self.refuse_assignment(expr),
            syn::Expr::Assign(assign) => self.assign(&assign.left, None, &assign.right),
            syn::Expr::Binary(binary) => match compound(&binary.op) {
                Some(op) => self.assign(&binary.left, Some(op), &binary.right),
                None => {
                    let op = binary.op.to_token_stream();
                    self.errors.error(
                        binary.op,
                        format!("`{op}` does not exist in a kernel\nhelp: write `+=`, `-=`, `*=`, `/=` or `%=`"),
                    );
                }
            },
            syn::Expr::If(branch) => self.if_statement(branch),
            syn::Expr::Block(block) if block.label.is_none() => self.effect_block(&block.block),
            syn::Expr::Macro(call) => self.macro_statement(&call.mac),
            other => self.unused(other),
        }
    }

    /// A block of statements without a value.
    pub(super) fn effect_block(&mut self, block: &syn::Block) {
        let depth = self.scope.len();
        for statement in &block.stmts {
            self.statement(statement);
        }
        self.scope.truncate(depth);
    }

    /// `y = e`, `y += e`, `p[i] += e`: the target is a `&mut` or `&atomic` parameter.
    fn assign(&mut self, left: &syn::Expr, op: Option<Binary>, right: &syn::Expr) {
        if let Some(position) = self.atomic_target(left) {
            self.accumulate(position, left, op, right);
            return;
        }
        let (target, indices) = match strip(left) {
            syn::Expr::Index(index) => (strip(&index.expr), Some(index)),
            other => (other, None),
        };
        match (self.assigned(left, target), indices) {
            (Some(position), Some(index)) => self.assign_indexed(position, index, op, right),
            (Some(position), None) => self.assign_own(position, left, op, right),
            (None, _) => drop(self.expr(right)),
        }
    }

    /// The target of an assignment is a `&mut` parameter.
    fn assigned(&mut self, left: &syn::Expr, target: &syn::Expr) -> Option<u32> {
        let Some(name) = functions::bare_name(target) else {
            self.errors.error(left, "only a `&mut` parameter can be assigned\nhelp: write `y = ..` or `y[i] += ..`");
            return None;
        };
        let text = name.to_string();
        if self.scope.iter().any(|(local, _)| *local == text) {
            self.errors.error(
                left,
                format!("`{text}` is a `let` and never changes\nhelp: bind the new value again: `let {text} = ..;`"),
            );
            return None;
        }
        let position = match self.params.get(&text) {
            Some(Param::Tensor { position, .. }) => *position,
            Some(Param::Scalar(_)) => {
                self.errors.error(
                    left,
                    format!("`{text}` is a scalar and never changes\nhelp: bind a new value: `let {text} = ..;`"),
                );
                return None;
            }
            None => {
                self.errors
                    .error(left, format!("unknown name `{text}`\nhelp: only a `&mut` parameter can be assigned"));
                return None;
            }
        };
        let refused = match self.tensors[position as usize].intent {
            Intent::Read => Some(("`&`", String::new())),
            Intent::Donate => Some(("value", format!("bind the new value: `let {text} = ..;`, or "))),
            Intent::Edit | Intent::Atomic => None,
        };
        if let Some((passed, remedy)) = refused {
            self.errors.error(left, format!("`{text}` is passed by {passed} and cannot be assigned\nhelp: {remedy}write `{text}: &mut Tensor[..]` in the signature"));
            return None;
        }
        Some(position)
    }

    /// `y = e` and `y += e` write each element at its own index.
    pub(super) fn assign_own(&mut self, position: u32, left: &syn::Expr, op: Option<Binary>, right: &syn::Expr) {
        let tensor = self.tensors[position as usize].clone();
        let value = self.of_element(tensor.axes.clone(), |checker| checker.expr(right));
        let written = Written::new(right);
        let target = Target::Edit(position);
        let was_written = self.roots.iter().any(|root| root.target == target && is_dense(root));
        if !was_written {
            // The value is filled in at the end.
            let nothing = self.graph.bool(false);
            let write = Write::Dense { axes: tensor.axes.clone() };
            self.roots.push(Root { target, write, value: nothing });
        }
        if self.edits[position as usize].scattered {
            self.errors.error(left, format!("`{}` was added into at computed indices and cannot be assigned after\nhelp: assign first, or write a second kernel", tensor.name));
            return;
        }
        let old = match self.edits[position as usize].value {
            Some(value) => value,
            None => self.graph.load_own(Source::Param(position), &tensor.axes, tensor.elem.ty()),
        };
        self.places.insert(old, Place::of(left));
        let node = value.and_then(|value| {
            let node = self.adapt_or_error(value, tensor.elem.ty(), &written, &format!("`{}`", tensor.name))?;
            self.check_free_axes(node, &tensor.axes, &written, &format!("`{}`", tensor.name));
            match op {
                Some(op) => self.arithmetic(op, old, node, &written),
                None => Some(node),
            }
        });
        // After a mistake the old value stands in, so that the rest is checked.
        self.edits[position as usize].value = Some(node.unwrap_or(old));
    }

    /// The value of a block: its tail.
    pub(super) fn value_block(&mut self, block: &syn::Block) -> Option<Value> {
        let depth = self.scope.len();
        let (statements, tail) = split_tail(block);
        let (statements, forgotten) = match (statements.split_last(), tail) {
            (Some((syn::Stmt::Expr(last, Some(semicolon)), rest)), None) if !is_statement(last) => {
                (rest, Some((last, semicolon)))
            }
            _ => (statements, None),
        };
        let outer = std::mem::replace(&mut self.in_expression, true);
        for statement in statements {
            self.statement(statement);
        }
        let value = match (tail, forgotten) {
            (Some(tail), _) => self.expr(tail),
            (None, Some((last, semicolon))) => {
                self.expr(last);
                if !matches!(last, syn::Expr::Return(_)) {
                    self.errors.error(semicolon, "this block ends in `;` and has no value\nhelp: remove the `;`");
                }
                None
            }
            (None, None) => {
                let place = block.brace_token.span.close();
                self.errors.error_at(place, "this block has no value\nhelp: end it with an expression, without `;`");
                None
            }
        };
        self.in_expression = outer;
        self.scope.truncate(depth);
        value
    }

    /// An assignment is not a value, and does not stand in a block that has one.
    pub(super) fn refuse_assignment(&mut self, expr: &syn::Expr) {
        let help = "write it as a statement of the kernel's own block, or of an `if` there";
        self.errors.error(expr, format!("an assignment cannot stand within an expression\nhelp: {help}"));
    }

    /// The negative of a number.
    pub(super) fn negate(&mut self, node: NodeId) -> NodeId {
        let ty = self.graph.ty(node);
        match self.graph.op(node).clone() {
            Op::Const(Literal::Float(bits)) => self.graph.float(-f64::from_bits(bits), ty),
            Op::Const(Literal::Int(value)) => self.graph.int(value.wrapping_neg(), ty),
            _ => self.graph.unary(Unary::Neg, node),
        }
    }
}

/// The statements of a block and its tail expression.
fn split_tail(block: &syn::Block) -> (&[syn::Stmt], Option<&syn::Expr>) {
    match block.stmts.split_last() {
        Some((syn::Stmt::Expr(tail, None), statements)) => (statements, Some(tail)),
        _ => (&block.stmts, None),
    }
}

/// True for what is evaluated for its effect: an assignment, an assertion, or an `if` or block whose branches have no
/// value.
fn is_statement(expr: &syn::Expr) -> bool {
    match expr {
        syn::Expr::Assign(_) => true,
        syn::Expr::Binary(binary) => is_compound(&binary.op),
        syn::Expr::If(branch) => {
            let other = branch.else_branch.as_ref().map(|(_, other)| is_statement(other));
            is_statement_block(&branch.then_branch) && other.unwrap_or(true)
        }
        syn::Expr::Block(block) => is_statement_block(&block.block),
        syn::Expr::Macro(call) => call.mac.path.is_ident("assert"),
        _ => false,
    }
}

fn is_statement_block(block: &syn::Block) -> bool {
    match block.stmts.last() {
        Some(syn::Stmt::Expr(_, Some(_)) | syn::Stmt::Local(_) | syn::Stmt::Macro(_)) => true,
        Some(syn::Stmt::Expr(tail, None)) => is_statement(tail),
        Some(syn::Stmt::Item(_)) => false,
        None => true,
    }
}

fn is_compound(op: &syn::BinOp) -> bool {
    use syn::BinOp::{BitAndAssign, BitOrAssign, BitXorAssign, ShlAssign, ShrAssign};
    compound(op).is_some()
        || matches!(op, BitAndAssign(_) | BitOrAssign(_) | BitXorAssign(_) | ShlAssign(_) | ShrAssign(_))
}

/// The arithmetic of `+=` and its kind.
fn compound(op: &syn::BinOp) -> Option<Binary> {
    Some(match op {
        syn::BinOp::AddAssign(_) => Binary::Add,
        syn::BinOp::SubAssign(_) => Binary::Sub,
        syn::BinOp::MulAssign(_) => Binary::Mul,
        syn::BinOp::DivAssign(_) => Binary::Div,
        syn::BinOp::RemAssign(_) => Binary::Rem,
        _ => return None,
    })
}

/// The identifiers in a tree of tokens.
pub(super) fn leaves(tree: TokenTree) -> Vec<Ident> {
    match tree {
        TokenTree::Group(group) => group.stream().into_iter().flat_map(leaves).collect(),
        TokenTree::Ident(ident) => vec![ident],
        _ => Vec::new(),
    }
}

/// The expression without parentheses and invisible groups.
pub(super) fn strip(mut expr: &syn::Expr) -> &syn::Expr {
    loop {
        expr = match expr {
            syn::Expr::Paren(paren) => &paren.expr,
            syn::Expr::Group(group) => &group.expr,
            other => return other,
        };
    }
}
