//! The axes in scope of an expression: a random number is counted along them, an assertion has a position on them.
//!
//! They are the axes of the *element* that is computed, then those of the enclosing reductions, outermost first. The
//! element is that of the output or of the edited tensor whose value the expression is part of; for what is added at a
//! computed index, the axes that the index iterates; for a `let`, those of all outputs and edited tensors together. A
//! reduction over an axis of the element hides it: the axis stands once.

use super::Checker;
use crate::ir::{self, AxisId, Intent};

/// Axes in scope.
#[derive(Clone, Default, Debug)]
pub(super) struct ScopeAxes {
    element: Vec<AxisId>,
    /// Of the enclosing reductions, if the element lacks them.
    reduced: Vec<AxisId>,
}

impl ScopeAxes {
    /// All of them, outermost first.
    pub(super) fn all(&self) -> Vec<AxisId> {
        self.element.iter().chain(&self.reduced).copied().collect()
    }

    /// Those of the enclosing reductions, if the element lacks them.
    pub(super) fn reduced(&self) -> &[AxisId] {
        &self.reduced
    }
}

impl Checker<'_> {
    /// The axes of all outputs and edited tensors.
    pub(super) fn enter_body(&mut self) {
        let outputs = self.outputs.iter().map(|output| &output.axes);
        let edits = |tensor: &&ir::Tensor| matches!(tensor.intent, Intent::Edit | Intent::Atomic);
        let edited = self.tensors.iter().filter(edits).map(|tensor| &tensor.axes);
        let mut element = vec![];
        for &axis in outputs.chain(edited).flatten() {
            if !element.contains(&axis) {
                element.push(axis);
            }
        }
        self.scope_axes = ScopeAxes { element, reduced: vec![] };
    }

    /// Evaluates something for each element over `axes`.
    pub(super) fn of_element<R>(&mut self, axes: Vec<AxisId>, evaluate: impl FnOnce(&mut Self) -> R) -> R {
        let element = ScopeAxes { element: axes, reduced: vec![] };
        let outer = std::mem::replace(&mut self.scope_axes, element);
        let result = evaluate(self);
        self.scope_axes = outer;
        result
    }

    /// Evaluates the body of a reduction.
    pub(super) fn within_reduction<R>(
        &mut self,
        bound: impl IntoIterator<Item = AxisId>,
        evaluate: impl FnOnce(&mut Self) -> R,
    ) -> R {
        let outer = self.scope_axes.clone();
        for axis in bound {
            if !self.scope_axes.all().contains(&axis) {
                self.scope_axes.reduced.push(axis);
            }
        }
        let result = evaluate(self);
        self.scope_axes = outer;
        result
    }
}
