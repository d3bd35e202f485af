//! Kernels without a body: which functions stand in its place, and what their signature may say.

use proc_macro2::Ident;

use super::Checker;
use crate::errors::Place;
use crate::ir::{CudaLaunch, Intent};
use crate::syntax::ast;

impl Checker<'_> {
    /// A kernel without a body names its functions; their sizes are size expressions.
    pub(super) fn by_hand(&mut self) {
        let function = self.function;
        let name = &function.name;
        if function.by_hand.cpu.is_none() {
            let message = match &function.by_hand.cuda {
                None => format!("kernel `{name}` has no body"),
                Some(_) => format!("kernel `{name}` is written for CUDA alone"),
            };
            let help = "name the function that runs on the CPU, `#[cpu(path)]`";
            let other = if function.by_hand.cuda.is_none() { ", or write the body, `{ .. }`" } else { "" };
            self.errors.error(name, format!("{message}\nhelp: {help}{other}"));
        }
        for param in &function.params {
            if let ast::ParamKind::Tensor(ty) = &param.kind {
                self.check_intent_by_hand(&param.name, ty);
            }
        }
        self.check_backward_by_hand();
        if let Some(cuda) = &function.by_hand.cuda {
            // They are evaluated where the kernel is launched, and are no axes of this kernel.
            let graph = self.graph.clone();
            let mut sizes = |exprs: &[syn::Expr]| exprs.iter().filter_map(|size| self.size_expr(size)).collect();
            let (grid, block) = (sizes(&cuda.grid), sizes(&cuda.block));
            let shared = cuda.shared.as_ref().and_then(|size| self.size_expr(size));
            let graph = std::mem::replace(&mut self.graph, graph);
            self.launch = Some(CudaLaunch { graph, grid, block, shared, sizes: Vec::new() });
        }
    }

    /// A function reads a tensor or writes it; what it overwrites when is not known.
    fn check_intent_by_hand(&mut self, name: &Ident, ty: &ast::TensorTy) {
        let (passed, why) = match ty.intent {
            Intent::Read | Intent::Edit => return,
            Intent::Atomic => ("as `&atomic`", "functions of the user have no atomic view of a tensor"),
            Intent::Donate => ("by value", "an output cannot take the storage of what may still be read"),
        };
        let message = format!("a hand-written kernel takes no tensor {passed}: {why}");
        self.errors.error_at(ty.span, format!("{message}\nhelp: write `{name}: &Tensor[..]`, or `&mut` to edit it"));
    }

    /// Gradients go from float outputs to float inputs, and not through an edit.
    fn check_backward_by_hand(&mut self) {
        let function = self.function;
        let Some(backward) = &function.by_hand.backward else {
            for param in &function.params {
                if let ast::ParamKind::Tensor(ty) = &param.kind
                    && let Some(mode) = ty.mode.as_ref().filter(|_| ty.is_grad() && function.no_grad.is_none())
                {
                    let message = format!("`{}` is `Grad`, but kernel `{}` has no gradient", param.name, function.name);
                    let help = "write `NoGrad`, or name the function that computes it, `#[backward(path)]`";
                    self.errors.error(mode, format!("{message}\nhelp: {help}"));
                }
            }
            return;
        };
        let why = if let Some(tensor) = self.tensors.iter().find(|tensor| tensor.intent == Intent::Edit) {
            format!("a kernel that edits `{}` in place has no gradient", tensor.name)
        } else if function.no_grad.is_some() {
            "the kernel is `#[no_grad]`".to_owned()
        } else if !self.tensors.iter().any(|tensor| tensor.elem.is_float()) {
            "no input is a float tensor".to_owned()
        } else if !self.outputs.iter().any(|output| output.elem.is_float()) {
            "no output is a float tensor".to_owned()
        } else {
            return;
        };
        self.errors.error(Place::of(backward), format!("`#[backward]` has nothing to compute: {why}\nhelp: remove it"));
    }
}
