//! Operators and methods of tensors, on kernels written with [`tensor_fn!`](crate::tensor_fn).
//!
//! What is here has NumPy's shapes: operands meet by position from the last axis, and an axis of size 1 is repeated. It
//! is repeated as a view, so nothing is copied; the kernels below see operands of one shape. Reductions and index
//! operations over some axis bring that axis to the end as a view first.
//!
//! Every float element has everything; `i64` has arithmetic, comparisons, extrema and index operations; other integers and
//! `bool` have sums. Convert others with `to_element`.

mod arithmetic;
mod assign;
mod axes;
mod broadcast;
mod compare;
mod elementwise;
mod index;
mod logic;
mod matmul;
mod pairwise;
mod reduce;
mod replace;
mod softmax;
mod total;

pub use arithmetic::Arithmetic;
pub use assign::Assigned;
pub(crate) use axes::pieces;
pub use axes::{Axes, Keep};
pub use compare::{Comparand, Compared};
pub use index::Indexed;
pub use reduce::Ordered;
pub use total::Total;

#[cfg(test)]
mod tests;
