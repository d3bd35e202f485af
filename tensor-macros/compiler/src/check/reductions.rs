//! Reductions: `sum[N, C](e)`, `max[W = window](e)`.

use std::collections::BTreeMap;

use proc_macro2::Ident;
use syn::spanned::Spanned;

use super::statements::strip;
use super::substitute;
use super::value::{Kind, Value, Written, name_of};
use super::{Checker, functions, suggest};
use crate::errors::Place;
use crate::ir::{AxisId, AxisSet, Binary, Extent, NodeId, Op, Reduction, Ty, Unary};

/// Every reduction of the language.
const REDUCTIONS: &[(&str, Form)] = &[
    ("sum", Form::Plain(Reduction::Sum)),
    ("prod", Form::Plain(Reduction::Prod)),
    ("max", Form::Plain(Reduction::Max)),
    ("min", Form::Plain(Reduction::Min)),
    ("argmax", Form::Plain(Reduction::ArgMax)),
    ("argmin", Form::Plain(Reduction::ArgMin)),
    ("any", Form::Plain(Reduction::Any)),
    ("all", Form::Plain(Reduction::All)),
    ("mean", Form::Mean),
    ("var", Form::Var),
    ("logsumexp", Form::LogSumExp),
];

/// How a reduction is expressed in the IR.
#[derive(Clone, Copy)]
enum Form {
    Plain(Reduction),
    Mean,
    Var,
    LogSumExp,
}

/// True for a reduction of the language.
pub(super) fn is_reduction(name: &str) -> bool {
    names().any(|known| known == name)
}

/// The names of all reductions of the language.
pub fn names<'a>() -> impl Iterator<Item = &'a str> {
    REDUCTIONS.iter().map(|&(name, _)| name)
}

