//! The procedural macro `tensor_fn!`.
//!
//! The compiler is an ordinary library (`tensor-rt-compiler`); this crate finds out what the caller's crate calls the
//! runtime and hands over.

use proc_macro_crate::{Error, FoundCrate, crate_name};
use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use tensor_rt_compiler::syntax;

/// Compiles kernels: each function of the block becomes a typed Rust function of the same name, with a vectorised loop
/// and a derived gradient. The language is described in `tensor_rt::guide`.
///
/// A crate that has the runtime from another one, and not among its own dependencies, says where:
/// `tensor_fn! { crate = other::tensor_rt; pub fn .. }`.
#[proc_macro]
pub fn tensor_fn(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let compiled = syntax::runtime(input.into()).and_then(|(written, block)| {
        let runtime = written.map_or_else(found, Ok)?;
        Ok(tensor_rt_compiler::tensor_fn(block, runtime))
    });
    compiled.unwrap_or_else(|error| error.to_compile_error()).into()
}

/// The path of the runtime in the caller's crate. The runtime itself has a name for itself (`extern crate self`), which
/// its tests and examples share, and so have callers that are not built by cargo.
fn found() -> syn::Result<TokenStream> {
    match crate_name("tensor-rt") {
        Ok(FoundCrate::Name(name)) => {
            let name = Ident::new(&name, Span::call_site());
            Ok(quote!(::#name))
        }
        Err(Error::CrateNotFound { .. }) => {
            let help = "add it to Cargo.toml, or say where it is: `tensor_fn! { crate = other::tensor_rt; .. }`";
            let message = format!("`tensor-rt` is not among the dependencies of this crate\nhelp: {help}");
            Err(syn::Error::new(Span::call_site(), message))
        }
        Ok(FoundCrate::Itself) | Err(_) => Ok(quote!(::tensor_rt)),
    }
}
