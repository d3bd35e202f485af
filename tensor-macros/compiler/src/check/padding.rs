//! `pad_with(x[N - 1], 0.0)`: an element, or a default outside of the tensor.

use super::functions::bare_name;
use super::statements::strip;
use super::value::{Value, Written};
use super::{Checker, Param};
use crate::errors::Place;
use crate::ir::{Binary, NodeId, Ty, Unary};

impl Checker<'_> {
    /// The load is executed only inside of its tensor; elsewhere the default stands for it.
    pub(super) fn pad_with(&mut self, load: &syn::Expr, default: &syn::Expr) -> Option<Value> {
        let found = self.padded_load(load);
        let inside = found.as_ref().and_then(|(position, index, _)| self.inside(*position, index));
        let outside = inside.map(|inside| self.graph.unary(Unary::Not, inside));
        let padding = self.under(outside, |checker| checker.expr(default));
        let (position, index, expr) = found?;
        let path = self.and(self.path, inside);
        let element = self.element(position, index, expr, path)?;
        self.places.insert(element, Place::of(expr));
        let ty = self.graph.ty(element);
        let padding = self.adapt_or_error(padding?, ty, &Written::new(default), "the default of `pad_with`")?;
        Some(Value::typed(match inside {
            Some(inside) => self.graph.select(inside, element, padding),
            None => element,
        }))
    }

    /// The first argument is a load: only an index may lie outside.
    fn padded_load<'e>(&mut self, load: &'e syn::Expr) -> Option<(u32, Vec<NodeId>, &'e syn::ExprIndex)> {
        if let syn::Expr::Index(expr) = strip(load) {
            let (position, index) = self.indexed_tensor(expr)?;
            return Some((position, index, expr));
        }
        let help = match bare_name(load) {
            Some(name) if matches!(self.params.get(&name.to_string()), Some(Param::Tensor { .. })) => {
                format!("a bare `{name}` never lies outside; index it: `pad_with({name}[N - 1], 0.0)`")
            }
            _ => "only an element may lie outside of its tensor: `pad_with(x[N - 1], 0.0)`".to_owned(),
        };
        self.errors.error(load, format!("`pad_with` takes an indexed tensor\nhelp: {help}"));
        None
    }

    /// Where every index lies in its dimension; `None` if that is everywhere.
    fn inside(&mut self, position: u32, index: &[NodeId]) -> Option<NodeId> {
        let declared = self.tensors[position as usize].axes.clone();
        let zero = self.graph.int(0, Ty::I64);
        let mut inside = None;
        for (&index, own) in index.iter().zip(declared) {
            if self.stays_within(index, own) {
                continue;
            }
            // The index along an axis counts from 0.
            if self.graph.as_index(index).is_none() {
                let not_negative = self.graph.binary(Binary::Ge, index, zero);
                inside = self.and(inside, Some(not_negative));
            }
            let size = self.graph.size(self.graph.axis(own).extent);
            let not_beyond = self.graph.binary(Binary::Lt, index, size);
            inside = self.and(inside, Some(not_beyond));
        }
        inside
    }
}
