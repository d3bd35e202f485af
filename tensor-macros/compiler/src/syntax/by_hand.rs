//! The attributes of a hand-written kernel: `#[cpu(path)]`, `#[cuda(file = .., entry = .., ..)]`, `#[backward(path)]`.

use proc_macro2::{Ident, TokenStream};
use syn::parse::{ParseStream, Parser};

use super::{ast, brackets};
use crate::errors::{Errors, Place};

/// Takes the attributes of a hand-written kernel out of the others. A function with a body has none.
pub(super) fn split(
    attrs: Vec<syn::Attribute>,
    name: &Ident,
    has_body: bool,
    errors: &mut Errors,
) -> (ast::ByHand, Vec<syn::Attribute>) {
    let mut by_hand = ast::ByHand::default();
    let mut others = Vec::new();
    for attr in attrs {
        let Some(kind) = attr.path().get_ident().filter(|path| ["cpu", "cuda", "backward"].iter().any(|it| path == it))
        else {
            others.push(attr);
            continue;
        };
        if has_body {
            errors.error(
                &attr,
                format!("`#[{kind}]` stands on a kernel without a body, and `{name}` has one\nhelp: remove the attribute, or end `{name}` with `;`"),
            );
            continue;
        }
        let is_second = match kind.to_string().as_str() {
            "cuda" => cuda(&attr, errors).is_some_and(|cuda| by_hand.cuda.replace(cuda).is_some()),
            "cpu" => path(&attr, kind, errors).is_some_and(|path| by_hand.cpu.replace(path).is_some()),
            _ => path(&attr, kind, errors).is_some_and(|path| by_hand.backward.replace(path).is_some()),
        };
        if is_second {
            errors.error(&attr, format!("`#[{kind}]` stands twice on `{name}`"));
        }
    }
    (by_hand, others)
}

/// `#[cpu(path)]` names one function.
fn path(attr: &syn::Attribute, kind: &Ident, errors: &mut Errors) -> Option<syn::Path> {
    match attr.parse_args::<syn::Path>() {
        Ok(path) => Some(path),
        Err(_) => {
            errors.error(attr, format!("`#[{kind}]` names a function\nhelp: write `#[{kind}(name_of_a_function)]`"));
            None
        }
    }
}

/// The values of `#[cuda(..)]`, as they are met.
#[derive(Default)]
struct Values {
    file: Option<syn::LitStr>,
    entry: Option<syn::LitStr>,
    grid: Option<Vec<syn::Expr>>,
    block: Option<Vec<syn::Expr>>,
    shared: Option<syn::Expr>,
}

const CUDA_REMEDY: &str = "help: write `#[cuda(file = \"kernel.cu\", entry = \"kernel\", grid = N, block = 256)]`, and `shared = bytes` if needed";

/// Every value has a name, and four of the five are needed.
fn cuda(attr: &syn::Attribute, errors: &mut Errors) -> Option<ast::Cuda> {
    let before = errors.len();
    let mut values = Values::default();
    let tokens = match &attr.meta {
        syn::Meta::List(list) => brackets::rewrite(list.tokens.clone()),
        syn::Meta::Path(_) | syn::Meta::NameValue(_) => TokenStream::new(),
    };
    let read = |input: ParseStream<'_>| {
        while !input.is_empty() {
            value(input, &mut values, errors)?;
            if !input.is_empty() {
                input.parse::<syn::Token![,]>()?;
            }
        }
        Ok(())
    };
    if let Err(error) = read.parse2(tokens) {
        errors.push(error);
    }
    let mut missing = Vec::new();
    missing.extend(values.file.is_none().then_some("file"));
    missing.extend(values.entry.is_none().then_some("entry"));
    missing.extend(values.grid.is_none().then_some("grid"));
    missing.extend(values.block.is_none().then_some("block"));
    if errors.len() == before && !missing.is_empty() {
        let missing: Vec<String> = missing.into_iter().map(|name| format!("`{name}`")).collect();
        errors.error(attr, format!("`#[cuda]` has no {}\n{CUDA_REMEDY}", missing.join(", ")));
    }
    let Values { file, entry, grid, block, shared } = values;
    Some(ast::Cuda { file: file?, entry: entry?, grid: grid?, block: block?, shared })
}

/// `name = value`
fn value(input: ParseStream<'_>, values: &mut Values, errors: &mut Errors) -> syn::Result<()> {
    let name: Ident = input.parse()?;
    input.parse::<syn::Token![=]>()?;
    let is_second = match name.to_string().as_str() {
        "file" => values.file.replace(text(input, &name)?).is_some(),
        "entry" => values.entry.replace(text(input, &name)?).is_some(),
        "grid" => values.grid.replace(dimensions(input, &name)?).is_some(),
        "block" => values.block.replace(dimensions(input, &name)?).is_some(),
        "shared" => values.shared.replace(input.parse()?).is_some(),
        _ => return Err(syn::Error::new(name.span(), format!("`#[cuda]` has no value `{name}`\n{CUDA_REMEDY}"))),
    };
    if is_second {
        errors.error(&name, format!("`{name}` stands twice in `#[cuda]`"));
    }
    Ok(())
}

/// File and entry are text.
fn text(input: ParseStream<'_>, name: &Ident) -> syn::Result<syn::LitStr> {
    input
        .parse()
        .map_err(|error| syn::Error::new(error.span(), format!("`{name}` is text\nhelp: write `{name} = \"..\"`")))
}

/// `256` or `(16, 16)`
fn dimensions(input: ParseStream<'_>, name: &Ident) -> syn::Result<Vec<syn::Expr>> {
    let sizes = match input.parse()? {
        syn::Expr::Tuple(tuple) => tuple.elems.into_iter().collect(),
        other => vec![other],
    };
    if sizes.is_empty() || sizes.len() > 3 {
        let place =
            sizes.first().map_or(Place::of(name), |first| Place::of(first).to(Place::of(&sizes[sizes.len() - 1])));
        return Err(syn::Error::new_spanned(
            place,
            format!("`{name}` has one to three dimensions, found {}\nhelp: write `{name} = (x, y, z)`", sizes.len()),
        ));
    }
    Ok(sizes)
}
