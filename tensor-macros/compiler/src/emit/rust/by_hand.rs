//! A hand-written kernel: the typed function of any kernel, which calls the user's functions, and a module with its tables.
//!
//! Invariant: views and kept tensors are taken in the order in which the runtime puts them there: parameters, outputs,
//! then (for the backward function) the cotangents of float outputs.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};

use super::signature::{Gradients, Signature, signature};
use super::{Code, finish, format, generic_element, head, inside, is_generic, tables, untracked};
use crate::emit::DeviceTexts;
use crate::emit::plan::Direction;
use crate::ir::{self, Intent};
use crate::print;
use crate::schedule::Schedule;
use crate::syntax::ast::{ElemTy, Function, ParamKind, TensorTy};

/// The items of a function without a body.
pub fn by_hand(
    function: &Function,
    kernel: &ir::Kernel,
    launch: Option<&ir::CudaLaunch>,
    runtime: &TokenStream,
) -> TokenStream {
    let blocked = blocked(function, kernel);
    let gradients = Gradients { exist: function.by_hand.backward.is_some(), blocked: &blocked };
    let signature = signature(function, gradients, runtime);
    let schedule = Schedule::default();
    let forward = Direction { kernel, saved: &[], schedule: &schedule };
    let tables = tables::program((&forward, &forward.plan()), None, &DeviceTexts::default(), &blocked);
    let untracked = untracked(function, &signature);
    let cfgs = function.attrs.iter().filter(|attr| attr.path().is_ident("cfg"));
    let code = Code {
        typed: typed(function, kernel, &signature, runtime),
        attrs: quote!(#(#cfgs)*),
        vis: function.vis.to_token_stream(),
        name: function.name.clone(),
        runtime: runtime.clone(),
        content: quote!(#untracked #tables),
    };
    let (ir, schedules) = (print::kernel(kernel), functions(function));
    let rust = format(&code.typed, &code.module(TokenStream::new()));
    let vis = inside(&function.vis);
    // Cargo compiles the crate again when a file changes that it includes.
    let cuda = launch.and_then(|launch| tables::cuda_function(function, kernel, launch)).map(|cuda| {
        quote! {
            pub(super) static CUDA: CudaFunction = #cuda;
        }
    });
    let (typed, module) = (
        &code.typed,
        code.module(quote! {
            #cuda
            /// How the kernel was compiled.
            #vis fn source() -> Source {
                Source::new(#ir, #schedules, #rust, &[])
            }
        }),
    );
    quote!(#typed #module)
}

/// Why no gradient reaches the float parameters, if none does.
fn blocked(function: &Function, kernel: &ir::Kernel) -> Vec<(u32, String)> {
    let edits = kernel.tensors.iter().any(|tensor| tensor.intent == Intent::Edit);
    if edits || function.by_hand.backward.is_some() {
        return vec![];
    }
    let reason = match function.no_grad {
        Some(_) => format!("`{}` says `#[no_grad]`", kernel.name),
        None => format!("`{}` is written by hand and has no `#[backward(..)]`", kernel.name),
    };
    let floats = kernel.tensors.iter().enumerate().filter(|(_, tensor)| tensor.elem.is_float());
    floats.map(|(param, _)| (param as u32, reason.clone())).collect()
}

/// What stands in place of a schedule.
fn functions(function: &Function) -> String {
    let path = |path: &syn::Path| path.to_token_stream().to_string().replace(' ', "");
    let by_hand = &function.by_hand;
    let mut text = format!("{} is written by hand\n", function.name);
    if let Some(cpu) = &by_hand.cpu {
        text += &format!("  cpu: {}\n", path(cpu));
    }
    if let Some(cuda) = &by_hand.cuda {
        text += &format!("  cuda: {} in {}\n", cuda.entry.value(), cuda.file.value());
    }
    if let Some(backward) = &by_hand.backward {
        text += &format!("  backward: {}\n", path(backward));
    }
    text
}

/// The typed function.
fn typed(function: &Function, kernel: &ir::Kernel, signature: &Signature, runtime: &TokenStream) -> TokenStream {
    let head = head(function, signature, runtime);
    let name = &function.name;
    let mut names = signature.names.clone();
    let (call, outputs, views, kept) =
        (names.local("call"), names.local("outputs"), names.local("views"), names.local("kept"));
    let element = generic_element(signature, is_generic(kernel));
    let arguments = signature.arguments.iter().map(|(method, argument)| quote!(#call.#method(#argument);));
    let cpu = function.by_hand.cpu.as_ref().expect("`check` asks for a function for the CPU");
    let views_taken = function.params.iter().map(|param| match &param.kind {
        ParamKind::Scalar(_) => param.name.to_token_stream(),
        ParamKind::Tensor(ty) => {
            let element = element_of(ty, signature);
            match ty.intent {
                Intent::Edit => quote!(#views.write::<#element>()),
                Intent::Read | Intent::Atomic | Intent::Donate => quote!(#views.read::<#element>()),
            }
        }
    });
    let outputs_taken = function.outputs.iter().map(|output| {
        let element = element_of(output, signature);
        quote!(#views.write::<#element>())
    });
    let on_cpu = quote!(|#views| #cpu(#(#views_taken,)* #(#outputs_taken),*));
    let on_cuda = match &function.by_hand.cuda {
        Some(_) => quote!(::core::option::Option::Some(&#name::CUDA)),
        None => quote!(::core::option::Option::None),
    };
    let run = match &function.by_hand.backward {
        None => quote!(#call.run_by_hand(#on_cuda, #on_cpu)?),
        Some(path) => {
            let backward = backward(function, kernel, signature, path, &kept);
            quote!(#call.run_by_hand_with_backward(#on_cuda, #on_cpu, #backward)?)
        }
    };
    let finish = finish(function, signature, &outputs, &run);
    quote! {
        #head {
            let mut #call = #runtime::__private::Call::new(
                &#name::PROGRAM,
                #runtime::__private::Bodies::NONE,
                <#element as #runtime::__private::Element>::DTYPE,
            );
            #(#arguments)*
            #finish
        }
    }
}

/// The closure that computes the gradients.
fn backward(
    function: &Function,
    kernel: &ir::Kernel,
    signature: &Signature,
    path: &syn::Path,
    kept: &Ident,
) -> TokenStream {
    let device = &signature.device;
    let tensor = |ty: &TensorTy| {
        let element = element_of(ty, signature);
        quote!(&#kept.tensor::<#device, #element>())
    };
    let params = function.params.iter().map(|param| match &param.kind {
        ParamKind::Scalar(_) => param.name.to_token_stream(),
        ParamKind::Tensor(ty) => tensor(ty),
    });
    let outputs = function.outputs.iter().map(tensor);
    let floats = function.outputs.iter().zip(&kernel.outputs).filter(|(_, output)| output.elem.is_float());
    let cotangents = floats.map(|(declared, _)| tensor(declared));
    let mut names = signature.names.clone();
    names.reserve(kept);
    let inputs = function.params.iter().filter_map(|param| match &param.kind {
        ParamKind::Tensor(ty) => Some((&param.name, ty)),
        ParamKind::Scalar(_) => None,
    });
    let gradients: Vec<(Ident, TokenStream)> = inputs
        .zip(&kernel.tensors)
        .filter(|(_, tensor)| tensor.elem.is_float())
        .map(|((name, ty), _)| (names.local(&format!("d{name}")), element_of(ty, signature)))
        .collect();
    let (locals, elements): (Vec<_>, Vec<_>) = gradients.into_iter().unzip();
    let pattern = match &locals[..] {
        [single] => single.to_token_stream(),
        locals => quote!((#(#locals),*)),
    };
    quote! {
        move |#kept| {
            let #pattern = #path(#(#params,)* #(#outputs,)* #(#cotangents),*)?;
            #(#kept.gradient::<#device, #elements>(#locals);)*
            ::core::result::Result::Ok(())
        }
    }
}

/// The element of a tensor: the user's, or the kernel's own.
fn element_of(ty: &TensorTy, signature: &Signature) -> TokenStream {
    match (&ty.elem, &signature.float) {
        (ElemTy::Named(_, element), _) => element.to_token_stream(),
        (ElemTy::Generic(element), _) => element.to_token_stream(),
        (ElemTy::Inferred, Some(float)) => float.clone(),
        (ElemTy::Inferred, None) => quote!(f32),
    }
}
