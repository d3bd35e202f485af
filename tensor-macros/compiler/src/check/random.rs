//! Random numbers: `uniform(seed)`, `normal(seed)`.
//!
//! A random number is counted along every axis in scope where it is written (see `scope`). Its counter is the
//! row-major position over them, an expression like any other: what
//! is substituted for an axis later (by the derivative, by a schedule) is substituted in the counter.

use super::statements::strip;
use super::value::{Kind, Value, name_of};
use super::{Checker, functions};
use crate::ir::{Binary, Distribution, NodeId, Op, Ty};

impl Checker<'_> {
    /// A random number of the next stream.
    pub(super) fn random(&mut self, text: &str, distribution: Distribution, arg: &syn::Expr) -> Option<Value> {
        let seed = self.expr(arg)?;
        if self.in_size {
            self.errors.error(arg, format!("a size cannot depend on `{text}`\nhelp: pass it as a `usize` scalar"));
            return None;
        }
        let seed = self.seed(text, seed, arg)?;
        let counter = self.counter();
        let stream = self.streams;
        self.streams += 1;
        Some(Value { node: self.graph.random(distribution, stream, seed, counter, self.float), kind: Kind::Float })
    }

    /// A seed is one integer for the whole call.
    fn seed(&mut self, text: &str, seed: Value, arg: &syn::Expr) -> Option<NodeId> {
        let ty = self.graph.ty(seed.node);
        if !ty.is_integer() {
            let found = self.describe(seed);
            let help = match functions::bare_name(strip(arg)) {
                Some(name) => format!("declare it as `{name}: u64`"),
                None => "pass it as a scalar, `seed: u64`".to_owned(),
            };
            self.errors.error(arg, format!("the seed of `{text}` is an integer, found {found}\nhelp: {help}"));
            return None;
        }
        let loads = |&id: &NodeId| matches!(self.graph.op(id), Op::Load { .. });
        if !self.graph.axes(seed.node).is_empty() || self.graph.reachable(&[seed.node]).iter().any(loads) {
            let message = format!("the seed of `{text}` is one number for the whole call");
            let help = "pass it as a scalar, `seed: u64`; the numbers differ from element to element by themselves";
            self.errors.error(arg, format!("{message}, found `{}` that varies\nhelp: {help}", name_of(ty)));
            return None;
        }
        Some(self.graph.convert(Ty::U64, seed.node))
    }

    /// The row-major position over the axes in scope.
    fn counter(&mut self) -> NodeId {
        let mut counter: Option<NodeId> = None;
        for axis in self.scope_axes.all() {
            let index = self.graph.index(axis);
            counter = Some(match counter {
                None => index,
                Some(outer) => {
                    let size = self.graph.size(self.graph.axis(axis).extent);
                    let start = self.graph.binary(Binary::Mul, outer, size);
                    self.graph.binary(Binary::Add, start, index)
                }
            });
        }
        counter.unwrap_or_else(|| self.graph.int(0, Ty::I64))
    }
}
