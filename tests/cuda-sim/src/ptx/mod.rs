//! PTX text to a syntax tree.
//!
//! Names keep their spelling, except that a name declared inside braces gets a suffix of its own: `param0` of the second
//! call is `param0'2`. After that every name of a function means one thing, and later stages know no scopes.
//! What is not known is refused with its line; nothing is skipped but sections of debug information.

mod lexer;
mod parser;
pub(crate) mod syntax;

pub(crate) use parser::parse;

use std::fmt;

/// Why PTX text was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PtxError {
    /// The line of the text, from 1.
    pub line: u32,
    /// What is refused, as it stands there.
    pub text: String,
    /// Why.
    pub reason: String,
}

impl PtxError {
    pub(crate) fn new(line: u32, text: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { line, text: text.into(), reason: reason.into() }
    }
}

impl std::error::Error for PtxError {}

impl fmt::Display for PtxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PTX line {}: {}: `{}`", self.line, self.reason, self.text)
    }
}
