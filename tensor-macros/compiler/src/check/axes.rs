//! The axes of a kernel by name.

use std::collections::HashMap;

use proc_macro2::{Ident, Span};

use super::{Checker, functions};
use crate::ir::{AxisId, Extent, ExtentId, Graph, NodeId, Op};
use crate::syntax::ast;

/// Axes in scope. Axes of the signature are in scope everywhere, a window axis in the body of its reduction.
#[derive(Default, Debug)]
pub(super) struct Axes {
    declared: HashMap<String, AxisId>,
    /// Declared names in order, for messages.
    order: Vec<String>,
    rest: Option<AxisId>,
    /// Window axes in scope, innermost last.
    windows: Vec<(String, AxisId)>,
    /// Every window axis made so far: equal names and sizes are one axis, so that their reductions can share a pass.
    made: HashMap<(String, ExtentId), AxisId>,
    /// The extent of each size expression.
    sized: HashMap<NodeId, ExtentId>,
}

impl Axes {
    /// The axis of this name.
    pub(super) fn named(&self, name: &str) -> Option<AxisId> {
        let window = self.windows.iter().rev().find(|(window, _)| window == name).map(|&(_, axis)| axis);
        window.or_else(|| self.declared.get(name).copied())
    }

    /// The axis `..`.
    pub(super) fn rest(&self) -> Option<AxisId> {
        self.rest
    }

    /// The axis `..`, made if it is new.
    pub(super) fn declare_rest(&mut self, graph: &mut Graph) -> AxisId {
        *self.rest.get_or_insert_with(|| {
            let extent = graph.add_extent(Extent::Declared);
            graph.add_axis("..", extent, true)
        })
    }

    /// Gives a name to a new axis of the signature.
    pub(super) fn declare(&mut self, graph: &mut Graph, name: &str, extent: ExtentId) -> AxisId {
        let axis = graph.add_axis(name, extent, false);
        self.declared.insert(name.to_owned(), axis);
        self.order.push(name.to_owned());
        axis
    }

    /// The extent whose size is this expression.
    pub(super) fn sized(&mut self, graph: &mut Graph, size: NodeId) -> ExtentId {
        match graph.op(size) {
            Op::Size(extent) => *extent,
            _ => *self.sized.entry(size).or_insert_with(|| graph.add_extent(Extent::Computed(size))),
        }
    }

    /// Brings a window axis into scope.
    pub(super) fn enter_window(&mut self, graph: &mut Graph, name: &str, extent: ExtentId) -> AxisId {
        let key = (name.to_owned(), extent);
        let axis = *self.made.entry(key).or_insert_with(|| graph.add_axis(name, extent, false));
        self.windows.push((name.to_owned(), axis));
        axis
    }

    /// Takes the innermost window axes out of scope.
    pub(super) fn leave_windows(&mut self, count: usize) {
        self.windows.truncate(self.windows.len() - count);
    }

    /// Every name in scope.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.order.iter().map(String::as_str).chain(self.windows.iter().map(|(name, _)| name.as_str()))
    }
}

