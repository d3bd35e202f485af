//! Loads: `x`, `x[N, i + 1]`.

use proc_macro2::Ident;

use super::reductions::items_of;
use super::value::{Kind, Value, literal_of, name_of};
use super::{Checker, Param, functions};
use crate::errors::Place;
use crate::ir::{AxisId, Intent, NodeId, Source, Ty};

impl Checker<'_> {
    /// A bare tensor is its element at its declared axes, or the value that was written there before.
    pub(super) fn bare(&mut self, position: u32, unnamed: Option<usize>, name: &Ident) -> Option<Value> {
        if !self.check_readable(position, name) {
            return None;
        }
        if let Some(dimension) = unnamed {
            let axis = self.tensors[position as usize].axes[dimension];
            let size = self.graph.axis(axis).name.clone();
            let message = format!("`{name}` has an axis of size {size} without a name");
            self.errors
                .error(name, format!("{message}\nhelp: name it in the signature, `C = {size}`, or index the tensor"));
            return None;
        }
        if let Some(value) = self.edits[position as usize].value {
            return Some(Value::typed(value));
        }
        let tensor = &self.tensors[position as usize];
        let ty = tensor.elem.ty();
        let axes = tensor.axes.clone();
        Some(Value::typed(self.graph.load_own(Source::Param(position), &axes, ty)))
    }

    /// Elements are read in the body, not while other threads may change them, and not after they were added into at
    /// computed indices.
    fn check_readable(&mut self, position: u32, name: &Ident) -> bool {
        if self.in_size {
            self.errors.error(
                name,
                format!("a size cannot depend on the data of `{name}`\nhelp: pass it as a `usize` scalar"),
            );
            return false;
        }
        if self.tensors[position as usize].intent == Intent::Atomic {
            let help = format!("`{name}.load()?` gives a copy: after the kernel, or before it for another parameter");
            self.errors.error(
                name,
                format!("`{name}` is `&atomic`: other threads may be changing it, so it cannot be read\nhelp: {help}"),
            );
            return false;
        }
        if self.edits[position as usize].scattered {
            let help = "read it before, or in a second kernel";
            self.errors.error(
                name,
                format!("`{name}` was added into at computed indices and cannot be read after\nhelp: {help}"),
            );
            return false;
        }
        true
    }

    /// `x[i, j]` is the element at an index for each declared axis.
    pub(super) fn indexed(&mut self, expr: &syn::ExprIndex) -> Option<Value> {
        let (position, index) = self.indexed_tensor(expr)?;
        Some(Value::typed(self.element(position, index, expr, self.path)?))
    }

    /// The tensor of `x[i, j]`, by position, and the indices.
    pub(super) fn indexed_tensor(&mut self, expr: &syn::ExprIndex) -> Option<(u32, Vec<NodeId>)> {
        let Some(name) = functions::bare_name(&expr.expr) else {
            self.errors
                .error(&expr.expr, "only a tensor parameter can be indexed\nhelp: index the tensor itself: `x[i, j]`");
            return None;
        };
        let text = name.to_string();
        let is_local = self.scope.iter().any(|(local, _)| *local == text);
        if let (true, _) | (_, Some(_)) = (is_local, &self.helper) {
            self.errors.error(name, format!("`{text}` is a number here, and only a tensor parameter can be indexed\nhelp: index the tensors it is computed from"));
            return None;
        }
        let position = match self.params.get(&text) {
            Some(Param::Tensor { position, .. }) => *position,
            Some(Param::Scalar(_)) => {
                self.errors.error(name, format!("`{text}` is a scalar and has no elements\nhelp: write `{text}`"));
                return None;
            }
            None if functions::is_function(&text) => {
                self.errors.error(expr, format!("`{text}[..]` has no argument\nhelp: write `{text}[N](..)`"));
                return None;
            }
            None => {
                self.errors.error(name, format!("unknown tensor `{text}`\nhelp: tensors are parameters"));
                return None;
            }
        };
        if !self.check_readable(position, name) {
            return None;
        }
        Some((position, self.indices(position, expr)?))
    }

    /// The element of a tensor at an index; `path` is where it is executed.
    pub(super) fn element(
        &mut self,
        position: u32,
        index: Vec<NodeId>,
        expr: &syn::ExprIndex,
        path: Option<NodeId>,
    ) -> Option<NodeId> {
        let tensor = self.tensors[position as usize].clone();
        let is_own = index.iter().zip(&tensor.axes).all(|(&index, &axis)| self.graph.as_index(index) == Some(axis));
        if let Some(value) = self.edits[position as usize].value {
            if is_own {
                return Some(value);
            }
            let text = &tensor.name;
            let help = format!("read `{text}[..]` into a `let` before the assignment, or write a second kernel");
            self.errors.error(
                expr,
                format!("`{text}` was assigned, and another element of it cannot be read after\nhelp: {help}"),
            );
            return None;
        }
        // What may lie outside is executed only where the path holds.
        let is_within = index.iter().zip(&tensor.axes).all(|(&index, &own)| self.stays_within(index, own));
        let guard = path.filter(|_| !is_within);
        Some(self.graph.load(Source::Param(position), index, guard, tensor.elem.ty()))
    }

    /// True for a bare axis of the size of the dimension declared as `own`.
    pub(super) fn stays_within(&self, index: NodeId, own: AxisId) -> bool {
        let bare = self.graph.as_index(index);
        bare.is_some_and(|axis| self.graph.axis(axis).extent == self.graph.axis(own).extent)
    }

    /// One integer for each declared axis; `..` stands for itself.
    pub(super) fn indices(&mut self, position: u32, expr: &syn::ExprIndex) -> Option<Vec<NodeId>> {
        let tensor = self.tensors[position as usize].clone();
        let items = items_of(&expr.index);
        let declared: Vec<String> = tensor.axes.iter().map(|&axis| self.graph.axis(axis).name.clone()).collect();
        if items.len() != tensor.axes.len() {
            let (count, found) = (tensor.axes.len(), items.len());
            let message = format!("`{}` has {}, found {found} in the index", tensor.name, counted(count));
            let help = format!("its axes are `{}[{}]`", tensor.name, declared.join(", "));
            self.errors.error(expr, format!("{message}\nhelp: {help}"));
            return None;
        }
        let mut index = Vec::new();
        for (item, &axis) in items.iter().zip(&tensor.axes) {
            let is_rest = matches!(item, syn::Expr::Range(range) if range.start.is_none() && range.end.is_none());
            index.push(match (is_rest, self.graph.axis(axis).rest) {
                (true, true) => Some(self.graph.index(axis)),
                (true, false) => {
                    let label = &self.graph.axis(axis).name;
                    self.errors.error(
                        item,
                        format!("`..` stands where `{}` declares `{label}`\nhelp: write `{label}`", tensor.name),
                    );
                    None
                }
                (false, true) => {
                    let help = "`..` is any number of axes and cannot be indexed; write `..`";
                    self.errors
                        .error(item, format!("an index stands where `{}` declares `..`\nhelp: {help}", tensor.name));
                    None
                }
                (false, false) => self.index_value(item),
            });
        }
        index.into_iter().collect()
    }

    /// An index is an integer; its arithmetic is signed 64-bit.
    fn index_value(&mut self, expr: &syn::Expr) -> Option<NodeId> {
        if let syn::Expr::Range(_) = expr {
            self.errors.error(
                expr,
                "slices do not exist in a kernel: an index names one element\nhelp: index with an axis: `x[N + 1]`",
            );
            return None;
        }
        let value = self.expr(expr)?;
        let ty = self.graph.ty(value.node);
        if !ty.is_integer() || ty == Ty::U64 {
            let found = name_of(ty);
            self.errors.error(expr, format!("an index is an integer, found `{found}`\nhelp: convert with `as i64`"));
            return None;
        }
        if value.kind == Kind::Integer && literal_of(&self.graph, value.node).is_some_and(|literal| literal < 0) {
            self.errors.error(Place::of(expr), "an index counts from 0\nhelp: count from the end with `size(N) - 1`");
            return None;
        }
        Some(self.graph.convert(Ty::I64, value.node))
    }
}

fn counted(axes: usize) -> String {
    match axes {
        1 => "1 axis".to_owned(),
        count => format!("{count} axes"),
    }
}
