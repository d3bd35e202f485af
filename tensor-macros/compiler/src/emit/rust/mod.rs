//! Rust for the CPU: the typed function, and a module of the same name with tables and pass bodies.
//!
//! The function is `names a call, hands over its arguments, runs it`; everything else is in the module, so that nothing of
//! ours is in the user's scope. The module has the function's visibility because `name::source()` is for users.
//!
//! Invariants: every path starts at the runtime's path or at `::core`, or is a name of the module's one import; nothing
//! needs the prelude; no item raises a lint; an item carries the function's `#[cfg]`s.

mod by_hand;
mod cost;
mod expr;
mod kept;
mod lines;
mod names;
mod operation;
mod pass;
mod signature;
mod slice;
mod store;
mod tables;
mod ty;

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote};

pub use by_hand::by_hand;
use signature::{Gradients, Signature, Untracked, signature};

use self::kept::keep_bodies;
use self::lines::Lines;
use super::DeviceTexts;
use super::plan::{Direction, Kernel, Pass, Plan};
use crate::ir::{self, Elem};
use crate::print;
use crate::schedule::{PassKind, Schedule};
use crate::syntax::ast::Function;

/// The forward schedule, and what differentiation added with its schedule.
pub type Schedules<'a> = (&'a Schedule, Option<(&'a ir::Backward, &'a Schedule)>);

/// The items of one function: the function and its module.
pub fn items(
    function: &Function,
    kernel: &ir::Kernel,
    (forward, backward): Schedules<'_>,
    device: &DeviceTexts,
    blocked: &[(u32, String)],
    runtime: &TokenStream,
) -> TokenStream {
    let code = code(function, kernel, (forward, backward), device, blocked, runtime);
    let rust = format(&code.typed, &code.module(TokenStream::new()));
    let mut ir = print::kernel(kernel);
    let mut schedules = print::schedule(kernel, forward, "forward");
    if let Some((backward, schedule)) = backward {
        ir.push_str(&print::backward(kernel, backward));
        schedules.push_str(&print::schedule(kernel, schedule, "backward"));
    }
    let vis = inside(&function.vis);
    let cuda = tables::device_sources(device);
    let source = quote! {
        /// How the kernel was compiled.
        #vis fn source() -> Source {
            Source::new(#ir, #schedules, #rust, #cuda)
        }
    };
    let (typed, module) = (&code.typed, code.module(source));
    quote!(#typed #module)
}

/// The formatted items of one function, as `source()` shows them.
pub fn rust(
    function: &Function,
    kernel: &ir::Kernel,
    (forward, backward): Schedules<'_>,
    device: &DeviceTexts,
    blocked: &[(u32, String)],
    runtime: &TokenStream,
) -> String {
    let code = code(function, kernel, (forward, backward), device, blocked, runtime);
    format(&code.typed, &code.module(TokenStream::new()))
}

/// The signature alone, for a function whose body has a mistake: callers and editors keep the name.
pub fn stub(function: &Function, runtime: &TokenStream) -> TokenStream {
    let gradients = Gradients { exist: function.no_grad.is_none(), blocked: &[] };
    let signature = signature(function, gradients, runtime);
    let head = head(function, &signature, runtime);
    let message = format!("`{}` did not compile", function.name);
    quote! {
        #[allow(unused_variables)]
        #head {
            ::core::panic!(#message)
        }
    }
}

/// The parts of the generated text.
struct Code {
    typed: TokenStream,
    attrs: TokenStream,
    vis: TokenStream,
    name: Ident,
    runtime: TokenStream,
    content: TokenStream,
}

impl Code {
    /// The module, with one more item.
    fn module(&self, source: TokenStream) -> TokenStream {
        let Code { attrs, vis, name, runtime, content, .. } = self;
        quote! {
            #attrs
            #[doc(hidden)]
            #vis mod #name {
                use #runtime::__private::*;
                #source
                #content
            }
        }
    }
}