impl Checker<'_> {
    /// An axis in a body is one of the signature, or the window of an enclosing reduction.
    pub(super) fn axis_named(&mut self, name: &Ident) -> Option<AxisId> {
        let text = name.to_string();
        if let Some(axis) = self.axes.named(&text) {
            return Some(axis);
        }
        let help = match super::suggest::nearest(&text, self.axes.names()) {
            _ if ["PI", "INF", "INFINITY", "NAN"].contains(&text.as_str()) => {
                "constants are `inf`, `nan`, `pi`".to_owned()
            }
            Some(near) => format!("there is an axis `{near}`"),
            None => format!(
                "declare it in the signature, or bind it with its size: `sum[{text} = size](..)`; a constant is passed as a scalar"
            ),
        };
        self.errors.error(name, format!("unknown axis `{text}`\nhelp: {help}"));
        None
    }

    /// `..` stands where a parameter has it.
    pub(super) fn rest_axis(&mut self, span: Span) -> Option<AxisId> {
        let rest = self.axes.rest();
        if rest.is_none() {
            self.errors.error_at(span, "no parameter has the axes `..`\nhelp: name the axes");
        }
        rest
    }

    /// Axes of the parameters: equal names are one axis, `[M = N]` is a second axis of the same size.
    pub(super) fn declare_params(&mut self, tensors: &[(&Ident, &ast::TensorTy)]) {
        let decls = || tensors.iter().flat_map(|(_, ty)| &ty.axes);
        let mut sized: Vec<(&Ident, &syn::Expr)> = decls()
            .filter_map(|decl| match decl {
                ast::AxisDecl::Sized(name, size) => Some((name, size)),
                _ => None,
            })
            .collect();
        for decl in decls() {
            match decl {
                ast::AxisDecl::Name(name)
                    if self.axes.named(&name.to_string()).is_none()
                        && sized.iter().all(|(other, _)| *other != name) =>
                {
                    let extent = self.graph.add_extent(Extent::Declared);
                    self.axes.declare(&mut self.graph, &name.to_string(), extent);
                }
                ast::AxisDecl::Rest(_) => {
                    self.axes.declare_rest(&mut self.graph);
                }
                _ => {}
            }
        }
        // In `[A = B, B = C]` the size of `B` is needed first.
        while !sized.is_empty() {
            let waits = |size: &syn::Expr| {
                functions::bare_name(size).is_some_and(|other| sized.iter().any(|(name, _)| *name == other))
            };
            let ready = sized.iter().position(|(_, size)| !waits(size));
            let (name, size) = sized.remove(ready.unwrap_or(0));
            if ready.is_none() {
                self.errors
                    .error(size, format!("the size of axis `{name}` depends on itself\nhelp: write `{name}` alone"));
                let extent = self.graph.add_extent(Extent::Declared);
                self.axes.declare(&mut self.graph, &name.to_string(), extent);
                continue;
            }
            self.declare_sized_param(name, size);
        }
    }

    /// The size of a parameter's axis is that of another axis, or a literal.
    fn declare_sized_param(&mut self, name: &Ident, size: &syn::Expr) {
        let text = name.to_string();
        let extent = match size {
            syn::Expr::Path(path) if path.path.get_ident().is_some() => {
                let other = path.path.get_ident().expect("one name");
                self.axis_named(other).map(|axis| self.graph.axis(axis).extent)
            }
            syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(literal), .. }) if literal.suffix().is_empty() => {
                match literal.base10_parse::<i64>() {
                    Ok(size) => Some(self.literal_extent(size.unsigned_abs())),
                    Err(_) => {
                        self.errors
                            .error(size, format!("`{literal}` is no size\nhelp: write a whole number, such as `3`"));
                        None
                    }
                }
            }
            _ => {
                let help = format!("a parameter brings its own sizes: write `{text}`, `{text} = N`, or `{text} = 3`");
                self.errors.error(size, format!("axis `{text}` of a parameter has a computed size\nhelp: {help}"));
                None
            }
        };
        match (self.axes.named(&text), extent) {
            (None, extent) => {
                let extent = extent.unwrap_or_else(|| self.graph.add_extent(Extent::Declared));
                self.axes.declare(&mut self.graph, &text, extent);
            }
            (Some(axis), Some(extent)) if self.graph.axis(axis).extent != extent => {
                self.errors.error(name, format!("axis `{text}` has two sizes\nhelp: write `{text} = ..` once, and `{text}` elsewhere; or use another name"));
            }
            _ => {}
        }
    }

    /// The extent of a literal size; one for each number.
    pub(super) fn literal_extent(&mut self, size: u64) -> ExtentId {
        let known = self.graph.all_extents().find(|&(_, extent)| extent == Extent::Literal(size)).map(|(id, _)| id);
        known.unwrap_or_else(|| self.graph.add_extent(Extent::Literal(size)))
    }
}
