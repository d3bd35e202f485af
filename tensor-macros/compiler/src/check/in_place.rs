//! The in-place rule's message; the rule itself is decided on the schedule.

use super::Places;
use crate::errors::Place;
use crate::ir;
use crate::schedule::{Conflict, ConflictReason};
use crate::syntax::ast;

/// The error for a read of an edited parameter that could see the new value; it points at the read.
pub fn in_place_error(
    function: &ast::Function,
    kernel: &ir::Kernel,
    places: &Places,
    conflict: &Conflict,
) -> syn::Error {
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
