//! The in-place rule's message. The rule itself is decided on the schedule, which knows nothing of the user's tokens.

use crate::check::Places;
use crate::errors::Place;
use crate::ir;
use crate::schedule::{Conflict, ConflictReason};
use crate::syntax::ast;

/// The error for a read of an edited parameter that could see the new value; it points at the read.
pub(crate) fn error(function: &ast::Function, kernel: &ir::Kernel, places: &Places, conflict: &Conflict) -> syn::Error {
    let name = &kernel.tensors[conflict.param as usize].name;
    let message = match conflict.reason {
        ConflictReason::OtherElement => format!(
            "`{name}` is edited in place, and this reads another element of it, which may be overwritten already\n\
             help: return the result as an output, `-> Tensor[..]`, instead of editing `{name}`"
        ),
        ConflictReason::Broadcast => format!(
            "`{name}` is edited in place, and this element of it is read again after it was written\n\
             help: return one of the results from a kernel of its own"
        ),
        ConflictReason::Cycle => format!(
            "the new values of `{name}` and of another edited parameter each need the old value of the other\n\
             help: return one of them as an output, `-> Tensor[..]`"
        ),
    };
    let place = places.get(conflict.read).unwrap_or(Place::at(function.span));
    syn::Error::new_spanned(place, message)
}

#[cfg(test)]
mod tests {
    use std::str::FromStr;

    use proc_macro2::TokenStream;

    use crate::errors::Errors;

    /// The first line of each message, and the source it points at.
    fn conflicts(source: &str) -> Vec<(String, String)> {
        let mut errors = Errors::new();
        let (functions, helpers) = crate::parse(TokenStream::from_str(source).expect("tokens"), &mut errors);
        for function in &functions {
            crate::compile(function, &helpers, &mut errors);
        }
        let point = |error: &syn::Error| {
            let span = error.span();
            let first = error.to_string().lines().next().unwrap_or_default().to_owned();
            (first, source[span.start().column..span.end().column].to_owned())
        };
        errors.iter().map(point).collect()
    }

    #[test]
    fn a_read_of_another_element_is_pointed_at() {
        let found = conflicts("fn f(w: &mut Tensor[N], b: &Tensor[N]) { w = b + w[size(N) - 1 - N]; }");
        let [(message, place)] = &found[..] else { panic!("{found:?}") };
        assert!(message.starts_with("`w` is edited in place, and this reads another element of it"), "{message}");
        assert!(place.starts_with('w'), "{place}");
    }

    #[test]
    fn own_elements_and_finished_rows_are_legal() {
        assert_eq!(conflicts("fn f(y: &mut Tensor[N], x: &Tensor[N], a: float) { y += a * x; }"), []);
        assert_eq!(conflicts("fn f(x: &mut Tensor[N, C]) { let e = exp(x - max[C](x)); x = e / sum[C](e); }"), []);
    }
}
