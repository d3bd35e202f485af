//! Hand-written kernels: the `__global__` function of a `.cu` file against the signature in `tensor_fn!`.
//!
//! Vocabulary: the *prototype* of an entry is what stands before its body; its *parameters* are, in order, those of the
//! signature (a tensor is a pointer to its first element, a scalar a value), the outputs, and then the sizes of whichever
//! axes the kernel asks for, by their names.
//!
//! The parser knows this one form of declaration and no preprocessor: a prototype is written out, without macros.
//!
//! Invariant: a file is read here only to be compared; that a change of it recompiles the crate is the doing of the
//! `include_str!` in the emitted code.

mod compare;
mod prototype;
mod source;

#[cfg(test)]
mod tests;

use crate::check;
use crate::errors::Errors;
use crate::ir;
use crate::syntax::ast::{Cuda, Function};

/// A hand-written kernel, and how it is launched on a CUDA device if it can be.
pub type ByHand = (ir::Kernel, Option<ir::CudaLaunch>);

/// Compiles a function without a body; `None` if it has a mistake, which is then among the errors.
pub fn compile(function: &Function, errors: &mut Errors) -> Option<ByHand> {
    let before = errors.len();
    let check::Checked { kernel, mut launch, .. } = check::kernel(function, &[], errors)?;
    if let Some(cuda) = &function.by_hand.cuda {
        match source::read(&cuda.file) {
            Ok(text) => {
                let sizes = check_text(&text, cuda, function, &kernel, errors);
                if let Some(launch) = &mut launch {
                    launch.sizes = sizes;
                }
            }
            Err(error) => errors.push(error),
        }
    }
    (errors.len() == before).then_some((kernel, launch))
}

/// Compares the text of a file with the signature; gives the axes whose sizes the entry takes.
fn check_text(
    text: &str,
    cuda: &Cuda,
    function: &Function,
    kernel: &ir::Kernel,
    errors: &mut Errors,
) -> Vec<ir::AxisId> {
    match prototype::find(text, &cuda.entry.value()) {
        Ok(prototype) => {
            let mut comparison = compare::Comparison { prototype: &prototype, cuda, function, kernel, errors };
            comparison.run();
            comparison.sizes()
        }
        Err(fault) => {
            errors.error(&cuda.entry, fault.message(&cuda.file.value(), &cuda.entry.value()));
            Vec::new()
        }
    }
}
