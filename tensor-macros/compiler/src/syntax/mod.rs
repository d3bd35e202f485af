//! Tokens to syntax tree: signatures by our own grammar, bodies by Rust's.

pub mod ast;

use proc_macro2::TokenStream;

use crate::errors::Errors;

/// The items of a block. An item that cannot be read is reported and left out.
pub fn parse(_input: TokenStream, _errors: &mut Errors) -> Vec<ast::Item> {
    Vec::new()
}
