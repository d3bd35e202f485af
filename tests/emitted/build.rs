//! Expands random kernels, as the macro would, into one module each, with a caller that knows their types.
//!
//! `OUT_DIR/kernels.rs` holds the modules and two tables: `all`, and `mutants`, whose expansions a wrong emitter might
//! have written. The variable `EMITTED_KERNELS` names a file of kernels to take instead, an element and a kernel a
//! line; there are no mutants then.

#[path = "build/caller.rs"]
mod caller;
#[path = "build/mutation.rs"]
mod mutation;

use std::path::Path;
use std::{env, fs};

use caller::Caller;
use mutation::Mutation;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use random_kernels::{Kernel, Language};

/// Kernels in the table.
const KERNELS: u64 = 520;

/// Kernels with each mutation.
const MUTANTS: usize = 6;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-env-changed=EMITTED_KERNELS");
    let mut modules = TokenStream::new();
    let mut cases = vec![];
    let mut mutants = vec![];
    let mut counts = Mutation::ALL.map(|mutation| (mutation, 0));
    for (position, (element, source, smooth)) in sources().into_iter().enumerate() {
        let name = format_ident!("k{position}");
        let caller = Caller::of(&source, &element);
        // Some go through the macro itself; the rest spares its start.
        let expansion = match position % 64 {
            0 => {
                let tokens = parse(&source);
                quote!(::tensor_rt::tensor_fn! { #tokens })
            }
            _ => expand(&source),
        };
        let call = caller.function();
        modules.extend(quote!(pub mod #name { #expansion #call }));
        cases.push(quote!(Case { source: #source, element: #element, smooth: #smooth, call: #name::call }));
        if env::var_os("EMITTED_KERNELS").is_some() || element != "f64" {
            continue;
        }
        for (mutation, count) in counts.iter_mut().filter(|(_, count)| *count < MUTANTS) {
            let Some(mutant) = mutation.apply(expand(&source)) else { continue };
            *count += 1;
            let name = format_ident!("k{position}_{}", mutation.name());
            // A mistake may leave something unused.
            modules.extend(quote!(#[allow(unused)] pub mod #name { #mutant #call }));
            let mutation = mutation.name();
            let case = quote!(Case { source: #source, element: #element, smooth: #smooth, call: #name::call });
            mutants.push(quote!((#mutation, #case)));
        }
    }
    let text = quote! {
        #modules
        pub fn all<D: Device>() -> Vec<Case<D>> {
            vec![#(#cases),*]
        }

        pub fn mutants() -> Vec<(&'static str, Case<Cpu>)> {
            vec![#(#mutants),*]
        }
    };
    let folder = env::var_os("OUT_DIR").expect("cargo sets it");
    let text = prettyplease::unparse(&syn::parse2(text).expect("expansions are Rust"));
    fs::write(Path::new(&folder).join("kernels.rs"), text).expect("the folder can be written");
}

/// The element and the text of each kernel, and if gradients and difference quotients agree.
fn sources() -> Vec<(String, String, bool)> {
    if let Some(path) = env::var_os("EMITTED_KERNELS") {
        println!("cargo::rerun-if-changed={}", path.display());
        let text = fs::read_to_string(path).expect("the file of kernels can be read");
        let pairs = text.lines().map(|line| line.split_once(' ').expect("an element and a kernel"));
        return pairs.map(|(element, source)| (element.to_owned(), source.to_owned(), false)).collect();
    }
    (0..KERNELS)
        .map(|seed| {
            let kernel = Kernel::random(seed, Language::of(seed));
            (random_kernels::element(seed).to_owned(), kernel.to_string(), kernel.is_smooth())
        })
        .collect()
}

fn parse(source: &str) -> TokenStream {
    source.parse().expect("a kernel has tokens")
}

/// What the macro gives.
fn expand(source: &str) -> TokenStream {
    tensor_rt_compiler::tensor_fn(parse(source), quote!(::tensor_rt))
}
