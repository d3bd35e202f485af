//! The derivative: from a forward kernel to the expressions of its gradients.
//!
//! Stages, one file each:
//! 1. [`crate::simplify::lift`] moves factors out of forward contractions; forward nodes are fixed from here on.
//! 2. `sweep` visits forward nodes from results to operands. The *adjoint* of a node is the sum of what its users
//!    contribute; `rules` is the table of what an operation contributes to each operand. A contribution is summed over
//!    the axes that the result has and the operand lacks.
//! 3. `access` turns the adjoint of a load into a root of the parameter's gradient: a *dense* value over the declared axes
//!    or a *scatter*. Indices that are affine in axes are dense: `window` solves them.
//! 4. `residuals` decides which forward values are kept, and replaces them by loads; the rest is computed again.
//!
//! The adjoint of the result of a contraction or a window becomes an array ([`crate::ir::Temp`]) unless it is a load already:
//! it is read by the contractions of both operands, or by every window that covers an element, and no contraction may stand
//! inside another one's sum.
//!
//! Invariants, asserted in debug builds:
//! - only float nodes have adjoints, and the axes of an adjoint are among those of its node;
//! - the axes of a dense gradient are among the parameter's declared ones;
//! - each float parameter has a root or a recorded reason why not;
//! - forward ids do not change.
//!
//! Conventions: what an untaken branch or the losing side of `max` contributes is exactly 0, whatever its derivative is: a
//! guard on the cotangent ends up outside of the product with the partial derivative. Ties share: evenly within a reduction,
//! by halves between two operands; a constant takes all of it.

mod access;
mod blocked;
mod residuals;
mod rules;
mod sweep;
#[cfg(test)]
mod tests;
mod window;

use crate::ir::{Backward, Kernel, Root, Target, Write};
use crate::simplify::lift;
use sweep::Sweep;

/// Derives the backward pass; its expressions are added to the kernel's graph. `None` if the kernel has none: it says
/// `#[no_grad]`, edits a parameter in place, or no float parameter has a differentiable path to an output.
pub fn backward(kernel: &mut Kernel) -> Option<Backward> {
    lift::lift_factors(kernel);
    let edits = kernel.roots.iter().any(|root| matches!(root.target, Target::Edit(_)));
    if kernel.no_grad || edits {
        return None;
    }
    let blocked = blocked::Blocked::of(kernel);
    let Kernel { graph, tensors, outputs, roots: forward, .. } = &mut *kernel;
    let mut sweep = Sweep::new(graph, tensors, outputs, forward);
    sweep.run();
    let (roots, algebra) = sweep.finish(|param| blocked.arrives(param));
    if roots.is_empty() {
        return None;
    }
    let mut backward = residuals::choose(algebra, roots, outputs, forward);
    backward.blocked = blocked.reasons(kernel, &backward.roots);
    debug_assert!(kernel.tensors.iter().enumerate().all(|(param, tensor)| {
        let param = param as u32;
        !tensor.elem.is_float()
            || backward.roots.iter().any(|root| root.target == Target::Gradient(param))
            || backward.blocked.iter().any(|(blocked, _)| *blocked == param)
    }));
    debug_assert!(backward.roots.iter().all(|root| is_within(kernel, root)));
    Some(backward)
}

/// Why a kernel for which [`backward`] gives `None` has no gradient: a sentence for each float parameter; nothing for a
/// kernel that edits in place, beside which every tensor is untracked.
pub fn blocked(kernel: &Kernel) -> Vec<(u32, String)> {
    if kernel.roots.iter().any(|root| matches!(root.target, Target::Edit(_))) {
        return vec![];
    }
    if kernel.no_grad {
        let floats = kernel.tensors.iter().enumerate().filter(|(_, tensor)| tensor.elem.is_float());
        return floats.map(|(param, _)| (param as u32, format!("`{}` says `#[no_grad]`", kernel.name))).collect();
    }
    blocked::Blocked::of(kernel).reasons(kernel, &[])
}

/// True if the free axes of a dense gradient are declared.
fn is_within(kernel: &Kernel, root: &Root) -> bool {
    match &root.write {
        Write::Dense { axes } => kernel.graph.axes(root.value).iter().all(|axis| axes.contains(&axis)),
        Write::Scatter { over, .. } => kernel.graph.axes(root.value).iter().all(|axis| over.contains(&axis)),
    }
}
