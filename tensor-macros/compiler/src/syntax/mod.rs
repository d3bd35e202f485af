//! Tokens to syntax tree: signatures by our own grammar, bodies by Rust's.
//!
//! Vocabulary: an *item* is one function of the block, with its attributes; an *index bracket* is a bracket after a
//! name or a parenthesis.
//!
//! Invariants: every token keeps the user's span; a mistake in one item does not hide those of the next; nothing is
//! handed to a recursive parser before its nesting is bounded.

pub mod ast;
mod brackets;
mod by_hand;
mod depth;
mod items;
mod runtime;
mod signature;
mod tensor_type;

#[cfg(test)]
mod tests;

use proc_macro2::TokenStream;
pub use runtime::runtime;

use crate::errors::Errors;

/// The items of a block. An item whose signature cannot be read is reported and left out.
pub fn parse(input: TokenStream, errors: &mut Errors) -> Vec<ast::Item> {
    let mut parsed = Vec::new();
    for tokens in items::split(input, errors) {
        match items::parse(tokens, errors) {
            Ok(item) => parsed.extend(item),
            Err(error) => errors.push(error),
        }
    }
    check_helper_names(&parsed, errors);
    introduce(&mut parsed);
    parsed
}

/// Tells each kernel the names of the others.
fn introduce(items: &mut [ast::Item]) {
    let kernel = |item: &ast::Item| match item {
        ast::Item::Function(function) => Some(function.name.to_string()),
        ast::Item::Helper(_) => None,
    };
    let names: Vec<String> = items.iter().filter_map(kernel).collect();
    for item in items {
        if let ast::Item::Function(function) = item {
            function.others = names.iter().filter(|name| function.name != **name).cloned().collect();
        }
    }
}

/// A helper has a name of its own in its block.
fn check_helper_names(items: &[ast::Item], errors: &mut Errors) {
    let mut seen = std::collections::HashSet::new();
    for item in items {
        if let ast::Item::Helper(helper) = item
            && !seen.insert(helper.name.to_string())
        {
            errors.error(&helper.name, format!("helper `{}` is defined twice", helper.name));
        }
    }
}
