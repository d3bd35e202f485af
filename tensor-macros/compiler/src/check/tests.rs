//! The examples of the language check; wrong programs get the first line they should.

mod nesting;
mod programs;
mod refusals;

use std::str::FromStr;

use proc_macro2::TokenStream;

use super::Checked;
use crate::errors::Errors;
use crate::syntax::{self, ast};

/// Parses and checks every kernel of a block.
fn check(source: &str) -> (Vec<Checked>, Errors) {
    let mut errors = Errors::new();
    let items = syntax::parse(TokenStream::from_str(source).expect("the source has tokens"), &mut errors);
    let (mut functions, mut helpers) = (Vec::new(), Vec::new());
    for item in items {
        match item {
            ast::Item::Function(function) => functions.push(function),
            ast::Item::Helper(helper) => helpers.push(helper),
        }
    }
    let checked = functions.iter().filter_map(|function| super::kernel(function, &helpers, &mut errors)).collect();
    (checked, errors)
}

/// The one kernel of a block without mistakes.
fn kernel(source: &str) -> Checked {
    let (mut checked, errors) = check(source);
    let messages: Vec<String> = errors.iter().map(ToString::to_string).collect();
    assert!(messages.is_empty(), "{source}\n{messages:#?}");
    assert_eq!(checked.len(), 1, "{source}");
    checked.remove(0)
}
