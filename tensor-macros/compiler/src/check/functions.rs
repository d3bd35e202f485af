//! Functions of scalars, and helpers.

use proc_macro2::Ident;

use super::statements::strip;
use super::value::{Value, Written, adapt, name_of, unify};
use super::{Checker, Inlined, Kind, other_names, reductions, suggest};
use crate::errors::Place;
use crate::ir::{Binary, Distribution, Op, Ty, Unary};
use crate::syntax::ast;

/// Functions of one float.
const FLOAT_FUNCTIONS: &[(&str, Unary)] = &[
    ("exp", Unary::Exp),
    ("exp2", Unary::Exp2),
    ("ln", Unary::Ln),
    ("log2", Unary::Log2),
    ("log10", Unary::Log10),
    ("log1p", Unary::Log1p),
    ("expm1", Unary::Expm1),
    ("sqrt", Unary::Sqrt),
    ("rsqrt", Unary::Rsqrt),
    ("cbrt", Unary::Cbrt),
    ("sin", Unary::Sin),
    ("cos", Unary::Cos),
    ("tan", Unary::Tan),
    ("asin", Unary::Asin),
    ("acos", Unary::Acos),
    ("atan", Unary::Atan),
    ("sinh", Unary::Sinh),
    ("cosh", Unary::Cosh),
    ("tanh", Unary::Tanh),
    ("sigmoid", Unary::Sigmoid),
    ("softplus", Unary::Softplus),
    ("erf", Unary::Erf),
    ("erfc", Unary::Erfc),
    ("floor", Unary::Floor),
    ("ceil", Unary::Ceil),
    ("round", Unary::Round),
    ("trunc", Unary::Trunc),
    ("is_nan", Unary::IsNan),
    ("is_finite", Unary::IsFinite),
];

/// The other functions, with their number of arguments.
const FUNCTIONS: &[(&str, usize)] = &[
    ("abs", 1),
    ("sign", 1),
    ("relu", 1),
    ("recip", 1),
    ("fract", 1),
    ("detach", 1),
    ("size", 1),
    ("uniform", 1),
    ("normal", 1),
    ("atan2", 2),
    ("powi", 2),
    ("powf", 2),
    ("xlogy", 2),
    ("pad_with", 2),
    ("min", 2),
    ("max", 2),
    ("clamp", 3),
    ("fma", 3),
    ("select", 3),
];

/// The names of all functions of the language, reductions aside.
pub fn function_names<'a>() -> impl Iterator<Item = &'a str> {
    FLOAT_FUNCTIONS.iter().map(|&(name, _)| name).chain(FUNCTIONS.iter().map(|&(name, _)| name))
}

/// True for a function of the language.
pub(super) fn is_function(name: &str) -> bool {
    arity(name).is_some() || reductions::is_reduction(name)
}

/// The number of arguments of a function of the language.
pub(super) fn arity(name: &str) -> Option<usize> {
    let of_float = FLOAT_FUNCTIONS.iter().find(|(known, _)| *known == name).map(|_| 1);
    of_float.or_else(|| FUNCTIONS.iter().find(|(known, _)| *known == name).map(|&(_, count)| count))
}

/// The name, if the path is a single one.
pub(super) fn ident_of(path: &syn::ExprPath) -> Option<&Ident> {
    match path.qself {
        Some(_) => None,
        None => path.path.get_ident(),
    }
}

/// The name, if the expression is a single one.
pub(super) fn bare_name(expr: &syn::Expr) -> Option<&Ident> {
    match strip(expr) {
        syn::Expr::Path(path) => ident_of(path),
        _ => None,
    }
}