fn code(
    function: &Function,
    kernel: &ir::Kernel,
    (forward, backward): Schedules<'_>,
    device: &DeviceTexts,
    blocked: &[(u32, String)],
    runtime: &TokenStream,
) -> Code {
    let saved = backward.map_or(&[][..], |(backward, _)| &backward.saved);
    let forward = Direction { kernel, saved, schedule: forward };
    let mut forward_plan = forward.plan();
    keep_bodies(&kernel.graph, &mut forward_plan);
    let backward_direction = backward.map(|(_, schedule)| Direction { kernel, saved, schedule });
    let backward_plan = backward_direction.map(|direction| {
        let mut plan = direction.plan();
        keep_bodies(&direction.kernel.graph, &mut plan);
        plan
    });
    let backward_parts = backward_direction.as_ref().zip(backward_plan.as_ref());

    let gradients = Gradients { exist: backward.is_some(), blocked };
    let signature = signature(function, gradients, runtime);
    let tables = tables::program((&forward, &forward_plan), backward_parts, device, blocked);
    let generic = is_generic(kernel);
    let (mut structs, forward_bodies) = structs("Forward", &forward, &forward_plan, generic);
    let mut backward_bodies = vec![];
    if let Some((direction, plan)) = backward_parts {
        let (backward_structs, bodies) = self::structs("Backward", direction, plan, generic);
        structs.extend(backward_structs);
        backward_bodies = bodies;
    }
    let untracked = untracked(function, &signature);
    let bodies = bodies(&forward_bodies, &backward_bodies, generic);
    let cfgs = function.attrs.iter().filter(|attr| attr.path().is_ident("cfg"));
    Code {
        typed: typed(function, &signature, generic, runtime),
        attrs: quote!(#(#cfgs)*),
        vis: function.vis.to_token_stream(),
        name: function.name.clone(),
        runtime: runtime.clone(),
        content: quote!(#untracked #bodies #structs #tables),
    }
}

/// True if the kernel has a float element of its own.
fn is_generic(kernel: &ir::Kernel) -> bool {
    let params = kernel.tensors.iter().map(|tensor| tensor.elem);
    params.chain(kernel.outputs.iter().map(|output| output.elem)).any(|elem| elem == Elem::Generic)
}

/// The typed function.
fn typed(function: &Function, signature: &Signature, generic: bool, runtime: &TokenStream) -> TokenStream {
    let head = head(function, signature, runtime);
    let name = &function.name;
    let mut names = signature.names.clone();
    let (call, outputs) = (names.local("call"), names.local("outputs"));
    let element = generic_element(signature, generic);
    let passes = if generic { quote!(#name::Passes::<#element>) } else { quote!(#name::Passes) };
    let arguments = signature.arguments.iter().map(|(method, argument)| quote!(#call.#method(#argument);));
    let finish = finish(function, signature, &outputs, &quote!(#call.run()?));
    quote! {
        #head {
            let mut #call = #runtime::__private::Call::new(
                &#name::PROGRAM,
                #passes::BODIES,
                <#element as #runtime::__private::Element>::DTYPE,
            );
            #(#arguments)*
            #finish
        }
    }
}

/// The element that the tables of a kernel are for; any, if it has none of its own.
fn generic_element(signature: &Signature, generic: bool) -> TokenStream {
    match (&signature.float, generic) {
        (Some(float), true) => float.clone(),
        _ => quote!(f32),
    }
}

/// Runs a call and takes its results.
fn finish(function: &Function, signature: &Signature, outputs: &Ident, run: &TokenStream) -> TokenStream {
    let takes: Vec<TokenStream> =
        signature.outputs.iter().map(|arguments| quote!(#outputs.take::<#arguments>())).collect();
    let result = match (&takes[..], function.tuple) {
        ([single], false) => single.clone(),
        ([single], true) => quote!((#single,)),
        _ => quote!((#(#takes),*)),
    };
    let run = match takes.is_empty() {
        true => quote!(#run;),
        false => quote!(let mut #outputs = #run;),
    };
    quote! {
        #run
        ::core::result::Result::Ok(#result)
    }
}

/// Attributes and signature of the typed function.
fn head(function: &Function, signature: &Signature, runtime: &TokenStream) -> TokenStream {
    let attrs = function.attrs.iter().filter(|attr| !attr.path().is_ident("track_caller"));
    let (vis, name) = (&function.vis, &function.name);
    let Signature { generics, params, result, predicates, arguments, .. } = signature;
    let lints = match arguments.len() {
        // A kernel has as many arguments as its formula has names.
        8.. => quote!(#[allow(clippy::too_many_arguments)]),
        _ => TokenStream::new(),
    };
    quote! {
        #(#attrs)*
        #lints
        #[track_caller]
        #vis fn #name #generics (#params) -> ::core::result::Result<#result, #runtime::Error> #predicates
    }
}

/// A trait for the mode of each parameter that no gradient reaches; it says why.
fn untracked(function: &Function, signature: &Signature) -> TokenStream {
    let vis = inside(&function.vis);
    let traits = signature.untracked.iter().map(|Untracked { bound, param, reason }| {
        let message =
            format!("{}: expected an untracked tensor for `{param}`, found one with mode `{{Self}}`", function.name);
        let label =
            format!("the gradient of this tensor would be lost: {}", reason.replace('{', "{{").replace('}', "}}"));
        // rustc lists the implementations of the trait; it shows the parameter instead of the whole block.
        let implementation = signature::at(bound.span(), quote!(impl #bound for NoGrad {}));
        quote! {
            #[diagnostic::on_unimplemented(
                message = #message,
                label = #label,
                note = "pass `t.detach()` if no gradient is wanted"
            )]
            #vis trait #bound: WithoutGradient {}
            #implementation
        }
    });
    traits.collect()
}

/// `Forward0Level0`: direction, kernel, traversal.
fn pass_name(direction: &str, kernel: usize, pass: &Pass) -> Ident {
    match pass.kind {
        PassKind::Level(level) => format_ident!("{direction}{kernel}Level{level}"),
        PassKind::Inner => format_ident!("{direction}{kernel}Inner"),
        PassKind::Outer => format_ident!("{direction}{kernel}Outer"),
    }
}

/// A zero-sized type for each pass, with its arithmetic; and how the list of pass bodies names it.
fn structs(
    name: &str,
    direction: &Direction<'_>,
    plan: &Plan<'_>,
    generic: bool,
) -> (TokenStream, Vec<Vec<TokenStream>>) {
    let kernels = plan.kernels.iter().enumerate();
    let kernels = kernels.map(|(number, kernel)| kernel_structs(name, direction, number, kernel, generic));
    kernels.unzip()
}

fn kernel_structs(
    name: &str,
    direction: &Direction<'_>,
    number: usize,
    kernel: &Kernel<'_>,
    generic: bool,
) -> (TokenStream, Vec<TokenStream>) {
    let lines = Lines::of(&direction.kernel.graph, kernel);
    let passes = kernel.passes.iter().map(|pass| {
        let name = pass_name(name, number, pass);
        let lines = lines.as_ref().filter(|lines| lines.reach(pass));
        let statements = pass::statements(direction, kernel, pass, lines);
        let (declaration, parameters, arguments) = match generic {
            true => (quote!(struct #name<T>(::core::marker::PhantomData<T>);), quote!(<T: Float>), quote!(<T>)),
            false => (quote!(struct #name;), TokenStream::new(), TokenStream::new()),
        };
        let (body, run, listed) = match lines {
            Some(_) => (quote!(LineBody), quote!(run<I: Isa, L: LineValues>), quote!(of_lines)),
            None => (quote!(PassBody), quote!(run<I: Isa>), quote!(of)),
        };
        let item = quote! {
            #declaration
            impl #parameters #body for #name #arguments {
                #[inline(always)]
                fn #run(block: &Block<'_>) {
                    #statements
                }
            }
        };
        let ty = if generic { quote!(#name<T>) } else { quote!(#name) };
        (item, quote!(PassFn::#listed::<#ty>()))
    });
    passes.unzip()
}

/// The type `Passes`, which lists the pass bodies.
fn bodies(forward: &[Vec<TokenStream>], backward: &[Vec<TokenStream>], generic: bool) -> TokenStream {
    let list = |kernels: &[Vec<TokenStream>]| {
        let kernels = kernels.iter().map(|passes| quote!(&[#(#passes),*]));
        quote!(&[#(#kernels),*])
    };
    let (forward, backward) = (list(forward), list(backward));
    let (declaration, parameters, arguments) = match generic {
        true => (
            quote!(
                struct Passes<T>(::core::marker::PhantomData<T>);
            ),
            quote!(<T: Float>),
            quote!(<T>),
        ),
        false => (
            quote!(
                struct Passes;
            ),
            TokenStream::new(),
            TokenStream::new(),
        ),
    };
    quote! {
        pub(super) #declaration
        impl #parameters Passes #arguments {
            pub(super) const BODIES: Bodies = Bodies { forward: #forward, backward: #backward };
        }
    }
}

/// A visibility as it is written one module further in.
fn inside(vis: &syn::Visibility) -> TokenStream {
    match vis {
        syn::Visibility::Public(_) => quote!(pub),
        syn::Visibility::Inherited => quote!(pub(super)),
        syn::Visibility::Restricted(restricted) => {
            let path = &restricted.path;
            let first = path.segments.first().map(|segment| segment.ident.to_string());
            match first.as_deref() {
                Some("self") => quote!(pub(super)),
                Some("super") => quote!(pub(in super::#path)),
                Some("crate") if path.segments.len() == 1 => quote!(pub(crate)),
                _ => quote!(pub(in #path)),
            }
        }
    }
}

/// The items as rustfmt would write them, or as they are if they are no Rust, which is a bug that rustc will show.
fn format(typed: &TokenStream, module: &TokenStream) -> String {
    let tokens = quote!(#typed #module);
    match syn::parse2::<syn::File>(tokens.clone()) {
        Ok(file) => prettyplease::unparse(&file),
        Err(_) => tokens.to_string(),
    }
}
