//! Names of generated items, parameters and locals.
//!
//! Invariant: a name that [`Names`] gives was neither reserved nor given before, is a Rust identifier, is no keyword, and
//! raises no naming lint.

use std::collections::HashSet;

use proc_macro2::{Ident, Span};

/// The names taken in one scope.
#[derive(Clone, Default, Debug)]
pub(super) struct Names {
    taken: HashSet<String>,
}

impl Names {
    /// A scope where `reserved` are taken.
    pub fn new<'a>(reserved: impl IntoIterator<Item = &'a str>) -> Self {
        Self { taken: reserved.into_iter().map(str::to_owned).collect() }
    }

    /// Takes a name that the user chose.
    pub fn reserve(&mut self, name: &Ident) {
        self.taken.insert(name.to_string());
    }

    /// A local like `wish`.
    pub fn local(&mut self, wish: &str) -> Ident {
        self.fresh(&snake(wish))
    }

    /// A type parameter like `wish`.
    pub fn type_parameter(&mut self, wish: &str, span: Span) -> Ident {
        let mut ident = self.fresh(wish);
        ident.set_span(span);
        ident
    }

    fn fresh(&mut self, wish: &str) -> Ident {
        let free = |name: &String| !self.taken.contains(name) && syn::parse_str::<Ident>(name).is_ok();
        let name = match Some(wish.to_owned()).filter(free) {
            Some(name) => name,
            // `x2` after `x`, `v3_2` after `v3`.
            None => {
                let separator = if wish.ends_with(|end: char| end.is_ascii_digit()) { "_" } else { "" };
                (2..).map(|count| format!("{wish}{separator}{count}")).find(free).expect("the range has no end")
            }
        };
        let ident = Ident::new(&name, Span::call_site());
        self.taken.insert(name);
        ident
    }
}

/// `XHat` for `x_hat`: the beginning of the names of type parameters that belong to a parameter.
pub(super) fn camel(name: &str) -> String {
    let words = name.trim_start_matches("r#").split('_').filter(|word| !word.is_empty());
    words
        .map(|word| {
            let mut letters = word.chars();
            letters.next().map(|first| first.to_uppercase().chain(letters).collect::<String>()).unwrap_or_default()
        })
        .collect()
}

/// The name as a local: `x_hat` for `xHat`, `c` for `C'`.
fn snake(name: &str) -> String {
    let mut snake = String::new();
    let mut previous = '_';
    for letter in name.trim_start_matches("r#").chars().filter(|letter| letter.is_alphanumeric() || *letter == '_') {
        if letter.is_uppercase() && previous.is_lowercase() {
            snake.push('_');
        }
        previous = letter;
        if letter != '_' || !snake.ends_with('_') {
            snake.extend(letter.to_lowercase());
        }
    }
    if snake.chars().all(|letter| letter == '_') || snake.starts_with(|first: char| first.is_numeric()) {
        snake.insert(0, 'v');
    }
    snake
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_never_given_twice() {
        let mut names = Names::new(["n"]);
        let given: Vec<String> = ["n", "x", "x", "x2", "type", "C'", "C''", "__", "aB", ".."]
            .map(|wish| names.local(wish).to_string())
            .into();
        assert_eq!(given, ["n2", "x", "x2", "x2_2", "type2", "c", "c2", "v_", "a_b", "v"]);
    }

    #[test]
    fn type_parameters_are_camel_case() {
        assert_eq!(["x", "x_hat", "r#type", "self_", "_q"].map(camel), ["X", "XHat", "Type", "Self", "Q"]);
    }
}
