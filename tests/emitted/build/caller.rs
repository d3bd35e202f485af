//! A function that calls a kernel with whatever combination of its arguments tracked.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};
use random_kernels::SCALARS;
use tensor_rt_compiler::errors::Errors;
use tensor_rt_compiler::ir::{self, Elem};
use tensor_rt_compiler::{Compiled, compile, parse};

/// What the caller of a kernel has to know.
pub struct Caller {
    kernel: ir::Kernel,
    /// Parameters that a gradient reaches, by position.
    differentiable: Vec<usize>,
    /// The kernel's own element.
    element: Ident,
}

impl Caller {
    /// The caller of the one kernel of `source`.
    pub fn of(source: &str, element: &str) -> Self {
        let mut errors = Errors::new();
        let (functions, helpers) = parse(source.parse().expect("a kernel has tokens"), &mut errors);
        let compiled = compile(&functions[0], &helpers, &mut errors);
        let messages: Vec<String> = errors.iter().map(ToString::to_string).collect();
        assert!(messages.is_empty(), "{source}\n{}", messages.join("\n"));
        let Compiled { kernel, blocked, .. } = compiled.expect("a kernel without mistakes");
        let differentiable = (0..kernel.tensors.len())
            .filter(|&param| kernel.tensors[param].elem.is_float())
            .filter(|&param| blocked.iter().all(|&(blocked, _)| blocked as usize != param))
            .collect();
        Self { kernel, differentiable, element: format_ident!("{element}") }
    }

    /// `call(arguments, tracked)`, in which bit `k` of `tracked` tracks the `k`th differentiable parameter.
    pub fn function(&self) -> TokenStream {
        let count = self.kernel.tensors.len();
        let params: Vec<Ident> = (0..count).map(|param| format_ident!("p{param}")).collect();
        let elements = self.kernel.tensors.iter().map(|tensor| self.element(tensor.elem));
        let positions = (0..count).map(Literal::usize_unsuffixed);
        let arms = (0..1u32 << self.differentiable.len()).map(|tracked| self.arm(tracked, &params));
        let differentiable = self.differentiable.iter().map(|&param| Literal::usize_unsuffixed(param));
        quote! {
            pub fn call<D: ::tensor_rt::Device>(
                arguments: &crate::call::Arguments<D>,
                tracked: u32,
            ) -> ::tensor_rt::Result<crate::call::Results> {
                use crate::call::{Results, array};
                #(let #params = arguments.tensor::<#elements>(#positions);)*
                match tracked {
                    #(#arms)*
                    _ => Ok(Results::differentiable(&[#(#differentiable),*])),
                }
            }
        }
    }

    /// The call with one combination of tracked arguments.
    fn arm(&self, tracked: u32, params: &[Ident]) -> TokenStream {
        let is_tracked = |param: usize| {
            self.differentiable.iter().position(|&other| other == param).is_some_and(|bit| tracked >> bit & 1 == 1)
        };
        let scalars = self.kernel.scalars.iter().map(|scalar| {
            let (_, _, value) =
                SCALARS.iter().find(|(name, _, _)| *name == scalar.name).expect("a scalar of the table");
            value.parse::<TokenStream>().expect("a literal")
        });
        let outputs: Vec<Ident> = (0..self.kernel.outputs.len()).map(|output| format_ident!("y{output}")).collect();
        let call = quote!(kernel(#(#params,)* #(#scalars),*)?);
        let call = if outputs.len() == 1 { quote!((#call,)) } else { call };
        let leaves = (0..params.len()).filter(|&param| is_tracked(param)).map(|param| {
            let name = &params[param];
            quote!(let #name = &#name.clone().requires_grad();)
        });
        let backward = (tracked != 0).then(|| {
            let floats = self.kernel.outputs.iter().zip(&outputs).enumerate();
            let floats = floats.filter(|(_, (output, _))| output.elem == Elem::Generic).map(|(position, (_, name))| {
                let position = Literal::usize_unsuffixed(position);
                quote!((#position, #name))
            });
            let found = (0..params.len()).map(|param| match is_tracked(param) {
                true => {
                    let name = &params[param];
                    quote!(crate::call::gradient(&gradients, #name)?)
                }
                false => quote!(None),
            });
            quote! {
                let gradients = arguments.backward(vec![#(#floats),*])?;
                results.gradients = vec![#(#found),*];
            }
        });
        let mutable = backward.as_ref().map(|_| quote!(mut));
        let tracked = Literal::u32_unsuffixed(tracked);
        quote! {
            #tracked => {
                #(#leaves)*
                let (#(#outputs,)*) = #call;
                let #mutable results = Results::of(vec![#(array(&#outputs)?),*]);
                #backward
                Ok(results)
            }
        }
    }

    fn element(&self, elem: Elem) -> TokenStream {
        match elem {
            Elem::Generic => match &self.element {
                half if half == "f16" || half == "bf16" => quote!(::tensor_rt::#half),
                element => quote!(#element),
            },
            Elem::I64 => quote!(i64),
            Elem::I32 => quote!(i32),
            Elem::U8 => quote!(u8),
            Elem::Bool => quote!(bool),
            other => panic!("random kernels have no parameter of element {other:?}"),
        }
    }
}
