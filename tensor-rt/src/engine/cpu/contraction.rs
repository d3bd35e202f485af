//! Contractions through a matrix product.

use super::executor::Found;
use crate::engine::Launch;
use crate::kernel::body::InstructionSet;

pub(super) fn run(_launch: &Launch<'_>, _set: InstructionSet) -> Option<Option<Found>> {
    None
}
