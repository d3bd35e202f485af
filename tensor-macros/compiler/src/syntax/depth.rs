//! A bound on nesting, so that no input can exhaust the stack of a recursive parser.

use proc_macro2::{Span, TokenStream, TokenTree};

/// What the tokens on one path into an expression may cost together.
const BUDGET: usize = 1024;

/// The cost of what surely nests: a group, a chain of operators, a keyword that opens an expression.
const NESTING: usize = 8;

/// Finds a place where the nesting of `stream` may become too deep.
pub(super) fn find_too_deep(stream: &TokenStream) -> Option<Span> {
    find_within(stream.clone(), BUDGET)
}

/// Every token of a run (up to the next `;` or `,`) may deepen the tree by one level, and more if it surely nests.
fn find_within(stream: TokenStream, budget: usize) -> Option<Span> {
    let mut cost = 0;
    let mut after_punct = false;
    let mut groups = Vec::new();
    let mut trees = stream.into_iter().peekable();
    while let Some(tree) = trees.next() {
        let is_punct = matches!(tree, TokenTree::Punct(_));
        let nests = match &tree {
            TokenTree::Group(_) => true,
            TokenTree::Ident(ident) => opens_expression(&ident.to_string()),
            TokenTree::Punct(_) => after_punct,
            TokenTree::Literal(_) => false,
        };
        after_punct = is_punct;
        cost += if nests { NESTING } else { 1 };
        if cost > budget {
            return Some(tree.span());
        }
        let ends_run = matches!(&tree, TokenTree::Punct(punct) if matches!(punct.as_char(), ';' | ','));
        if let TokenTree::Group(group) = tree {
            groups.push(group);
        }
        if ends_run || trees.peek().is_none() {
            for group in groups.drain(..) {
                if let Some(span) = find_within(group.stream(), budget - cost) {
                    return Some(span);
                }
            }
            (cost, after_punct) = (0, false);
        }
    }
    None
}

/// A word after which another expression, or a type, nests.
fn opens_expression(word: &str) -> bool {
    matches!(
        word,
        "async"
            | "await"
            | "break"
            | "const"
            | "dyn"
            | "else"
            | "fn"
            | "for"
            | "if"
            | "impl"
            | "let"
            | "loop"
            | "match"
            | "move"
            | "mut"
            | "return"
            | "static"
            | "try"
            | "unsafe"
            | "while"
            | "yield"
    )
}
