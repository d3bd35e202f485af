//! Size expressions: `P = (L - W) / stride + 1`.

use super::Checker;
use crate::errors::Place;
use crate::ir::{ExtentId, Ty};

impl Checker<'_> {
    /// A size is an integer made of sizes and scalars; a bare axis is its size.
    pub(super) fn size_expr(&mut self, size: &syn::Expr) -> Option<ExtentId> {
        let was = std::mem::replace(&mut self.in_size, true);
        let path = self.path.take();
        let value = self.expr(size);
        self.in_size = was;
        self.path = path;
        let value = value?;
        let ty = self.graph.ty(value.node);
        if ty != Ty::I64 {
            self.errors.error(
                size,
                format!(
                    "a size is an integer, found `{}`\nhelp: compute it from axes and `usize` or `i64` scalars",
                    super::value::name_of(ty)
                ),
            );
            return None;
        }
        if super::value::literal_of(&self.graph, value.node).is_some_and(|size| size < 0) {
            self.errors.error(Place::of(size), "a size is not negative");
            return None;
        }
        Some(self.axes.sized(&mut self.graph, value.node))
    }
}
