//! Items: where each ends, and what it is.

use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use syn::parse::{ParseStream, Parser};

use super::{ast, brackets, by_hand, depth, signature};
use crate::errors::{Errors, Place};

/// Cuts a block into items: each ends with a brace group or a semicolon.
pub(super) fn split(input: TokenStream, errors: &mut Errors) -> Vec<TokenStream> {
    let mut items = Vec::new();
    let mut current: Vec<TokenTree> = Vec::new();
    for tree in input {
        let is_end = match &tree {
            TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
            TokenTree::Punct(punct) => punct.as_char() == ';',
            _ => false,
        };
        if current.is_empty() && matches!(&tree, TokenTree::Punct(punct) if punct.as_char() == ';') {
            continue;
        }
        current.push(tree);
        if is_end {
            items.push(current.drain(..).collect());
        }
    }
    if !current.is_empty() {
        let rest: TokenStream = current.into_iter().collect();
        errors
            .error(&rest, "expected a function with a body\nhelp: write `fn name(x: &Tensor[N]) -> Tensor[N] { .. }`");
    }
    items.into_iter().filter(|item| is_shallow(item, errors)).collect()
}

/// An item nests no deeper than the parser can follow.
fn is_shallow(item: &TokenStream, errors: &mut Errors) -> bool {
    let mut signature = Vec::new();
    let mut parts = Vec::new();
    for tree in item.clone() {
        match tree {
            TokenTree::Group(group) => parts.push(group.stream()),
            other => signature.push(other),
        }
    }
    // Documentation is one `#` a line, which nests nothing.
    signature.retain(|tree| !matches!(tree, TokenTree::Punct(punct) if punct.as_char() == '#'));
    parts.push(signature.into_iter().collect());
    for part in &parts {
        if let Some(span) = depth::find_too_deep(part) {
            errors.error_at(span, "this expression nests too deeply\nhelp: name its parts with `let`");
            return false;
        }
    }
    true
}

/// Reads one item; `None` if it was reported and there is nothing to keep.
pub(super) fn parse(tokens: TokenStream, errors: &mut Errors) -> syn::Result<Option<ast::Item>> {
    let read = |input: ParseStream<'_>| item(input, errors);
    read.parse2(tokens)
}

/// Attributes, visibility, `fn`, signature, body.
fn item(input: ParseStream<'_>, errors: &mut Errors) -> syn::Result<Option<ast::Item>> {
    let inner = input.call(syn::Attribute::parse_inner)?;
    for attr in &inner {
        errors.error(
            attr,
            "an inner attribute cannot stand in `tensor_fn!`\nhelp: write it above the function, with `#[..]`",
        );
    }
    let attrs = input.call(syn::Attribute::parse_outer)?;
    let vis: syn::Visibility = input.parse()?;
    if !input.peek(syn::Token![fn]) {
        refuse_item(input, errors)?;
        return Ok(None);
    }
    input.parse::<syn::Token![fn]>()?;
    let name: Ident = input.parse()?;
    let mut generics: syn::Generics = input.parse()?;
    generics.where_clause = where_clause_ahead(input)?;
    let before = errors.len();
    let params = signature::params(input, &generics, errors)?;
    let (outputs, tuple, arrow) = signature::outputs(input, &generics, errors)?;
    input.parse::<Option<syn::WhereClause>>()?;
    let signature_is_sound = errors.len() == before;
    let (body, sound) = body(input, errors)?;
    let params = match params {
        signature::Params::Untyped(params) if arrow.is_none() => {
            let Some(body) = body else {
                errors.error(&name, format!("helper `{name}` has no body"));
                return Ok(None);
            };
            check_helper(&name, &attrs, &vis, &generics, errors);
            return Ok(Some(ast::Item::Helper(ast::Helper { name, params, body, sound })));
        }
        signature::Params::Untyped(params) => {
            for param in &params {
                signature::refuse_untyped(param, errors);
            }
            if !params.is_empty() {
                return Ok(None);
            }
            Vec::new()
        }
        signature::Params::Typed(params) => params,
    };
    if !signature_is_sound {
        return Ok(None);
    }
    let (no_grad, attrs) = split_no_grad(attrs, errors);
    let (by_hand, attrs) = by_hand::split(attrs, &name, body.is_some(), errors);
    let span = name.span();
    Ok(Some(ast::Item::Function(ast::Function {
        attrs,
        vis,
        name,
        generics,
        params,
        outputs,
        tuple,
        body,
        by_hand,
        sound,
        no_grad,
        others: Vec::new(),
        span,
    })))
}

