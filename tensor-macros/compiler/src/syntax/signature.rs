//! Parameters and outputs.

use proc_macro2::{Ident, Span, TokenTree};
use syn::ext::IdentExt;
use syn::parse::ParseStream;

use super::{ast, tensor_type};
use crate::errors::{Errors, Place};
use crate::ir;

/// The parameters of a kernel, or of a helper.
pub(super) enum Params {
    /// `(x: &Tensor[N], a: float)`
    Typed(Vec<ast::Param>),
    /// `(x, y)`, or nothing.
    Untyped(Vec<Ident>),
}

/// Reads the parameters; a mistake in one does not hide those of the next.
pub(super) fn params(input: ParseStream<'_>, generics: &syn::Generics, errors: &mut Errors) -> syn::Result<Params> {
    let content;
    syn::parenthesized!(content in input);
    let (mut typed, mut untyped) = (Vec::new(), Vec::new());
    while !content.is_empty() {
        match param(&content, generics, errors) {
            Ok((name, kind)) => {
                if typed.iter().map(|param: &ast::Param| &param.name).chain(&untyped).any(|other| *other == name) {
                    errors.error(&name, format!("`{name}` is declared twice"));
                }
                match kind {
                    Some(kind) => typed.push(ast::Param { name, kind }),
                    None => untyped.push(name),
                }
            }
            Err(error) => {
                errors.push(error);
                skip_to_comma(&content)?;
            }
        }
        if !content.is_empty() && content.parse::<syn::Token![,]>().is_err() {
            errors.push(content.error("expected `,`"));
            skip_to_comma(&content)?;
            content.parse::<Option<syn::Token![,]>>()?;
        }
    }
    if typed.is_empty() {
        return Ok(Params::Untyped(untyped));
    }
    for name in &untyped {
        refuse_untyped(name, errors);
    }
    Ok(Params::Typed(typed))
}

/// A kernel's parameters all have types.
pub(super) fn refuse_untyped(name: &Ident, errors: &mut Errors) {
    errors.error(
        name,
        format!("`{name}` has no type\nhelp: write `{name}: &Tensor[N]` for a tensor, `{name}: float` for a scalar"),
    );
}