impl Checker<'_> {
    /// `f(x)`, `sum[N](x)`, or a helper.
    pub(super) fn call(&mut self, call: &syn::ExprCall) -> Option<Value> {
        let args: Vec<&syn::Expr> = call.args.iter().collect();
        if let syn::Expr::Index(index) = strip(&call.func)
            && let Some(name) = bare_name(&index.expr)
        {
            return self.reduction(name, &index.index, &args, Place::of(call));
        }
        let Some(name) = bare_name(&call.func) else {
            self.errors.error(
                &call.func,
                "only functions of the language and helpers can be called\nhelp: write their bare name: `exp(x)`",
            );
            return None;
        };
        let text = name.to_string();
        let helpers = self.helpers;
        if let Some(helper) = helpers.iter().find(|helper| helper.name == text) {
            return self.inline(helper, name, &args);
        }
        if let Some(count) = arity(&text) {
            if args.len() != count {
                if reductions::is_reduction(&text) && args.len() == 1 {
                    return self.refuse_bare_reduction(name, args[0]);
                }
                let plural = if count == 1 { "" } else { "s" };
                let found = args.len();
                self.errors.error(call, format!("`{text}` takes {count} argument{plural}, found {found}"));
                return None;
            }
            return self.function(name, &text, &args);
        }
        self.refuse_call(name, &args);
        None
    }

    /// A function that is called exists.
    fn refuse_call(&mut self, name: &Ident, args: &[&syn::Expr]) {
        let text = name.to_string();
        if reductions::is_reduction(&text) {
            let arg = args.first().copied();
            match arg {
                Some(arg) => {
                    self.refuse_bare_reduction(name, arg);
                }
                None => {
                    self.errors.error(name, format!("`{text}` names the axes it reduces\nhelp: write `{text}[N](..)`"))
                }
            }
            return;
        }
        let what = match self.scope.iter().rev().find(|(local, _)| *local == text) {
            // The mistake is in the value.
            Some((_, None)) => return,
            Some(_) => Some("a `let`, not a function,"),
            None if self.params.contains_key(&text) => Some("a parameter, not a function,"),
            None if self.function.name == text || self.function.others.contains(&text) => Some("a kernel"),
            None => None,
        };
        if let Some(what) = what {
            let help = match self.params.get(&text) {
                _ if what.starts_with("a `let`") => format!("write `{text}`, which is a number"),
                Some(super::Param::Tensor { .. }) => format!("write `{text}[..]` for one of its elements"),
                _ => format!("share code through a helper: `fn {text}_of(x) {{ .. }}`"),
            };
            self.errors.error(name, format!("`{text}` is {what} and cannot be called in a kernel\nhelp: {help}"));
            return;
        }
        let helpers: Vec<String> = self.helpers.iter().map(|helper| helper.name.to_string()).collect();
        let mut known: Vec<&str> = helpers.iter().map(String::as_str).collect();
        known.extend(reductions::names());
        known.extend(function_names());
        let help = other_names::remedy(&text).unwrap_or_else(|| match suggest::nearest(&text, known) {
            Some(near) => format!("there is `{near}`"),
            None => format!("only helpers of the same block can be called: `fn {text}(x) {{ .. }}`"),
        });
        self.errors.error(name, format!("unknown function `{text}`\nhelp: {help}"));
    }

    /// A function of the language with the right number of arguments.
    fn function(&mut self, name: &Ident, text: &str, args: &[&syn::Expr]) -> Option<Value> {
        match text {
            "size" => return self.size_of(args[0]),
            "uniform" => return self.random(text, Distribution::Uniform, args[0]),
            "normal" => return self.random(text, Distribution::Normal, args[0]),
            "pad_with" => return self.pad_with(args[0], args[1]),
            _ => {}
        }
        let values: Vec<Option<Value>> = args.iter().map(|arg| self.expr(arg)).collect();
        let values: Vec<Value> = values.into_iter().collect::<Option<_>>()?;
        if let Some(&(_, op)) = FLOAT_FUNCTIONS.iter().find(|(known, _)| *known == text) {
            let [x] = self.floats(text, &values, args)?;
            let node = self.graph.unary(op, x.node);
            let kind = if matches!(op, Unary::IsNan | Unary::IsFinite) { Kind::Typed } else { x.kind };
            return Some(Value { node, kind });
        }
        match text {
            "abs" | "sign" => self.signed(text, values[0], args[0]),
            "detach" => {
                let node = values[0].node;
                let ty = self.graph.ty(node);
                // A literal that adapts stays one.
                let stopped = values[0].kind == Kind::Typed && ty.is_float();
                let node = if stopped { self.graph.intern(Op::Stop, vec![node], ty) } else { node };
                Some(Value { node, kind: values[0].kind })
            }
            "relu" => {
                let [x] = self.floats(text, &values, args)?;
                let zero = self.graph.float(0.0, self.graph.ty(x.node));
                Some(Value { node: self.graph.binary(Binary::Max, x.node, zero), kind: x.kind })
            }
            "recip" => {
                let [x] = self.floats(text, &values, args)?;
                let one = self.graph.float(1.0, self.graph.ty(x.node));
                Some(Value { node: self.graph.binary(Binary::Div, one, x.node), kind: x.kind })
            }
            "fract" => {
                let [x] = self.floats(text, &values, args)?;
                let whole = self.graph.unary(Unary::Trunc, x.node);
                Some(Value { node: self.graph.binary(Binary::Sub, x.node, whole), kind: x.kind })
            }
            "atan2" | "powf" | "xlogy" => {
                let op = match text {
                    "atan2" => Binary::Atan2,
                    "powf" => Binary::Powf,
                    _ => Binary::Xlogy,
                };
                let [x, y] = self.floats(text, &values, args)?;
                Some(Value { node: self.graph.binary(op, x.node, y.node), kind: x.kind })
            }
            "powi" => {
                let [x] = self.floats(text, &values[..1], &args[..1])?;
                let exponent = self.exponent(values[1], args[1])?;
                Some(Value { node: self.graph.binary(Binary::Powi, x.node, exponent), kind: x.kind })
            }
            "fma" => {
                let [a, b, c] = self.floats(text, &values, args)?;
                let ty = self.graph.ty(a.node);
                Some(Value { node: self.graph.intern(Op::Fma, vec![a.node, b.node, c.node], ty), kind: a.kind })
            }
            "min" | "max" => {
                let op = if text == "min" { Binary::Min } else { Binary::Max };
                let [x, y] = self.numbers(text, &values, args)?;
                Some(Value { node: self.graph.binary(op, x.node, y.node), kind: x.kind }.settled())
            }
            "clamp" => {
                let [x, low, high] = self.numbers(text, &values, args)?;
                let raised = self.graph.binary(Binary::Max, x.node, low.node);
                Some(Value { node: self.graph.binary(Binary::Min, raised, high.node), kind: x.kind }.settled())
            }
            "select" => {
                if self.graph.ty(values[0].node) != Ty::Bool {
                    let found = self.describe(values[0]);
                    self.errors.error(
                        args[0],
                        format!(
                            "the first argument of `select` is `bool`, found {found}\nhelp: compare it, as in `x != 0`"
                        ),
                    );
                    return None;
                }
                let [a, b] = self.one_type(text, &values[1..], &args[1..])?;
                Some(Value { node: self.graph.select(values[0].node, a.node, b.node), kind: a.kind }.settled())
            }
            _ => unreachable!("`{name}` is in the table of functions"),
        }
    }

    /// `size(K)` is the number of elements along an axis.
    fn size_of(&mut self, arg: &syn::Expr) -> Option<Value> {
        let axis = match strip(arg) {
            syn::Expr::Range(range) if range.start.is_none() && range.end.is_none() => {
                self.rest_axis(syn::spanned::Spanned::span(range))?
            }
            other => match bare_name(other).filter(|_| self.helper.is_none()) {
                Some(name) if self.params.contains_key(&name.to_string()) => {
                    self.errors.error(
                        name,
                        format!("`size` takes an axis, and `{name}` is a parameter\nhelp: write `size(N)`"),
                    );
                    return None;
                }
                Some(name) => self.axis_named(name)?,
                None => {
                    self.errors.error(arg, "`size` takes an axis\nhelp: write `size(N)`");
                    return None;
                }
            },
        };
        Some(Value { node: self.graph.size(self.graph.axis(axis).extent), kind: Kind::Index })
    }

    /// `abs` and `sign` take floats and signed integers.
    fn signed(&mut self, text: &str, x: Value, arg: &syn::Expr) -> Option<Value> {
        let ty = self.graph.ty(x.node);
        if !ty.is_float() && !matches!(ty, Ty::I64 | Ty::I32) {
            let written = Written::new(arg);
            self.errors.error(
                arg,
                format!(
                    "`{text}` needs a signed number, found `{}`\nhelp: convert with `{} as i64`",
                    name_of(ty),
                    written.text
                ),
            );
            return None;
        }
        let op = if text == "abs" { Unary::Abs } else { Unary::Sign };
        Some(Value { node: self.graph.unary(op, x.node), kind: x.kind }.settled())
    }

    /// The exponent of `powi` is an integer.
    fn exponent(&mut self, n: Value, arg: &syn::Expr) -> Option<crate::ir::NodeId> {
        match self.graph.ty(n.node) {
            ty if ty.is_integer() => Some(self.graph.convert(Ty::I64, n.node)),
            ty => {
                self.errors.error(
                    arg,
                    format!("the exponent of `powi` is an integer, found `{}`\nhelp: write `powf`", name_of(ty)),
                );
                None
            }
        }
    }

    /// The arguments as floats of one type.
    fn floats<const K: usize>(&mut self, name: &str, values: &[Value], args: &[&syn::Expr]) -> Option<[Value; K]> {
        let mut sound = true;
        let mut floats = Vec::new();
        for (&value, arg) in values.iter().zip(args) {
            let ty = self.graph.ty(value.node);
            if !ty.is_float() && value.kind == Kind::Typed {
                let text = Written::new(arg).text;
                let help = match ty {
                    Ty::Bool => "write `if c { 1.0 } else { 0.0 }`".to_owned(),
                    _ => format!("convert with `{text} as {}`", name_of(self.float)),
                };
                self.errors
                    .error(arg, format!("`{name}` needs a float element, found `{}`\nhelp: {help}", name_of(ty)));
                sound = false;
                continue;
            }
            let node = match ty.is_float() {
                true => value.node,
                false => adapt(&mut self.graph, value, self.float).expect("literals and indices become floats"),
            };
            let kind = if value.kind == Kind::Typed { Kind::Typed } else { Kind::Float };
            floats.push(Value { node, kind });
        }
        if !sound {
            return None;
        }
        self.one_type(name, &floats, args)
    }

    /// The arguments as numbers of one type.
    fn numbers<const K: usize>(&mut self, name: &str, values: &[Value], args: &[&syn::Expr]) -> Option<[Value; K]> {
        for (value, arg) in values.iter().zip(args) {
            if !self.check_numeric(value.node, name, &Written::new(arg)) {
                return None;
            }
        }
        self.one_type(name, values, args)
    }

    /// The arguments, brought to one type.
    fn one_type<const K: usize>(&mut self, name: &str, values: &[Value], args: &[&syn::Expr]) -> Option<[Value; K]> {
        let mut common = values[0];
        for (&value, arg) in values[1..].iter().zip(&args[1..]) {
            match unify(&mut self.graph, self.float, common, value) {
                Ok((left, _)) => common = left,
                Err(misfit) => {
                    let rule = format!("`{name}` needs arguments of one type");
                    let texts = [Written::new(args[0]).text, Written::new(arg).text];
                    self.misfit(misfit, &rule, [common, value], texts, Place::of(arg));
                    return None;
                }
            }
        }
        let ty = self.graph.ty(common.node);
        let mut unified = Vec::new();
        for (&value, arg) in values.iter().zip(args) {
            let node = self.adapt_or_error(value, ty, &Written::new(arg), &format!("`{name}`"))?;
            unified.push(Value { node, kind: common.kind });
        }
        unified.try_into().ok()
    }

    /// A helper is inlined with the values of its arguments; it does not call itself.
    fn inline(&mut self, helper: &ast::Helper, name: &Ident, args: &[&syn::Expr]) -> Option<Value> {
        let values: Vec<Option<Value>> = args.iter().map(|arg| self.expr(arg)).collect();
        let text = name.to_string();
        if !helper.sound {
            return None;
        }
        if args.len() != helper.params.len() {
            let (count, found) = (helper.params.len(), args.len());
            let plural = if count == 1 { "" } else { "s" };
            self.errors.error(name, format!("helper `{text}` takes {count} argument{plural}, found {found}"));
            return None;
        }
        let mut calls = self.helper.as_ref().map(|outer| outer.calls.clone()).unwrap_or_default();
        if calls.contains(&text) {
            self.errors.error(
                name,
                format!("helper `{text}` calls itself\nhelp: a helper is inlined, so recursion would never end"),
            );
            return None;
        }
        calls.push(text);
        let base = self.scope.len();
        for (param, value) in helper.params.iter().zip(values) {
            self.scope.push((param.to_string(), value));
        }
        let outer = self.helper.replace(Inlined { calls, base });
        let value = self.value_block(&helper.body);
        self.helper = outer;
        self.scope.truncate(base);
        value
    }
}
