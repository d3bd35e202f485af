//! Index brackets: `a[i, j]` becomes `a[(i, j)]`, which is Rust's own grammar.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

/// Wraps the content of every index bracket in parentheses, at every depth. All tokens keep their spans.
pub(super) fn rewrite(stream: TokenStream) -> TokenStream {
    let mut indexable = false;
    let mut rewritten = TokenStream::new();
    for tree in stream {
        let next = match tree {
            TokenTree::Group(group) => {
                let inside = rewrite(group.stream());
                let is_index = indexable && group.delimiter() == Delimiter::Bracket;
                let inside = if is_index { parenthesized(inside, &group) } else { inside };
                indexable = group.delimiter() != Delimiter::Brace;
                let mut replaced = Group::new(group.delimiter(), inside);
                replaced.set_span(group.span());
                TokenTree::Group(replaced)
            }
            other => {
                indexable = matches!(&other, TokenTree::Ident(ident) if !is_keyword(&ident.to_string()));
                other
            }
        };
        rewritten.extend([next]);
    }
    rewritten
}

/// The stream in parentheses that have the span of `bracket`.
fn parenthesized(stream: TokenStream, bracket: &Group) -> TokenStream {
    let mut group = Group::new(Delimiter::Parenthesis, stream);
    group.set_span(bracket.span());
    TokenTree::Group(group).into()
}

/// A bracket after one of these words is an array, not an index.
fn is_keyword(word: &str) -> bool {
    matches!(
        word,
        "as" | "break" | "const" | "else" | "if" | "in" | "let" | "loop" | "match" | "move" | "mut" | "ref" | "return"
    )
}