/// `name`, `name: float` or `name: &Tensor[N]`.
fn param(
    input: ParseStream<'_>,
    generics: &syn::Generics,
    errors: &mut Errors,
) -> syn::Result<(Ident, Option<ast::ParamKind>)> {
    if input.peek(syn::Token![#]) {
        return Err(input.error("attributes cannot stand on a parameter\nhelp: write them above the function"));
    }
    if input.peek(syn::Token![self]) || input.peek(syn::Token![&]) {
        return Err(input.error("a kernel is a free function: expected `name: type`"));
    }
    if input.peek(syn::Token![mut]) {
        return Err(input.error("a parameter is not `mut`\nhelp: write `y: &mut Tensor[N]` to edit a tensor in place"));
    }
    let name: Ident = input.parse()?;
    if !input.peek(syn::Token![:]) {
        return Ok((name, None));
    }
    input.parse::<syn::Token![:]>()?;
    if is_tensor(input) {
        let ty = tensor_type::parse(input, tensor_type::Position::Param, generics, errors)?;
        return Ok((name, Some(ast::ParamKind::Tensor(ty))));
    }
    Ok((name, Some(ast::ParamKind::Scalar(scalar(input)?))))
}

/// True at `Tensor`, `&Tensor`, `&mut Tensor`, `&atomic Tensor`.
fn is_tensor(input: ParseStream<'_>) -> bool {
    let ahead = input.fork();
    if ahead.parse::<syn::Token![&]>().is_ok() {
        let _ = ahead.parse::<syn::Lifetime>();
        if ahead.parse::<syn::Token![mut]>().is_err() && ahead.peek2(syn::Ident::peek_any) {
            let _ = ahead.call(Ident::parse_any);
        }
    }
    ahead.call(Ident::parse_any).is_ok_and(|word| word == "Tensor")
}

/// A scalar is one of seven types, by value.
fn scalar(input: ParseStream<'_>) -> syn::Result<ir::ScalarTy> {
    const REMEDY: &str =
        "help: write `&Tensor[N]` for a tensor, or one of `float f32 f64 i64 usize u64 bool` for a scalar";
    let ty: syn::Type = input.parse()?;
    if let syn::Type::Reference(reference) = &ty
        && let Some(word) = name_of(&reference.elem)
        && scalar_named(&word.to_string()).is_some()
    {
        return Err(syn::Error::new_spanned(&ty, format!("a scalar is passed by value\nhelp: write `{word}`")));
    }
    let Some(word) = name_of(&ty) else {
        return Err(syn::Error::new_spanned(&ty, format!("this type is neither a tensor nor a scalar\n{REMEDY}")));
    };
    scalar_named(&word.to_string()).ok_or_else(|| {
        syn::Error::new_spanned(&ty, format!("`{word}` is neither a tensor nor a scalar of kernels\n{REMEDY}"))
    })
}

/// The single name of a type.
fn name_of(ty: &syn::Type) -> Option<&Ident> {
    match ty {
        syn::Type::Path(path) => path.path.get_ident(),
        _ => None,
    }
}

/// The scalar type of this name.
fn scalar_named(name: &str) -> Option<ir::ScalarTy> {
    Some(match name {
        "float" => ir::ScalarTy::Float,
        "f32" => ir::ScalarTy::F32,
        "f64" => ir::ScalarTy::F64,
        "i64" => ir::ScalarTy::I64,
        "usize" => ir::ScalarTy::Usize,
        "u64" => ir::ScalarTy::U64,
        "bool" => ir::ScalarTy::Bool,
        _ => return None,
    })
}

/// Skips what is left of a parameter after a mistake in it.
fn skip_to_comma(input: ParseStream<'_>) -> syn::Result<()> {
    while !input.is_empty() && !input.peek(syn::Token![,]) {
        input.parse::<TokenTree>()?;
    }
    Ok(())
}

/// Reads `-> Tensor[N]` or `-> (Tensor[N], Tensor[C])`; gives the outputs, whether they are a tuple, and the arrow.
pub(super) fn outputs(
    input: ParseStream<'_>,
    generics: &syn::Generics,
    errors: &mut Errors,
) -> syn::Result<(Vec<ast::TensorTy>, bool, Option<Span>)> {
    let Some(arrow) = input.parse::<Option<syn::Token![->]>>()? else {
        return Ok((Vec::new(), false, None));
    };
    let arrow = Some(arrow.spans[0]);
    if !input.peek(syn::token::Paren) {
        return Ok((vec![output(input, generics, errors)?], false, arrow));
    }
    let content;
    syn::parenthesized!(content in input);
    let mut outputs = Vec::new();
    let mut tuple = false;
    while !content.is_empty() {
        outputs.push(output(&content, generics, errors)?);
        if content.is_empty() {
            break;
        }
        content.parse::<syn::Token![,]>()?;
        tuple = true;
    }
    Ok((outputs, tuple, arrow))
}

/// An output is an owned tensor.
fn output(input: ParseStream<'_>, generics: &syn::Generics, errors: &mut Errors) -> syn::Result<ast::TensorTy> {
    if input.peek(syn::Token![&]) {
        return Err(input.error("an output is owned\nhelp: remove the `&`"));
    }
    if !is_tensor(input) {
        let ty = Place::of(&input.fork().parse::<syn::Type>()?);
        return Err(syn::Error::new_spanned(
            ty,
            "a kernel returns tensors\nhelp: write `Tensor[N]`, or `Tensor[]` for one number; the `Result` is added by `tensor_fn!`",
        ));
    }
    tensor_type::parse(input, tensor_type::Position::Output, generics, errors)
}
