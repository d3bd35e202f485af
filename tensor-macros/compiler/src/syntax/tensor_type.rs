//! Tensor types: `&Tensor<Cuda, Grad, f32>[N, C]`.

use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use syn::ext::IdentExt;
use syn::parse::ParseStream;

use super::{ast, brackets};
use crate::errors::{Errors, Place};
use crate::ir;

/// Where a tensor type stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Position {
    Param,
    Output,
}

/// Reads a tensor type, from its `&` to its axes.
pub(super) fn parse(
    input: ParseStream<'_>,
    position: Position,
    generics: &syn::Generics,
    errors: &mut Errors,
) -> syn::Result<ast::TensorTy> {
    let intent = intent(input, position)?;
    let word = input.call(Ident::parse_any)?;
    let mut ty = ast::TensorTy {
        intent,
        device: None,
        mode: None,
        elem: ast::ElemTy::Inferred,
        axes: Vec::new(),
        span: word.span(),
    };
    if input.peek(syn::Token![<]) {
        arguments(input, generics, &mut ty, errors)?;
    }
    if let (Position::Output, Some(mode)) = (position, &ty.mode) {
        errors.error(mode, "the grad mode of an output follows from the inputs\nhelp: remove it");
    }
    if !input.peek(syn::token::Bracket) {
        let help = "help: write `Tensor[N, C]`, `Tensor[..]` for any number of axes, `Tensor[]` for one number";
        return Err(syn::Error::new(word.span(), format!("`Tensor` needs its axes\n{help}")));
    }
    let group: Group = input.parse()?;
    if input.peek(syn::Token![<]) {
        return Err(input.error("the element stands before the axes\nhelp: write `Tensor<i64>[N]`"));
    }
    ty.axes = axes(&group, errors);
    Ok(ty)
}

/// `&` reads, `&mut` edits, `&atomic` accumulates, by value donates.
fn intent(input: ParseStream<'_>, position: Position) -> syn::Result<ir::Intent> {
    if position == Position::Output {
        return Ok(ir::Intent::Read);
    }
    if input.parse::<Option<syn::Token![&]>>()?.is_none() {
        return Ok(ir::Intent::Donate);
    }
    if input.peek(syn::Lifetime) {
        return Err(input.error("a kernel's parameter needs no lifetime\nhelp: write `&Tensor[N]`"));
    }
    if input.parse::<Option<syn::Token![mut]>>()?.is_some() {
        return Ok(ir::Intent::Edit);
    }
    let ahead = input.fork();
    let word = ahead.call(Ident::parse_any)?;
    if word == "Tensor" {
        return Ok(ir::Intent::Read);
    }
    if word != "atomic" {
        return Err(syn::Error::new(word.span(), format!("expected `Tensor`, `mut` or `atomic`, found `{word}`")));
    }
    input.call(Ident::parse_any)?;
    Ok(ir::Intent::Atomic)
}

/// Reads `<Cuda, Grad, f32>`: each argument is told by its last segment, or by the bound of a declared parameter.
fn arguments(
    input: ParseStream<'_>,
    generics: &syn::Generics,
    ty: &mut ast::TensorTy,
    errors: &mut Errors,
) -> syn::Result<()> {
    input.parse::<syn::Token![<]>()?;
    while !input.peek(syn::Token![>]) {
        let argument: syn::Type = input.parse()?;
        argument_kind(argument, generics, ty, errors);
        if input.peek(syn::Token![>]) {
            break;
        }
        input.parse::<syn::Token![,]>()?;
    }
    input.parse::<syn::Token![>]>()?;
    Ok(())
}

