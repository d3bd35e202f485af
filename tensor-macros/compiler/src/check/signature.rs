//! Parameters and outputs of a kernel.

use std::collections::HashMap;

use proc_macro2::Ident;
use quote::ToTokens;

use super::{Checker, Param};
use crate::errors::Place;
use crate::ir::{self, AxisId, Elem, Ty};
use crate::syntax::ast;

impl Checker<'_> {
    /// Declares the parameters and the outputs; nothing of the body is looked at.
    pub(super) fn signature(&mut self) {
        let function = self.function;
        let tensors: Vec<(&Ident, &ast::TensorTy)> = function
            .params
            .iter()
            .filter_map(|param| match &param.kind {
                ast::ParamKind::Tensor(ty) => Some((&param.name, ty)),
                ast::ParamKind::Scalar(_) => None,
            })
            .collect();
        self.check_generic_kinds();
        self.check_devices(&tensors);
        self.check_generics(&tensors);
        self.check_modes(&tensors);
        self.check_outputs_element(&tensors);
        self.float = float_of(tensors.iter().map(|(_, ty)| *ty).chain(&function.outputs));
        self.declare_params(&tensors);
        for param in &function.params {
            self.param(param);
        }
        for output in &function.outputs {
            self.output(output);
        }
    }

    /// A parameter has a name of its own, which is not that of an axis.
    fn param(&mut self, param: &ast::Param) {
        let name = param.name.to_string();
        if self.axes.named(&name).is_some() {
            self.errors.error(
                &param.name,
                format!("`{name}` is an axis and a parameter\nhelp: name the parameter in lower case"),
            );
        }
        let declared = match &param.kind {
            ast::ParamKind::Scalar(ty) => {
                self.scalars.push(ir::Scalar { name: name.clone(), ty: *ty });
                Param::Scalar(self.scalars.len() as u32 - 1)
            }
            ast::ParamKind::Tensor(ty) => {
                let axes = self.param_axes(&param.name, ty);
                let unnamed = ty.axes.iter().position(|axis| matches!(axis, ast::AxisDecl::Literal(..)));
                self.tensors.push(ir::Tensor { name: name.clone(), intent: ty.intent, elem: elem_of(&ty.elem), axes });
                self.edits.push(super::Edited::default());
                Param::Tensor { position: self.tensors.len() as u32 - 1, unnamed }
            }
        };
        self.params.insert(name, declared);
    }

    /// An axis stands once in a parameter.
    fn param_axes(&mut self, param: &Ident, ty: &ast::TensorTy) -> Vec<AxisId> {
        let mut axes: Vec<AxisId> = Vec::new();
        for decl in &ty.axes {
            let axis = match decl {
                ast::AxisDecl::Rest(_) => self.axes.rest(),
                ast::AxisDecl::Name(name) | ast::AxisDecl::Sized(name, _) => self.axes.named(&name.to_string()),
                ast::AxisDecl::Literal(size, _) => Some(self.unnamed_axis(*size, &axes)),
            };
            let Some(axis) = axis else { continue };
            if axes.contains(&axis) {
                let help = match decl {
                    ast::AxisDecl::Rest(_) => "write it once; it stands for any number of axes".to_owned(),
                    _ => format!("name the second one: `M = {}`", self.graph.axis(axis).name),
                };
                let message = format!("axis `{}` stands twice in `{param}`\nhelp: {help}", self.graph.axis(axis).name);
                self.errors.error(place_of(decl), message);
                continue;
            }
            axes.push(axis);
        }
        axes
    }

    /// The axis of a literal size, which has no name in the body.
    fn unnamed_axis(&mut self, size: u64, taken: &[AxisId]) -> AxisId {
        let extent = self.literal_extent(size);
        let name = size.to_string();
        let known =
            self.graph.all_axes().find(|(id, axis)| axis.extent == extent && axis.name == name && !taken.contains(id));
        match known.map(|(id, _)| id) {
            Some(axis) => axis,
            None => self.graph.add_axis(&name, extent, false),
        }
    }

    /// Every axis of an output has a size: that of an input, or one written there.
    fn output(&mut self, ty: &ast::TensorTy) {
        let mut axes: Vec<AxisId> = Vec::new();
        for decl in &ty.axes {
            let axis = match decl {
                ast::AxisDecl::Rest(span) => self.rest_axis(*span),
                ast::AxisDecl::Name(name) => self.output_axis(name),
                ast::AxisDecl::Sized(name, size) => self.sized_output_axis(name, size),
                ast::AxisDecl::Literal(size, span) => {
                    self.errors.error_at(*span, format!("an axis of an output needs a name\nhelp: write `C = {size}`"));
                    None
                }
            };
            let Some(axis) = axis else { continue };
            if axes.contains(&axis) {
                let message = format!("axis `{}` stands twice in the output", self.graph.axis(axis).name);
                self.errors.error(
                    place_of(decl),
                    format!("{message}\nhelp: name the second one: `M = {}`", self.graph.axis(axis).name),
                );
                continue;
            }
            axes.push(axis);
        }
        self.outputs.push(ir::Output { elem: elem_of(&ty.elem), axes });
    }

    /// An axis of an output without a size is an axis of an input.
    fn output_axis(&mut self, name: &Ident) -> Option<AxisId> {
        let axis = self.axes.named(&name.to_string());
        if axis.is_none() {
            self.errors.error(
                name,
                format!("axis `{name}` of the output has no size\nhelp: no input has it; write `{name} = size`"),
            );
        }
        axis
    }

    /// An axis has one size.
    fn sized_output_axis(&mut self, name: &Ident, size: &syn::Expr) -> Option<AxisId> {
        let text = name.to_string();
        let extent = self.size_expr(size);
        if self.params.contains_key(&text) {
            self.errors
                .error(name, format!("`{name}` is an axis and a parameter\nhelp: name the parameter in lower case"));
            return None;
        }
        match (self.axes.named(&text), extent) {
            (Some(axis), Some(extent)) if self.graph.axis(axis).extent != extent => {
                self.errors.error(
                    name,
                    format!("axis `{name}` has a size already\nhelp: write `{name}` alone, or use another name"),
                );
                None
            }
            (Some(axis), _) => Some(axis),
            (None, Some(extent)) => Some(self.axes.declare(&mut self.graph, &text, extent)),
            (None, None) => {
                // Reported; the axis stays known, so that the body is checked with it.
                let extent = self.graph.add_extent(ir::Extent::Declared);
                Some(self.axes.declare(&mut self.graph, &text, extent))
            }
        }
    }

    /// A kernel runs on one device.
    fn check_devices(&mut self, tensors: &[(&Ident, &ast::TensorTy)]) {
        let named = tensors.iter().map(|(name, ty)| (format!("`{name}`"), *ty));
        let outputs = self.function.outputs.iter().map(|ty| ("the output".to_owned(), ty));
        let mut first: Option<(String, String)> = None;
        for (name, ty) in named.chain(outputs) {
            let Some(device) = &ty.device else { continue };
            let text = device.to_token_stream().to_string().replace(' ', "");
            match &first {
                None => first = Some((name, text)),
                Some((other, known)) if *known != text => {
                    let message = format!("two devices in one kernel: `{known}` for {other}, `{text}` for {name}");
                    self.errors.error(
                        device,
                        format!(
                            "{message}\nhelp: name one device, and move the tensor before the call: `t.to(&device)?`"
                        ),
                    );
                }
                Some(_) => {}
            }
        }
    }

    /// Only types of tensors are generic.
    fn check_generic_kinds(&mut self) {
        for param in &self.function.generics.params {
            let help = match param {
                syn::GenericParam::Type(_) => continue,
                syn::GenericParam::Lifetime(_) => "references need no lifetimes here; remove it",
                syn::GenericParam::Const(_) => "pass the number as a `usize` scalar",
            };
            self.errors
                .error(param, format!("a kernel is generic over devices, grad modes and elements only\nhelp: {help}"));
        }
    }

    /// A kernel has one generic float element.
    fn check_generics(&mut self, tensors: &[(&Ident, &ast::TensorTy)]) {
        let mut first: Option<&Ident> = None;
        for ty in tensors.iter().map(|(_, ty)| *ty).chain(&self.function.outputs) {
            if let ast::ElemTy::Generic(elem) = &ty.elem {
                let known = *first.get_or_insert(elem);
                if known != elem {
                    let message = format!("two generic elements in one kernel: `{known}` and `{elem}`");
                    self.errors
                        .error(elem, format!("{message}\nhelp: use one, and a concrete element for the other tensor"));
                }
            }
        }
    }

    /// A gradient that would be lost is refused where the signature asks for it.
    fn check_modes(&mut self, tensors: &[(&Ident, &ast::TensorTy)]) {
        let has = |intent| tensors.iter().any(|(_, ty)| ty.intent == intent);
        let effect = match (has(ir::Intent::Edit), has(ir::Intent::Atomic)) {
            (true, _) => Some("edits in place"),
            (false, true) => Some("accumulates into an `&atomic` tensor"),
            (false, false) => None,
        };
        for (name, ty) in tensors {
            let Some(mode) = ty.mode.as_ref().filter(|_| ty.is_grad()) else { continue };
            let why = if !elem_of(&ty.elem).is_float() {
                format!("`{name}` has no gradient: its element is an integer or `bool`")
            } else if let Some(effect) = effect {
                format!("`{name}` is `Grad`, but a kernel that {effect} has no gradient")
            } else if self.function.no_grad.is_some() {
                format!("`{name}` is `Grad`, but the kernel is `#[no_grad]`")
            } else {
                continue;
            };
            self.errors.error(mode, format!("{why}\nhelp: write `NoGrad`, or leave the mode out"));
        }
    }

    /// The element of an output is known from the inputs, or named.
    fn check_outputs_element(&mut self, tensors: &[(&Ident, &ast::TensorTy)]) {
        let is_own = |ty: &ast::TensorTy| !matches!(ty.elem, ast::ElemTy::Named(..));
        if tensors.iter().any(|(_, ty)| is_own(ty)) {
            return;
        }
        for output in self.function.outputs.iter().filter(|output| matches!(output.elem, ast::ElemTy::Inferred)) {
            self.errors.error_at(
                output.span,
                "the element of the output is not known: no input has the kernel's own float element\nhelp: name it: `Tensor<f32>[..]`",
            );
        }
    }
}

/// The computing type of the kernel's own floats: that of its generic element, else of its one float element.
fn float_of<'a>(types: impl Iterator<Item = &'a ast::TensorTy>) -> Ty {
    let floats: HashMap<&str, Ty> = types
        .map(|ty| elem_of(&ty.elem).ty())
        .filter(|ty| ty.is_float())
        .map(|ty| (super::value::name_of(ty), ty))
        .collect();
    match floats.get("float") {
        Some(&ty) => ty,
        None if floats.len() == 1 => *floats.values().next().expect("one float type"),
        None => Ty::F64,
    }
}

fn elem_of(elem: &ast::ElemTy) -> Elem {
    match elem {
        ast::ElemTy::Inferred | ast::ElemTy::Generic(_) => Elem::Generic,
        ast::ElemTy::Named(elem, _) => *elem,
    }
}

fn place_of(decl: &ast::AxisDecl) -> Place {
    match decl {
        ast::AxisDecl::Rest(span) | ast::AxisDecl::Literal(_, span) => Place::at(*span),
        ast::AxisDecl::Name(name) | ast::AxisDecl::Sized(name, _) => Place::of(name),
    }
}
