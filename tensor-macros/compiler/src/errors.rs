//! The mistakes found in one `tensor_fn!` block.
//!
//! Vocabulary: a *place* is the stretch of the user's tokens that an error points at; a *message* is lower case, without
//! a full stop, names in backticks; its remedy follows on a line of its own that starts with `help:`.
//!
//! Invariant: a stage goes on after a mistake, so that [`Errors`] holds every one of them, in the order found; the same
//! message at the same place is held once.

use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::ToTokens;

/// A stretch of the user's tokens, from the first to the last.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    start: Span,
    end: Span,
}

impl Place {
    /// The place of some tokens; the macro call itself if there are none.
    pub fn of(tokens: &impl ToTokens) -> Self {
        let mut trees = tokens.to_token_stream().into_iter();
        let Some(first) = trees.next() else {
            return Self::at(Span::call_site());
        };
        let (start, mut end) = ends(&first);
        if let Some(last) = trees.last() {
            end = ends(&last).1;
        }
        Self { start, end }
    }

    /// The place of one token.
    pub fn at(span: Span) -> Self {
        Self { start: span, end: span }
    }

    /// From the first token of `self` to the last of `other`.
    pub fn to(self, other: Self) -> Self {
        Self { start: self.start, end: other.end }
    }
}

/// The spans of the first and the last token of a tree.
fn ends(tree: &TokenTree) -> (Span, Span) {
    match tree {
        TokenTree::Group(group) => group_ends(group),
        other => (other.span(), other.span()),
    }
}

/// The spans of a group's delimiters, or of its content if the delimiters are invisible.
fn group_ends(group: &Group) -> (Span, Span) {
    if group.delimiter() == proc_macro2::Delimiter::None {
        let mut trees = group.stream().into_iter();
        if let Some(first) = trees.next() {
            let last = trees.last().unwrap_or_else(|| first.clone());
            return (ends(&first).0, ends(&last).1);
        }
    }
    (group.span_open(), group.span_close())
}

impl ToTokens for Place {
    /// Two placeholder tokens, which is how `syn::Error::new_spanned` learns both ends.
    fn to_tokens(&self, tokens: &mut TokenStream) {
        Ident::new("start", self.start).to_tokens(tokens);
        Ident::new("end", self.end).to_tokens(tokens);
    }
}

/// Every mistake found so far.
#[derive(Default, Debug)]
pub struct Errors {
    found: Vec<syn::Error>,
}

impl Errors {
    /// No mistake yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Records a mistake at the given tokens.
    pub fn error(&mut self, tokens: impl ToTokens, message: impl std::fmt::Display) {
        self.push(syn::Error::new_spanned(Place::of(&tokens), message));
    }

    /// Records a mistake at one token.
    pub fn error_at(&mut self, span: Span, message: impl std::fmt::Display) {
        self.push(syn::Error::new(span, message));
    }

    /// Records a mistake that syn found.
    pub fn push(&mut self, error: syn::Error) {
        let twin =
            |other: &syn::Error| other.to_string() == error.to_string() && spot(other.span()) == spot(error.span());
        if !self.found.iter().any(twin) {
            self.found.push(error);
        }
    }

    /// True if no mistake was found.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// Number of mistakes found.
    pub fn len(&self) -> usize {
        self.found.len()
    }

    /// The mistakes in the order found.
    pub fn iter(&self) -> impl Iterator<Item = &syn::Error> {
        self.found.iter()
    }

    /// One `compile_error!` for each mistake.
    pub fn to_compile_errors(&self) -> TokenStream {
        self.found.iter().map(syn::Error::to_compile_error).collect()
    }
}

/// What tells two places apart.
fn spot(span: Span) -> String {
    format!("{:?} {:?} {span:?}", span.start(), span.end())
}