impl Checker<'_> {
    /// `name[axes](body)`.
    pub(super) fn reduction(
        &mut self,
        name: &Ident,
        axes: &syn::Expr,
        args: &[&syn::Expr],
        place: Place,
    ) -> Option<Value> {
        let text = name.to_string();
        let Some(&(_, form)) = REDUCTIONS.iter().find(|(known, _)| *known == text) else {
            self.refuse_reduction(name);
            return None;
        };
        if let Some(helper) = &self.helper {
            let inside = helper.calls.last().cloned().unwrap_or_default();
            self.errors.error(
                place,
                format!("helper `{inside}` cannot reduce: it sees only its own parameters\nhelp: reduce in the kernel"),
            );
            return None;
        }
        if self.in_size {
            self.errors.error(place, "a size cannot depend on data\nhelp: compute it from axes and `usize` scalars");
            return None;
        }
        let &[body] = args else {
            self.errors.error(place, format!("`{text}[..]` takes 1 argument, found {}", args.len()));
            return None;
        };
        let (bound, windows) = self.bound_axes(&text, axes);
        let outer = self.path;
        let aside = self.path_aside(&bound);
        let value = self.within_reduction(bound.iter().copied().flatten(), |checker| checker.expr(body));
        self.path = outer;
        self.axes.leave_windows(windows);
        let bound: Vec<AxisId> = bound.into_iter().collect::<Option<_>>()?;
        let value = self.reducible(&text, form, value?, body)?;
        if !self.check_body_varies(&text, &bound, value.node, axes) {
            return None;
        }
        let node = self.reduced(form, &bound, value.node);
        let node = match aside.is_empty() {
            true => node,
            false => substitute::rename(&mut self.graph, &mut self.places, node, &aside),
        };
        let is_position = matches!(form, Form::Plain(Reduction::ArgMax | Reduction::ArgMin));
        let kind = if is_position { Kind::Typed } else { value.kind };
        Some(Value { node, kind }.settled())
    }

    /// The axes in the bracket, and how many windows were brought into scope. An axis stands once.
    fn bound_axes(&mut self, reduction: &str, axes: &syn::Expr) -> (Vec<Option<AxisId>>, usize) {
        let items = items_of(axes);
        if items.is_empty() {
            self.errors.error(axes, format!("`{reduction}[]` names no axis\nhelp: write `{reduction}[N](..)`, or `{reduction}[..]` for the axes `..`"));
            return (vec![None], 0);
        }
        let mut bound: Vec<Option<AxisId>> = Vec::new();
        let mut windows = 0;
        for item in items {
            let axis = match item {
                syn::Expr::Range(range) if range.start.is_none() && range.end.is_none() => self.rest_axis(range.span()),
                syn::Expr::Assign(assign) => {
                    let axis = self.window(&assign.left, &assign.right);
                    windows += usize::from(axis.is_some());
                    axis
                }
                other => match functions::bare_name(other) {
                    Some(name) if self.params.contains_key(&name.to_string()) => {
                        self.errors.error(name, format!("`{name}` is a parameter, and `{reduction}[..]` names axes\nhelp: write `{reduction}[N]({name})`"));
                        None
                    }
                    Some(name) => self.axis_named(name),
                    None => {
                        self.errors
                            .error(other, format!("`{reduction}[..]` names axes\nhelp: write `{reduction}[N](..)`"));
                        None
                    }
                },
            };
            if axis.is_some() && bound.contains(&axis) {
                let label = axis.map(|axis| self.graph.axis(axis).name.clone()).unwrap_or_default();
                self.errors.error(item, format!("axis `{label}` is reduced twice\nhelp: name it once"));
                continue;
            }
            bound.push(axis);
        }
        (bound, windows)
    }

    /// `W = window` binds a new axis of that size.
    fn window(&mut self, name: &syn::Expr, size: &syn::Expr) -> Option<AxisId> {
        let extent = self.size_expr(size);
        let Some(name) = functions::bare_name(name) else {
            self.errors.error(name, "a window axis is an upper-case name\nhelp: write `W = size`");
            return None;
        };
        let text = name.to_string();
        if !text.starts_with(|letter: char| letter.is_uppercase()) {
            self.errors.error(name, format!("`{text}` is no axis name\nhelp: axes are upper-case names, such as `W`"));
        }
        if self.axes.named(&text).is_some() {
            self.errors.error(name, format!("axis `{text}` exists already\nhelp: reduce it as it is, `[{text}]`, or use another name for the window"));
            return None;
        }
        // After a mistake in the size the axis stays known, so that the body is checked with it.
        let extent = extent.unwrap_or_else(|| self.graph.add_extent(Extent::Declared));
        Some(self.axes.enter_window(&mut self.graph, &text, extent))
    }

    /// The path stands outside the reduction, so its own axes must not be bound there: for the time of the body they get
    /// other names, which are returned to be taken back.
    fn path_aside(&mut self, bound: &[Option<AxisId>]) -> BTreeMap<AxisId, AxisId> {
        let bound: AxisSet = bound.iter().copied().flatten().collect();
        let Some(path) = self.path else { return BTreeMap::new() };
        let captured = self.graph.axes(path).intersection(&bound);
        if captured.is_empty() {
            return BTreeMap::new();
        }
        let away: BTreeMap<AxisId, AxisId> = captured.iter().map(|axis| (axis, self.graph.fresh_axis(axis))).collect();
        self.path = Some(substitute::rename(&mut self.graph, &mut self.places, path, &away));
        away.into_iter().map(|(axis, fresh)| (fresh, axis)).collect()
    }

    /// Each reduction takes values of some types.
    fn reducible(&mut self, name: &str, form: Form, value: Value, body: &syn::Expr) -> Option<Value> {
        let ty = self.graph.ty(value.node);
        let written = Written::new(body);
        match form {
            Form::Plain(Reduction::Any | Reduction::All) => {
                if ty != Ty::Bool {
                    let found = self.describe(value);
                    self.errors.error(
                        body,
                        format!("`{name}` needs a `bool`, found {found}\nhelp: compare it, as in `x > 0.0`"),
                    );
                    return None;
                }
                Some(value)
            }
            Form::Plain(_) => {
                if ty == Ty::Bool {
                    let help = match name {
                        "sum" | "prod" => format!("convert with `{} as i64`", written.text),
                        "min" => "write `all`".to_owned(),
                        _ => "write `any`".to_owned(),
                    };
                    self.errors.error(body, format!("`{name}` needs numbers, found `bool`\nhelp: {help}"));
                    return None;
                }
                self.check_numeric(value.node, name, &written).then_some(value)
            }
            Form::Mean | Form::Var | Form::LogSumExp => {
                if !ty.is_float() && value.kind == Kind::Typed {
                    let help = format!("convert with `{} as {}`", written.text, name_of(self.float));
                    self.errors
                        .error(body, format!("`{name}` needs a float element, found `{}`\nhelp: {help}", name_of(ty)));
                    return None;
                }
                if ty.is_float() {
                    return Some(value);
                }
                let node = super::value::adapt(&mut self.graph, value, self.float).ok()?;
                Some(Value { node, kind: Kind::Float })
            }
        }
    }

    /// A reduced axis is one along which the body varies.
    fn check_body_varies(&mut self, name: &str, bound: &[AxisId], body: NodeId, axes: &syn::Expr) -> bool {
        let missing: Vec<AxisId> =
            bound.iter().copied().filter(|&axis| !self.graph.axes(body).contains(axis)).collect();
        for &axis in &missing {
            let label = self.graph.axis(axis).name.clone();
            let message = format!("the body of `{name}` does not vary along the reduced axis `{label}`");
            let help = match name {
                "sum" => format!("remove `{label}`, or multiply by `size({label})`"),
                _ => format!("remove `{label}`"),
            };
            self.errors.error(axes, format!("{message}\nhelp: {help}"));
        }
        missing.is_empty()
    }

    /// The nodes of a reduction.
    fn reduced(&mut self, form: Form, bound: &[AxisId], body: NodeId) -> NodeId {
        match form {
            Form::Plain(op) => self.graph.reduce(op, bound.to_vec(), body),
            Form::Mean => self.mean(bound, body),
            Form::Var => {
                // Two passes: the mean of squares less the square of the mean would cancel.
                let mean = self.mean(bound, body);
                let centered = self.graph.binary(Binary::Sub, body, mean);
                let square = self.graph.binary(Binary::Mul, centered, centered);
                self.mean(bound, square)
            }
            Form::LogSumExp => self.log_sum_exp(bound, body),
        }
    }

    /// The sum over the number of elements.
    fn mean(&mut self, bound: &[AxisId], body: NodeId) -> NodeId {
        let ty = self.graph.ty(body);
        let sum = self.graph.reduce(Reduction::Sum, bound.to_vec(), body);
        let sizes: Vec<NodeId> = bound.iter().map(|&axis| self.graph.size(self.graph.axis(axis).extent)).collect();
        let count = sizes.into_iter().reduce(|a, b| self.graph.binary(Binary::Mul, a, b)).expect("an axis is reduced");
        let count = self.graph.convert(ty, count);
        self.graph.binary(Binary::Div, sum, count)
    }

    /// `m + ln(sum(exp(x - m)))` with the maximum `m`, or 0 where it is infinite. The result does not depend on `m`, so
    /// no cotangent flows through it.
    fn log_sum_exp(&mut self, bound: &[AxisId], body: NodeId) -> NodeId {
        let ty = self.graph.ty(body);
        let max = self.graph.reduce(Reduction::Max, bound.to_vec(), body);
        let [low, high, zero] = [f64::NEG_INFINITY, f64::INFINITY, 0.0].map(|value| self.graph.float(value, ty));
        let is_low = self.graph.binary(Binary::Eq, max, low);
        let is_high = self.graph.binary(Binary::Eq, max, high);
        let is_infinite = self.graph.binary(Binary::Or, is_low, is_high);
        let guarded = self.graph.select(is_infinite, zero, max);
        let shift = self.graph.intern(Op::Stop, vec![guarded], ty);
        let shifted = self.graph.binary(Binary::Sub, body, shift);
        let exp = self.graph.unary(Unary::Exp, shifted);
        let sum = self.graph.reduce(Reduction::Sum, bound.to_vec(), exp);
        let ln = self.graph.unary(Unary::Ln, sum);
        let finite = self.graph.binary(Binary::Add, shift, ln);
        // The sum has a term of 1 unless all are -inf: then no gradient may pass, as `0 / 0` would.
        let is_empty = self.graph.binary(Binary::Eq, sum, zero);
        self.graph.select(is_empty, low, finite)
    }

    /// A name before `[..](..)` is a reduction.
    fn refuse_reduction(&mut self, name: &Ident) {
        let text = name.to_string();
        if functions::arity(&text).is_some() {
            self.errors.error(name, format!("`{text}` is no reduction\nhelp: write `{text}(..)`"));
            return;
        }
        let help = if self.params.contains_key(&text) {
            format!("`{text}` is a parameter; its elements cannot be called")
        } else {
            match suggest::nearest(&text, names()) {
                Some(near) => format!("write `{near}[N](..)`"),
                None => format!("reductions are `{}`", names().collect::<Vec<_>>().join(" ")),
            }
        };
        self.errors.error(name, format!("unknown reduction `{text}`\nhelp: {help}"));
    }

    /// A reduction names its axes.
    pub(super) fn refuse_bare_reduction(&mut self, name: &Ident, arg: &syn::Expr) -> Option<Value> {
        let value = self.expr(arg);
        let axis = value.and_then(|value| {
            let last = self.graph.axes(value.node).iter().last()?;
            Some(self.graph.axis(last).name.clone())
        });
        let axis = axis.unwrap_or_else(|| "N".to_owned());
        self.errors.error(name, format!("`{name}` names the axes it reduces\nhelp: write `{name}[{axis}](..)`"));
        None
    }
}

/// The items of a rewritten bracket: `[(a, b)]`, `[(a)]`, `[()]`.
pub(super) fn items_of(bracket: &syn::Expr) -> Vec<&syn::Expr> {
    match strip(bracket) {
        syn::Expr::Tuple(tuple) => tuple.elems.iter().map(strip).collect(),
        other => vec![other],
    }
}
