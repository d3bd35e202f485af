//! Well-typed kernels at random, the same in every run.
//!
//! A [`Kernel`] prints as the text of one `tensor_fn!` function named `kernel`. Its expressions are trees of templates
//! ([`Expr`]), so that a failing kernel can be made [`smaller`](Kernel::smaller) part by part.
//!
//! Invariants:
//! - every kernel of [`Kernel::random`] compiles; a smaller one need not, as an axis may have lost its only parameter;
//! - values stay moderate: what grows without bound, or has poles, is given arguments in a bounded range;
//! - an integer parameter `ids_c` holds positions along the axis `C`; other integers are small.
//!
//! This crate depends on nothing, so that the compiler's own tests may use it.

#![forbid(unsafe_code)]

mod expr;
mod generate;
mod kernel;
mod numbers;
mod shrink;

pub use expr::{Axes, Expr, Kind};
pub use generate::Language;
pub use kernel::{Kernel, Param, SCALARS, element};
pub use numbers::Numbers;
