//! CUDA C for devices: one `__global__` function per kernel of a schedule.
//!
//! The text is complete but for what is known at the launch. The runtime puts two things before it: macros that say how
//! the kernel is traversed (number of dimensions, widths, threads per row) and which element `Element` is, and its
//! *prelude*, which has the types and functions named here. A user's name begins with a small letter, a name of the prelude
//! with a capital or with `tensor::`.
//!
//! A kernel without reductions is a loop over *points*, several neighbors at a time (`EACH`); another one is a loop over
//! *rows*, with one loop over the row's *elements* for each level and for the writes over them. A contraction that may be a
//! product of matrices has loops over the *tiles* of the result beside these. The parameters of a kernel
//! are, in this order: the space, an array for each operand and each write, the steps of each axis whose index is a value,
//! sizes, scalars, and what every kernel has (scratch memory, the error record, the number of the launch).
//!
//! Invariants: every load of a point precedes its stores; only gathers and integer divisions are evaluated conditionally.

mod body;
mod expr;
mod kernel;
mod names;
mod operation;
mod ty;

use super::DeviceText;
use super::plan::{Direction, Plan};
use crate::print;

/// The kernels of a schedule as CUDA C, by position. `name` is that of the direction.
pub fn kernels(direction: &Direction<'_>, plan: &Plan<'_>, name: &str) -> Vec<DeviceText> {
    let kernels = plan.kernels.iter().enumerate().map(|(position, each)| {
        let entry = names::entry(&direction.kernel.name, name, position);
        let comment = print::scheduled(direction.kernel, position, each.schedule);
        kernel::text(direction, each, entry, &comment)
    });
    kernels.collect()
}
