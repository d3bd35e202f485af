//! Rust expressions with the precedence they bind with, so that parentheses stand where they are needed and only there.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use quote::{ToTokens, quote};

/// How tightly an expression binds; weakest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Level {
    /// `if`, and `as`, which takes parentheses like it.
    If,
    /// `==` and `<`, which do not chain.
    Compare,
    /// `|`
    BitOr,
    /// `&`
    BitAnd,
    /// `+` and `-`
    Sum,
    /// `*` and `/`
    Product,
    /// `-x` and `!x`
    Prefix,
    /// Names, calls, suffixed literals.
    Atom,
}

/// An expression.
#[derive(Clone, Debug)]
pub(super) struct Expr {
    tokens: TokenStream,
    level: Level,
    /// Operations within it, nested ones included.
    pub weight: usize,
}

impl Expr {
    pub fn new(tokens: TokenStream, level: Level) -> Self {
        Self { tokens, level, weight: 1 }
    }

    /// One that never needs parentheses.
    pub fn atom(tokens: impl ToTokens) -> Self {
        Self::new(tokens.to_token_stream(), Level::Atom)
    }

    /// As it stands.
    pub fn tokens(self) -> TokenStream {
        self.tokens
    }

    /// As an operand of an operator that wants at least `level`.
    pub fn operand(self, level: Level) -> TokenStream {
        match self.level < level {
            true => TokenTree::Group(Group::new(Delimiter::Parenthesis, self.tokens)).into(),
            false => self.tokens,
        }
    }

    /// `self operator other`, left-associative.
    pub fn infix(self, operator: TokenStream, other: Expr, level: Level) -> Expr {
        let tighter = match level {
            Level::Compare => Level::BitOr,
            Level::BitOr => Level::BitAnd,
            Level::BitAnd => Level::Sum,
            Level::Sum => Level::Product,
            Level::Product => Level::Prefix,
            Level::If | Level::Prefix | Level::Atom => Level::Atom,
        };
        let weight = self.weight + other.weight + 1;
        let left = self.operand(if level == Level::Compare { tighter } else { level });
        let right = other.operand(tighter);
        Expr { tokens: quote!(#left #operator #right), level, weight }
    }

    /// `operator self`
    pub fn prefix(self, operator: TokenStream) -> Expr {
        let weight = self.weight + 1;
        // `- -x` would print as `--x`.
        let x = self.operand(Level::Atom);
        Expr { tokens: quote!(#operator #x), level: Level::Prefix, weight }
    }

    /// `self.method(arguments)`
    pub fn method(self, method: TokenStream, arguments: Vec<Expr>) -> Expr {
        let weight = self.weight + arguments.iter().map(|argument| argument.weight).sum::<usize>() + 1;
        let x = self.operand(Level::Atom);
        let arguments = arguments.into_iter().map(Expr::tokens);
        Expr { tokens: quote!(#x.#method(#(#arguments),*)), level: Level::Atom, weight }
    }

    /// `function(arguments)`
    pub fn call(function: TokenStream, arguments: Vec<Expr>) -> Expr {
        let weight = arguments.iter().map(|argument| argument.weight).sum::<usize>() + 1;
        let arguments = arguments.into_iter().map(Expr::tokens);
        Expr { tokens: quote!(#function(#(#arguments),*)), level: Level::Atom, weight }
    }

    /// `if condition { a } else { b }`
    pub fn select(condition: Expr, a: Expr, b: Expr) -> Expr {
        let weight = condition.weight + a.weight + b.weight + 1;
        let (condition, a, b) = (condition.tokens, a.tokens, b.tokens);
        Expr { tokens: quote!(if #condition { #a } else { #b }), level: Level::If, weight }
    }
}