/// A tensor's arguments are at most one device, one grad mode and one element.
fn argument_kind(argument: syn::Type, generics: &syn::Generics, ty: &mut ast::TensorTy, errors: &mut Errors) {
    const REMEDY: &str = "help: write a device (`Cpu`, `Cuda`), a grad mode (`Grad`, `NoGrad`), or an element (`f32 f64 f16 bf16 i64 i32 u32 u8 bool`)";
    let Some((name, kind)) = last_segment(&argument).map(|name| (name.clone(), kind_named(name, generics))) else {
        errors.error(&argument, format!("this is neither a device, a grad mode nor an element\n{REMEDY}"));
        return;
    };
    let place = Place::of(&argument);
    let is_second = match kind {
        Kind::Device => ty.device.replace(argument).is_some(),
        Kind::Mode => ty.mode.replace(argument).is_some(),
        Kind::OwnFloat => set_elem(ty, ast::ElemTy::Inferred),
        Kind::Generic => set_elem(ty, ast::ElemTy::Generic(name.clone())),
        Kind::Elem(elem) => set_elem(ty, ast::ElemTy::Named(elem, argument)),
        Kind::Unbounded => {
            // One mistake, however often the parameter is used.
            let declared = generics.type_params().find(|param| param.ident == name);
            errors.error(
                declared.map_or(place, Place::of),
                format!("a kernel cannot compute with `{name}`\nhelp: bound it in the generics: `{name}: Float` for an element, `{name}: Device`, or `{name}: GradMode`"),
            );
            false
        }
        Kind::Unknown => {
            errors.error(place, format!("`{name}` is neither a device, a grad mode nor an element\n{REMEDY}"));
            false
        }
    };
    if is_second {
        errors.error(place, format!("`{name}` is a second argument of its kind\nhelp: a tensor has one device, one grad mode and one element"));
    }
}

/// Sets the element; true if one was set before.
fn set_elem(ty: &mut ast::TensorTy, elem: ast::ElemTy) -> bool {
    !matches!(std::mem::replace(&mut ty.elem, elem), ast::ElemTy::Inferred)
}

/// What an argument of `Tensor` is.
enum Kind {
    Device,
    Mode,
    /// `float`
    OwnFloat,
    /// A type parameter bounded by `Float`.
    Generic,
    Elem(ir::Elem),
    /// A type parameter without a bound that we know.
    Unbounded,
    Unknown,
}

fn kind_named(name: &Ident, generics: &syn::Generics) -> Kind {
    if generics.type_params().any(|param| param.ident == *name) {
        return bounds_of(name, generics).find_map(kind_of_bound).unwrap_or(Kind::Unbounded);
    }
    match name.to_string().as_str() {
        "Cpu" | "Cuda" => Kind::Device,
        "Grad" | "NoGrad" => Kind::Mode,
        "float" => Kind::OwnFloat,
        "f32" => Kind::Elem(ir::Elem::F32),
        "f64" => Kind::Elem(ir::Elem::F64),
        "f16" => Kind::Elem(ir::Elem::F16),
        "bf16" => Kind::Elem(ir::Elem::Bf16),
        "i64" => Kind::Elem(ir::Elem::I64),
        "i32" => Kind::Elem(ir::Elem::I32),
        "u32" => Kind::Elem(ir::Elem::U32),
        "u8" => Kind::Elem(ir::Elem::U8),
        "bool" => Kind::Elem(ir::Elem::Bool),
        _ => Kind::Unknown,
    }
}

/// The traits that bound a type parameter, where it is declared and in the where clause.
fn bounds_of<'a>(name: &'a Ident, generics: &'a syn::Generics) -> impl Iterator<Item = &'a syn::TypeParamBound> {
    let declared = generics.type_params().filter(move |param| param.ident == *name).flat_map(|param| &param.bounds);
    let predicates = generics.where_clause.iter().flat_map(|clause| &clause.predicates);
    let clause = predicates.filter_map(move |predicate| match predicate {
        syn::WherePredicate::Type(predicate) if last_segment(&predicate.bounded_ty)? == name => Some(&predicate.bounds),
        _ => None,
    });
    declared.chain(clause.flatten())
}