/// The where clause, which stands after the types that its bounds explain.
fn where_clause_ahead(input: ParseStream<'_>) -> syn::Result<Option<syn::WhereClause>> {
    let ahead = input.fork();
    while !ahead.is_empty() && !ahead.peek(syn::Token![where]) {
        ahead.parse::<TokenTree>()?;
    }
    ahead.parse()
}

/// Takes `#[no_grad]` out of the attributes.
fn split_no_grad(attrs: Vec<syn::Attribute>, errors: &mut Errors) -> (Option<proc_macro2::Span>, Vec<syn::Attribute>) {
    let (no_grad, attrs): (Vec<_>, Vec<_>) = attrs.into_iter().partition(|attr| attr.path().is_ident("no_grad"));
    for attr in &no_grad {
        if let Err(error) = attr.meta.require_path_only() {
            errors.error_at(error.span(), "`#[no_grad]` takes no arguments");
        }
    }
    (no_grad.first().and_then(|attr| attr.path().get_ident()).map(Ident::span), attrs)
}

/// The block, with its brackets rewritten; `None` for a semicolon. After a syntax error it is empty and not sound.
fn body(input: ParseStream<'_>, errors: &mut Errors) -> syn::Result<(Option<syn::Block>, bool)> {
    if input.peek(syn::Token![;]) {
        input.parse::<syn::Token![;]>()?;
        return Ok((None, true));
    }
    if !input.peek(syn::token::Brace) {
        return Err(input.error("expected the function's body, `{ .. }`"));
    }
    let group: Group = input.parse()?;
    match syn::parse2(braced(brackets::rewrite(group.stream()), &group)) {
        Ok(block) => Ok((Some(block), true)),
        Err(error) => {
            errors.push(error);
            Ok((Some(syn::parse2(braced(TokenStream::new(), &group))?), false))
        }
    }
}

/// The stream in the braces of `group`.
fn braced(stream: TokenStream, group: &Group) -> TokenStream {
    let mut replaced = Group::new(Delimiter::Brace, stream);
    replaced.set_span(group.span());
    TokenTree::Group(replaced).into()
}

/// A block holds functions; anything else is refused by name.
fn refuse_item(input: ParseStream<'_>, errors: &mut Errors) -> syn::Result<()> {
    let rest: TokenStream = input.parse()?;
    let words: Vec<Ident> = rest
        .clone()
        .into_iter()
        .map_while(|tree| match tree {
            TokenTree::Ident(ident) => Some(ident),
            TokenTree::Literal(_) => Some(Ident::new("extern", tree.span())),
            _ => None,
        })
        .collect();
    match &words[..] {
        [first, .., last] if last == "fn" || words.iter().any(|word| word == "fn") => {
            errors.error(first, format!("a kernel is a plain `fn`, found `{first} fn`"));
        }
        [first, ..] => errors.error(
            first,
            format!("`{first}` cannot stand in `tensor_fn!`\nhelp: a block holds functions only; write it outside"),
        ),
        [] => errors.error(Place::of(&rest), "expected a function"),
    }
    Ok(())
}

/// A helper is private, without types and without conditions: it is inlined where it is called.
fn check_helper(
    name: &Ident,
    attrs: &[syn::Attribute],
    vis: &syn::Visibility,
    generics: &syn::Generics,
    errors: &mut Errors,
) {
    if !matches!(vis, syn::Visibility::Inherited) {
        errors.error(vis, format!("helper `{name}` is private to its block\nhelp: remove the visibility, or give its parameters types to make it a kernel"));
    }
    if !generics.params.is_empty() || generics.where_clause.is_some() {
        errors.error(
            name,
            format!("helper `{name}` cannot be generic\nhelp: its parameters have no types; remove the generics"),
        );
    }
    let refused = ["cfg", "no_grad", "cpu", "cuda", "backward"];
    for attr in attrs.iter().filter(|attr| refused.iter().any(|refused| attr.path().is_ident(refused))) {
        errors.error(
            attr,
            format!("helper `{name}` is inlined and takes no such attribute\nhelp: write it on the kernels"),
        );
    }
}
