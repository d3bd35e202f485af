//! Expressions: literals, names, operators, casts.

use proc_macro2::{Ident, TokenTree};
use quote::ToTokens;

use super::value::{self, Misfit, Value, Written, adapt, literal_of, name_of, unify};
use super::{Checker, Kind, Param, functions, suggest};
use crate::errors::Place;
use crate::ir::{Binary, Elem, NodeId, Op, ScalarTy, Ty, Unary};

/// Expressions that one kernel may evaluate, helpers inlined.
const LIMIT: usize = 100_000;

impl Checker<'_> {
    /// The value of an expression.
    pub(super) fn expr(&mut self, expr: &syn::Expr) -> Option<Value> {
        self.evaluated += 1;
        if self.evaluated > LIMIT {
            let message = format!("kernel `{}` grows beyond {LIMIT} expressions", self.function.name);
            self.errors.error_at(
                self.function.span,
                format!("{message}\nhelp: helpers are inlined at every call; call them less, or split the kernel"),
            );
            return None;
        }
        if let Some(TokenTree::Punct(punct)) = expr.to_token_stream().into_iter().next()
            && punct.as_char() == '#'
        {
            self.errors.error_at(
                punct.span(),
                "attributes cannot stand within a kernel's body\nhelp: write them above the function",
            );
            return None;
        }
        let value = self.kind_of_expr(expr)?;
        self.places.insert(value.node, Place::of(expr));
        Some(value)
    }

    fn kind_of_expr(&mut self, expr: &syn::Expr) -> Option<Value> {
        match expr {
            syn::Expr::Binary(binary) => self.binary(binary),
            syn::Expr::Block(block) if block.label.is_none() => self.value_block(&block.block),
            syn::Expr::Call(call) => self.call(call),
            syn::Expr::Cast(cast) => self.cast(cast),
            syn::Expr::Group(group) => self.expr(&group.expr),
            syn::Expr::If(branch) => self.if_value(branch),
            syn::Expr::Index(index) => self.indexed(index),
            syn::Expr::Lit(literal) => self.literal(&literal.lit),
            syn::Expr::Paren(paren) => self.expr(&paren.expr),
            syn::Expr::Path(path) => self.path(path),
            syn::Expr::Unary(unary) => self.unary(unary),
            other => {
                self.refuse(other);
                None
            }
        }
    }

    /// A literal adapts to what it meets, unless its suffix names a type.
    fn literal(&mut self, literal: &syn::Lit) -> Option<Value> {
        match literal {
            syn::Lit::Int(literal) => self.integer(literal, false),
            syn::Lit::Float(literal) => {
                let ty = self.suffix(literal.suffix(), self.float, literal)?;
                let value = literal.base10_parse::<f64>().ok().filter(|value| value.is_finite());
                let Some(value) = value else {
                    self.errors.error(literal, format!("`{literal}` is too large for a float\nhelp: write `inf`"));
                    return None;
                };
                let node = self.graph.float(value, ty);
                let kind = if literal.suffix().is_empty() { Kind::Float } else { Kind::Typed };
                Some(Value { node, kind })
            }
            syn::Lit::Bool(literal) => Some(Value::typed(self.graph.bool(literal.value))),
            other => {
                self.errors.error(other, "text does not exist in a kernel\nhelp: values are numbers and `bool`");
                None
            }
        }
    }

    /// An integer literal fits its type.
    fn integer(&mut self, literal: &syn::LitInt, negative: bool) -> Option<Value> {
        let ty = self.suffix(literal.suffix(), Ty::I64, literal)?;
        let magnitude = literal.base10_parse::<i128>().unwrap_or(i128::MAX);
        let signed = if negative { magnitude.checked_neg() } else { Some(magnitude) };
        if ty.is_float() {
            let node = self.graph.float(signed.unwrap_or(i128::MAX) as f64, ty);
            return Some(Value::typed(node));
        }
        let Some(number) = signed.and_then(|number| i64::try_from(number).ok()) else {
            self.errors.error(
                literal,
                format!("`{literal}` is too large for `i64`\nhelp: write a float literal: `{literal}.0`"),
            );
            return None;
        };
        let value = Value { node: self.graph.int(number, Ty::I64), kind: Kind::Integer };
        if literal.suffix().is_empty() {
            return Some(value);
        }
        match adapt(&mut self.graph, value, ty) {
            Ok(node) => Some(Value::typed(node)),
            Err(_) => {
                self.errors.error(literal, format!("`{number}` does not fit `{}`", name_of(ty)));
                None
            }
        }
    }

    /// The type that a literal's suffix names.
    fn suffix(&mut self, suffix: &str, default: Ty, literal: &impl ToTokens) -> Option<Ty> {
        Some(match suffix {
            "" => default,
            "f32" => Ty::F32,
            "f64" => Ty::F64,
            "i64" | "usize" => Ty::I64,
            "i32" => Ty::I32,
            "u32" => Ty::U32,
            "u8" => Ty::U8,
            other => {
                let message = format!(
                    "no kernel computes with `{other}`\nhelp: leave the suffix out, or use `f32 f64 i64 i32 u32 u8`"
                );
                self.errors.error(literal.to_token_stream(), message);
                return None;
            }
        })
    }

    /// A name is a `let`, a parameter, an axis or a constant.
    fn path(&mut self, path: &syn::ExprPath) -> Option<Value> {
        let Some(name) = functions::ident_of(path) else {
            self.errors.error(path, "paths do not exist in a kernel\nhelp: constants are `inf`, `nan` and `pi`; pass any other as a scalar parameter");
            return None;
        };
        let text = name.to_string();
        let base = self.helper.as_ref().map_or(0, |helper| helper.base);
        if let Some((_, value)) = self.scope[base..].iter().rev().find(|(local, _)| *local == text) {
            return *value;
        }
        if self.helper.is_none() {
            if let Some(&param) = self.params.get(&text) {
                return self.param_value(param, name);
            }
            if let Some(axis) = self.axes.named(&text) {
                let node = match self.in_size {
                    true => self.graph.size(self.graph.axis(axis).extent),
                    false => self.graph.index(axis),
                };
                return Some(Value { node, kind: Kind::Index });
            }
        }
        let constant = match text.as_str() {
            "inf" => f64::INFINITY,
            "nan" => f64::NAN,
            "pi" => std::f64::consts::PI,
            _ => {
                self.unknown_name(name);
                return None;
            }
        };
        Some(Value { node: self.graph.float(constant, self.float), kind: Kind::Float })
    }

    /// Every name is known.
    fn unknown_name(&mut self, name: &Ident) {
        let text = name.to_string();
        if functions::is_function(&text) || self.helpers.iter().any(|helper| helper.name == text) {
            self.errors.error(name, format!("`{text}` is a function\nhelp: call it: `{text}(..)`"));
            return;
        }
        if let Some(helper) = &self.helper {
            let inside = helper.calls.last().cloned().unwrap_or_default();
            if self.params.contains_key(&text) || self.axes.named(&text).is_some() {
                self.errors
                    .error(name, format!("helper `{inside}` sees only its own parameters\nhelp: pass `{text}` to it"));
                return;
            }
        }
        if text.starts_with(|letter: char| letter.is_uppercase()) && self.helper.is_none() {
            self.axis_named(name);
            return;
        }
        let locals = self.scope.iter().map(|(local, _)| local.as_str());
        let params = self.params.keys().map(String::as_str);
        let known = locals.chain(params).chain(["inf", "nan", "pi"]);
        let mut known: Vec<&str> = known.collect();
        known.sort_unstable();
        let help = match suggest::nearest(&text, known) {
            Some(near) => format!("there is `{near}`"),
            None => "names are parameters, axes, `let`s, and the constants `inf`, `nan`, `pi`".to_owned(),
        };
        self.errors.error(name, format!("unknown name `{text}`\nhelp: {help}"));
    }

    /// A bare parameter: a scalar, or a tensor at its own axes.
    fn param_value(&mut self, param: Param, name: &Ident) -> Option<Value> {
        let position = match param {
            Param::Tensor { position, unnamed } => return self.bare(position, unnamed, name),
            Param::Scalar(position) => position,
        };
        let (ty, kind) = match self.scalars[position as usize].ty {
            ScalarTy::Float => (self.float, Kind::Float),
            ScalarTy::F32 => (Ty::F32, Kind::Typed),
            ScalarTy::F64 => (Ty::F64, Kind::Typed),
            ScalarTy::I64 | ScalarTy::Usize => (Ty::I64, Kind::Typed),
            ScalarTy::U64 => (Ty::U64, Kind::Typed),
            ScalarTy::Bool => (Ty::Bool, Kind::Typed),
        };
        Some(Value { node: self.graph.scalar(position, ty), kind })
    }

    /// `-x`, `!c`.
    fn unary(&mut self, unary: &syn::ExprUnary) -> Option<Value> {
        match unary.op {
            syn::UnOp::Neg(_) => {
                if let syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(literal), .. }) = &*unary.expr {
                    return self.integer(literal, true);
                }
                let value = self.expr(&unary.expr)?;
                let ty = self.graph.ty(value.node);
                if matches!(ty, Ty::Bool | Ty::U32 | Ty::U8 | Ty::U64) {
                    let text = Written::new(&unary.expr).text;
                    self.errors.error(
                        unary,
                        format!(
                            "`-` needs a signed number, found `{}`\nhelp: convert with `{text} as i64`",
                            name_of(ty)
                        ),
                    );
                    return None;
                }
                let kind =
                    if literal_of(&self.graph, value.node).is_some() { value.kind } else { value.settled().kind };
                Some(Value { node: self.negate(value.node), kind })
            }
            syn::UnOp::Not(_) => {
                let value = self.expr(&unary.expr)?;
                if self.graph.ty(value.node) != Ty::Bool {
                    let found = self.describe(value);
                    self.errors.error(unary, format!("`!` needs a `bool`, found {found}\nhelp: compare it: `x == 0`"));
                    return None;
                }
                Some(Value::typed(self.graph.unary(Unary::Not, value.node)))
            }
            _ => {
                self.errors.error(
                    unary,
                    "references do not exist in a kernel\nhelp: values are plain numbers; remove the `*`",
                );
                None
            }
        }
    }

    /// Operators have operands of one type.
    fn binary(&mut self, binary: &syn::ExprBinary) -> Option<Value> {
        if let (syn::BinOp::Mul(_), syn::Expr::Unary(syn::ExprUnary { op: syn::UnOp::Deref(_), .. })) =
            (&binary.op, &*binary.right)
        {
            let text = Written::new(&binary.left).text;
            let help = format!("write `powi({text}, 2)`, or `powf({text}, y)` for other exponents");
            self.errors.error(binary, format!("`**` does not exist in a kernel\nhelp: {help}"));
            return None;
        }
        let op = match binary.op {
            syn::BinOp::Add(_) => Binary::Add,
            syn::BinOp::Sub(_) => Binary::Sub,
            syn::BinOp::Mul(_) => Binary::Mul,
            syn::BinOp::Div(_) => Binary::Div,
            syn::BinOp::Rem(_) => Binary::Rem,
            syn::BinOp::Eq(_) => Binary::Eq,
            syn::BinOp::Ne(_) => Binary::Ne,
            syn::BinOp::Lt(_) => Binary::Lt,
            syn::BinOp::Le(_) => Binary::Le,
            syn::BinOp::Gt(_) => Binary::Gt,
            syn::BinOp::Ge(_) => Binary::Ge,
            syn::BinOp::And(_) => return self.short_circuit(Binary::And, &binary.left, &binary.right),
            syn::BinOp::Or(_) => return self.short_circuit(Binary::Or, &binary.left, &binary.right),
            _ => {
                self.refuse_operator(&binary.op, binary);
                return None;
            }
        };
        let a = self.expr(&binary.left);
        let b = self.expr(&binary.right);
        let (a, b) = (a?, b?);
        let symbol = binary.op.to_token_stream().to_string();
        let written = Written { place: Place::of(binary), text: symbol.clone() };
        let is_arithmetic = matches!(op, Binary::Add | Binary::Sub | Binary::Mul | Binary::Div | Binary::Rem);
        if let (Kind::Integer, Kind::Integer) = (a.kind, b.kind)
            && let (Some(x), Some(y)) = (literal_of(&self.graph, a.node), literal_of(&self.graph, b.node))
            && is_arithmetic
            // A quotient that is no whole number stays one, so that it is seen where it meets a float.
            && !(op == Binary::Div && x.checked_rem(y).is_some_and(|rest| rest != 0))
        {
            return self.folded(op, x, y, &written);
        }
        let (a, b) = match unify(&mut self.graph, self.float, a, b) {
            Ok(both) => both,
            Err(misfit) => {
                let texts = [Written::new(&binary.left).text, Written::new(&binary.right).text];
                self.misfit(misfit, &format!("`{symbol}` needs operands of one type"), [a, b], texts, written.place);
                return None;
            }
        };
        if is_arithmetic {
            let node = self.arithmetic(op, a.node, b.node, &written)?;
            return Some(Value { node, kind: a.kind }.settled());
        }
        if !matches!(op, Binary::Eq | Binary::Ne) && self.graph.ty(a.node) == Ty::Bool {
            self.errors.error(
                binary,
                format!("`{symbol}` needs numbers, found `bool`\nhelp: combine conditions with `&&`, `||` and `!`"),
            );
            return None;
        }
        Some(Value::typed(self.graph.binary(op, a.node, b.node)))
    }

    /// Arithmetic of two values of one type.
    pub(super) fn arithmetic(&mut self, op: Binary, a: NodeId, b: NodeId, written: &Written) -> Option<NodeId> {
        let symbol = match op {
            Binary::Add => "+",
            Binary::Sub => "-",
            Binary::Mul => "*",
            Binary::Div => "/",
            _ => "%",
        };
        if !self.check_numeric(a, symbol, written) {
            return None;
        }
        let ty = self.graph.ty(a);
        if !ty.is_integer() || !matches!(op, Binary::Div | Binary::Rem) {
            return Some(self.graph.binary(op, a, b));
        }
        let divisor = match self.graph.op(b) {
            Op::Const(crate::ir::Literal::Int(divisor)) => Some(*divisor),
            _ => None,
        };
        if divisor == Some(0) {
            self.errors.error(written.place, "division by zero");
            return None;
        }
        // Division by any other literal cannot fail, and needs no guard.
        match self.path.filter(|_| divisor.is_none_or(|divisor| divisor == -1)) {
            Some(guard) => Some(self.graph.intern(Op::Binary(op), vec![a, b, guard], ty)),
            None => Some(self.graph.binary(op, a, b)),
        }
    }

    /// Arithmetic of two literals is a literal.
    fn folded(&mut self, op: Binary, x: i64, y: i64, written: &Written) -> Option<Value> {
        let (result, mistake) = match op {
            Binary::Add => (x.checked_add(y), "this is too large for `i64`"),
            Binary::Sub => (x.checked_sub(y), "this is too large for `i64`"),
            Binary::Mul => (x.checked_mul(y), "this is too large for `i64`"),
            Binary::Div => (x.checked_div(y), "division by zero"),
            _ => (x.checked_rem(y), "division by zero"),
        };
        match result {
            Some(result) => Some(Value { node: self.graph.int(result, Ty::I64), kind: Kind::Integer }),
            None => {
                self.errors.error(written.place, mistake);
                None
            }
        }
    }

    /// Arithmetic needs numbers; seeds (`u64`) are not computed with.
    pub(super) fn check_numeric(&mut self, node: NodeId, operation: &str, written: &Written) -> bool {
        let help = match self.graph.ty(node) {
            Ty::Bool => "convert with `as float`, or write `if c { 1.0 } else { 0.0 }`",
            Ty::U64 => "convert with `as i64`",
            _ => return true,
        };
        let found = name_of(self.graph.ty(node));
        self.errors.error(written.place, format!("`{operation}` needs numbers, found `{found}`\nhelp: {help}"));
        false
    }

    /// `x as f32`: Rust's conversion.
    fn cast(&mut self, cast: &syn::ExprCast) -> Option<Value> {
        let value = self.expr(&cast.expr);
        let elem = self.elem_named(&cast.ty)?;
        let value = value?;
        if elem == Elem::Bool && self.graph.ty(value.node) != Ty::Bool {
            let text = Written::new(&cast.expr).text;
            self.errors.error(cast, format!("a number is not cast to `bool`\nhelp: write `{text} != 0`"));
            return None;
        }
        if value.kind != Kind::Typed
            && !matches!(elem, Elem::F16 | Elem::Bf16)
            && let Ok(node) = adapt(&mut self.graph, value, elem.ty())
        {
            return Some(Value::typed(node));
        }
        let is_plain = self.graph.ty(value.node) == elem.ty() && !matches!(elem, Elem::F16 | Elem::Bf16);
        let node = if is_plain { value.node } else { self.graph.cast(elem, value.node) };
        Some(Value::typed(node))
    }

    /// The element that a cast names.
    fn elem_named(&mut self, ty: &syn::Type) -> Option<Elem> {
        let name = match ty {
            syn::Type::Path(path) => path.path.get_ident().map(ToString::to_string),
            _ => None,
        };
        let elem = match name.as_deref() {
            Some("float") => value::elem_of(self.float),
            Some("f32") => Some(Elem::F32),
            Some("f64") => Some(Elem::F64),
            Some("f16") => Some(Elem::F16),
            Some("bf16") => Some(Elem::Bf16),
            Some("i64") => Some(Elem::I64),
            Some("i32") => Some(Elem::I32),
            Some("u32") => Some(Elem::U32),
            Some("u8") => Some(Elem::U8),
            Some("bool") => Some(Elem::Bool),
            Some(name) if self.is_generic_elem(name) => Some(Elem::Generic),
            _ => None,
        };
        if elem.is_none() {
            let help = match name.as_deref() {
                Some("usize" | "isize" | "u64") => "sizes and indices are `i64`: write `as i64`",
                _ => "elements are `float f32 f64 f16 bf16 i64 i32 u32 u8`",
            };
            let name = name.map_or_else(|| "this type".to_owned(), |name| format!("`{name}`"));
            self.errors.error(ty, format!("no kernel computes with {name}\nhelp: {help}"));
        }
        elem
    }

    /// True for the user's own name of the kernel's float element.
    fn is_generic_elem(&self, name: &str) -> bool {
        let tensors = self.function.params.iter().filter_map(|param| match &param.kind {
            crate::syntax::ast::ParamKind::Tensor(ty) => Some(ty),
            crate::syntax::ast::ParamKind::Scalar(_) => None,
        });
        tensors
            .chain(&self.function.outputs)
            .any(|ty| matches!(&ty.elem, crate::syntax::ast::ElemTy::Generic(elem) if elem == name))
    }

    /// The computing type that the annotation of a `let` names.
    pub(super) fn type_named(&mut self, ty: &syn::Type) -> Option<Ty> {
        if let syn::Type::Path(path) = ty
            && path.path.is_ident("usize")
        {
            return Some(Ty::I64);
        }
        match self.elem_named(ty)? {
            Elem::F16 | Elem::Bf16 => {
                self.errors.error(
                    ty,
                    "half elements are computed with as `f32`\nhelp: write `f32`, or round with `as f16` or `as bf16`",
                );
                None
            }
            elem => Some(elem.ty()),
        }
    }

    /// The value as one of type `ty`, or a message that names what needs it.
    pub(super) fn adapt_or_error(&mut self, value: Value, ty: Ty, written: &Written, what: &str) -> Option<NodeId> {
        match adapt(&mut self.graph, value, ty) {
            Ok(node) => Some(node),
            Err(Misfit::Range(literal, ty)) => {
                self.errors.error(written.place, format!("`{literal}` does not fit `{}`", name_of(ty)));
                None
            }
            Err(Misfit::Quotient) => {
                self.refuse_quotient(written.place);
                None
            }
            Err(Misfit::Types) => {
                let found = self.describe(value);
                let help = match (ty, self.graph.ty(value.node)) {
                    (Ty::Bool, _) => "compare it, as in `x != 0`".to_owned(),
                    (_, Ty::Bool) => "write `if c { 1 } else { 0 }`".to_owned(),
                    _ => format!("convert with `{} as {}`", written.text, name_of(ty)),
                };
                self.errors
                    .error(written.place, format!("{what} needs `{}`, found {found}\nhelp: {help}", name_of(ty)));
                None
            }
        }
    }

    /// Reports two values of different types; `texts` are how they are written.
    pub(super) fn misfit(&mut self, misfit: Misfit, rule: &str, values: [Value; 2], texts: [String; 2], place: Place) {
        if let Misfit::Range(literal, ty) = misfit {
            self.errors.error(place, format!("`{literal}` does not fit `{}`", name_of(ty)));
            return;
        }
        if misfit == Misfit::Quotient {
            self.refuse_quotient(place);
            return;
        }
        let [a, b] = values.map(|value| self.graph.ty(value.node));
        let help = match (a, b) {
            (Ty::Bool, _) | (_, Ty::Bool) => "turn a `bool` into a number with `if c { 1.0 } else { 0.0 }`".to_owned(),
            _ if breadth(a) < breadth(b) => format!("convert with `{} as {}`", texts[0], name_of(b)),
            _ => format!("convert with `{} as {}`", texts[1], name_of(a)),
        };
        let [left, right] = values.map(|value| self.describe(value));
        self.errors.error(place, format!("{rule}, found {left} and {right}\nhelp: {help}"));
    }

    /// Integers are divided before they meet a float, which truncates.
    fn refuse_quotient(&mut self, place: Place) {
        let help = "divide floats: `0.5`, `N as float / size(N)`; if the whole number is meant: `(N / 2) as float`";
        let message = "this quotient of integers is truncated before it meets a float";
        self.errors.error(place, format!("{message}\nhelp: {help}"));
    }

    /// A value as messages call it.
    pub(super) fn describe(&self, value: Value) -> String {
        let ty = self.graph.ty(value.node);
        match value.kind {
            Kind::Integer => "an integer literal".to_owned(),
            Kind::Index => "an index (`i64`)".to_owned(),
            Kind::Float | Kind::Typed => format!("`{}`", name_of(ty)),
        }
    }
}

/// Which of two types the other is converted to.
fn breadth(ty: Ty) -> usize {
    const ORDER: [Ty; 9] = [Ty::Bool, Ty::U64, Ty::U8, Ty::U32, Ty::I32, Ty::I64, Ty::F32, Ty::F64, Ty::Float];
    ORDER.iter().position(|&other| other == ty).unwrap_or(0)
}
