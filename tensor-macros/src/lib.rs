//! The procedural macro `tensor_fn!`.
//!
//! The compiler is an ordinary library (`tensor-rt-compiler`); this crate finds out what the caller's crate calls the
//! runtime and hands over.

use proc_macro_crate::{FoundCrate, crate_name};
use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

/// Compiles kernels: each function of the block becomes a typed Rust function of the same name, with a vectorised loop
/// and a derived gradient. See the documentation of `tensor_rt`.
#[proc_macro]
pub fn tensor_fn(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    tensor_rt_compiler::tensor_fn(input.into(), runtime()).into()
}

/// The path of the runtime in the caller's crate. The runtime itself has a name for itself (`extern crate self`), which
/// its tests and examples share; a crate that does not depend on it is told so by rustc.
fn runtime() -> TokenStream {
    match crate_name("tensor-rt") {
        Ok(FoundCrate::Name(name)) => {
            let name = Ident::new(&name, Span::call_site());
            quote!(::#name)
        }
        Ok(FoundCrate::Itself) | Err(_) => quote!(::tensor_rt),
    }
}