fn kind_of_bound(bound: &syn::TypeParamBound) -> Option<Kind> {
    let syn::TypeParamBound::Trait(bound) = bound else { return None };
    match bound.path.segments.last()?.ident.to_string().as_str() {
        "Device" => Some(Kind::Device),
        "GradMode" => Some(Kind::Mode),
        "Float" => Some(Kind::Generic),
        _ => None,
    }
}

/// The last name of a path.
fn last_segment(ty: &syn::Type) -> Option<&Ident> {
    match ty {
        syn::Type::Path(path) => path.path.segments.last().map(|segment| &segment.ident),
        syn::Type::Group(group) => last_segment(&group.elem),
        _ => None,
    }
}

/// Reads the axes in a bracket; a mistake in one does not hide those of the next.
fn axes(group: &Group, errors: &mut Errors) -> Vec<ast::AxisDecl> {
    let mut axes = Vec::new();
    let mut current: Vec<TokenTree> = Vec::new();
    let mut trees = group.stream().into_iter().peekable();
    while let Some(tree) = trees.next() {
        let is_comma = matches!(&tree, TokenTree::Punct(punct) if punct.as_char() == ',');
        if is_comma && current.is_empty() {
            errors.error_at(tree.span(), "expected an axis before `,`");
            continue;
        }
        if !is_comma {
            current.push(tree);
        }
        if is_comma || trees.peek().is_none() {
            axes.extend(axis(std::mem::take(&mut current), errors));
        }
    }
    axes
}

/// `..`, `N`, `3`, `M = N`.
fn axis(tokens: Vec<TokenTree>, errors: &mut Errors) -> Option<ast::AxisDecl> {
    if let [TokenTree::Punct(first), TokenTree::Punct(second)] = &tokens[..]
        && (first.as_char(), second.as_char()) == ('.', '.')
    {
        return Some(ast::AxisDecl::Rest(first.span()));
    }
    if let [TokenTree::Literal(_)] = &tokens[..] {
        return literal(&tokens[0], errors);
    }
    let Some((TokenTree::Ident(name), rest)) = tokens.split_first() else {
        let place = Place::of(&tokens.into_iter().collect::<TokenStream>());
        errors.error(place, "expected an axis\nhelp: write `N`, `..`, `C = size`, or a literal size");
        return None;
    };
    if !name.to_string().starts_with(|letter: char| letter.is_uppercase()) || name == "Self" {
        errors.error(name, format!("`{name}` is no axis name\nhelp: axes are upper-case names, such as `N`; a size gets a name too: `N = {name}`"));
        return None;
    }
    match rest {
        [] => Some(ast::AxisDecl::Name(name.clone())),
        [TokenTree::Punct(equals), size @ ..] if equals.as_char() == '=' => {
            let Some(last) = size.last() else {
                errors.error(name, format!("axis `{name}` has no size after `=`"));
                return None;
            };
            let mut inside = Group::new(Delimiter::Parenthesis, brackets::rewrite(size.iter().cloned().collect()));
            inside.set_span(last.span());
            match syn::parse2::<syn::ExprParen>(TokenTree::Group(inside).into()) {
                Ok(size) => Some(ast::AxisDecl::Sized(name.clone(), *size.expr)),
                Err(error) => {
                    errors.push(error);
                    None
                }
            }
        }
        [other, ..] => {
            errors.error_at(other.span(), format!("expected `,` or `=` after axis `{name}`"));
            None
        }
    }
}

/// A literal size is a whole number without a suffix.
fn literal(token: &TokenTree, errors: &mut Errors) -> Option<ast::AxisDecl> {
    let size = syn::parse2::<syn::LitInt>(token.clone().into()).ok().filter(|literal| literal.suffix().is_empty());
    match size.and_then(|literal| literal.base10_parse::<u64>().ok()).filter(|&size| i64::try_from(size).is_ok()) {
        Some(size) => Some(ast::AxisDecl::Literal(size, token.span())),
        None => {
            errors.error_at(token.span(), format!("`{token}` is no size\nhelp: write a whole number, such as `3`"));
            None
        }
    }
}
