//! What is emitted is Rust: it parses, it is formatted, and it uses the user's names.

use std::str::FromStr;

use proc_macro2::TokenStream;
use quote::quote;
use tensor_rt_compiler::errors::Errors;
use tensor_rt_compiler::{compile, emit, parse, tensor_fn};

/// Kernels that cover the language.
const CORPUS: &str = include_str!("corpus.txt");

/// The formatted text of every function of a block, by name.
fn emitted(source: &str) -> Vec<(String, String)> {
    let mut errors = Errors::new();
    let (functions, helpers) = parse(TokenStream::from_str(source).expect("the source has tokens"), &mut errors);
    let mut texts = vec![];
    for function in &functions {
        let Some(compiled) = compile(function, &helpers, &mut errors) else { continue };
        let backward = compiled.backward.as_ref().map(|(backward, schedule)| (backward, schedule));
        let runtime = quote!(::tensor_rt);
        let schedules = (&compiled.forward, backward);
        let device = emit::device(&compiled.kernel, &compiled.forward, backward);
        let text = emit::rust::rust(function, &compiled.kernel, schedules, &device, &compiled.blocked, &runtime);
        texts.push((function.name.to_string(), text));
    }
    let messages: Vec<String> = errors.iter().map(ToString::to_string).collect();
    assert!(messages.is_empty(), "{messages:#?}");
    texts
}

fn one(source: &str) -> String {
    let mut texts = emitted(source);
    assert_eq!(texts.len(), 1);
    texts.remove(0).1
}

#[test]
fn emitted_text_is_formatted_rust() {
    let texts = emitted(CORPUS);
    assert!(texts.len() >= 20);
    for (name, text) in texts {
        let file = syn::parse_file(&text).unwrap_or_else(|error| panic!("{name}: {error}\n{text}"));
        assert_eq!(prettyplease::unparse(&file), text, "{name} is formatted");
        assert_eq!(file.items.len(), 2, "{name}: a function and a module");
    }
}

#[test]
fn the_whole_block_is_rust() {
    let tokens = tensor_fn(TokenStream::from_str(CORPUS).expect("the corpus has tokens"), quote!(::tensor_rt));
    syn::parse2::<syn::File>(tokens).expect("the items parse");
}

#[test]
fn the_same_input_gives_the_same_text() {
    assert_eq!(emitted(CORPUS), emitted(CORPUS));
}

#[test]
fn a_body_error_keeps_the_signature() {
    let source = "pub fn wrong(x: &Tensor[N], a: float) -> Tensor[N] { x + unknown }";
    let tokens = tensor_fn(TokenStream::from_str(source).expect("the source has tokens"), quote!(::tensor_rt));
    let file = syn::parse2::<syn::File>(tokens).expect("the items parse");
    let names: Vec<String> = file
        .items
        .iter()
        .map(|item| match item {
            syn::Item::Fn(function) => function.sig.ident.to_string(),
            syn::Item::Macro(call) => call.mac.path.segments.last().expect("a path has segments").ident.to_string(),
            _ => panic!("an item of another kind"),
        })
        .collect();
    assert_eq!(names, ["wrong", "compile_error"]);
}

#[test]
fn the_users_lets_name_locals() {
    let text = one("fn f(x: &Tensor[N]) -> Tensor[N] { let squashed = tanh(x); squashed * squashed }");
    assert!(text.contains("let squashed = Compute::tanh::<I>(x);"), "{text}");
    assert!(text.contains("T::narrow(squashed * squashed)"), "{text}");
}

#[test]
fn the_users_arithmetic_keeps_its_order() {
    let text = one("fn f(x: &Tensor[N], y: &Tensor[N]) -> Tensor[N] { x - (y - x) * (x * y) + x }");
    assert!(text.contains("T::narrow(x - (y - x) * (x * y) + x)"), "{text}");
}

#[test]
fn cfgs_apply_to_every_item() {
    let text = one("#[cfg(feature = \"gpu\")] fn f(x: &Tensor[N]) -> Tensor[N] { x }");
    assert_eq!(text.matches("#[cfg(feature = \"gpu\")]").count(), 2, "{text}");
}
