//! Names of kernels, parameters and locals in C.
//!
//! Types and macros of the prelude begin with a capital, its functions are in the namespace `tensor`; a name of the user
//! begins with a small letter. So the only names to avoid are those of the language and the few that every kernel has.
//!
//! Invariant: a name that [`Names`] gives was not given before in its scope and is an identifier of C++ that means nothing
//! to it.

use std::collections::HashSet;

/// Keywords of C++ and of CUDA C, macros that compilers define, built-in variables, and names that every kernel has.
const RESERVED: &str = "alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t \
    char32_t class compl concept const consteval constexpr constinit const_cast continue co_await co_return co_yield \
    decltype default delete do double dynamic_cast else enum explicit export extern false float for friend goto if inline \
    int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public register \
    reinterpret_cast requires return short signed sizeof static static_assert static_cast struct switch template this \
    thread_local throw true try typedef typeid typename typeof union unsigned using virtual void volatile wchar_t while \
    xor xor_eq restrict linux unix i386 assert printf tensor space scratch record launch found row at i tile";

/// The names taken in one scope.
#[derive(Clone, Debug)]
pub(super) struct Names {
    taken: HashSet<String>,
}

impl Names {
    /// A scope where nothing is taken but what C and the prelude take.
    pub fn new() -> Self {
        Self { taken: RESERVED.split(' ').map(str::to_owned).collect() }
    }

    /// A local like `wish`.
    pub fn local(&mut self, wish: &str) -> String {
        let wish = snake(wish);
        let name = if self.taken.contains(&wish) {
            // `x2` after `x`, `v3_2` after `v3`.
            let separator = if wish.ends_with(|end: char| end.is_ascii_digit()) { "_" } else { "" };
            (2..)
                .map(|count| format!("{wish}{separator}{count}"))
                .find(|name| !self.taken.contains(name))
                .expect("the range has no end")
        } else {
            wish
        };
        self.taken.insert(name.clone());
        name
    }
}

/// The name of a kernel: of a function, a direction and a position in its schedule, so it is never a keyword.
pub(super) fn entry(function: &str, direction: &str, position: usize) -> String {
    format!("{}_{direction}_{position}", ascii(function.trim_start_matches("r#")))
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
        // Two underscores in a row belong to compilers.
        if letter != '_' || !snake.ends_with('_') {
            snake.extend(letter.to_lowercase());
        }
    }
    let snake = ascii(&snake);
    match snake.chars().next() {
        Some(first) if first.is_ascii_lowercase() => snake,
        _ => format!("v{snake}"),
    }
}

/// Letters beyond ASCII by their numbers, which not every compiler takes in names.
fn ascii(name: &str) -> String {
    let letter = |letter: char| match letter.is_ascii() {
        true => letter.to_string(),
        false => format!("u{:x}", u32::from(letter)),
    };
    name.chars().map(letter).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_identifiers_that_mean_nothing_else() {
        let mut names = Names::new();
        let wishes = ["float", "register", "at", "x", "x", "x2", "C'", "__", "aB", "..", "r#type", "γ", "Space", "_q"];
        let given = wishes.map(|wish| names.local(wish));
        let expected =
            ["float2", "register2", "at2", "x", "x2", "x2_2", "c", "v_", "a_b", "v", "type", "u3b3", "space2", "v_q"];
        assert_eq!(given, expected);
        assert_eq!(entry("größe", "forward", 0), "gruf6udfe_forward_0");
    }
}
