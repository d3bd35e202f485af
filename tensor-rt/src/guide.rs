//! How to write kernels, from the first one to the last corner. Every program in it is compiled and run by the tests.
//!
//! 1. [A kernel in five minutes](first_kernel)
//! 2. [Axes](axes): broadcasting, indices, reductions, windows
//! 3. [The language](language): functions, operators, numbers, and what is absent
//! 4. [Intents](intents): what a kernel does to its tensors
//! 5. [Gradients](gradients): modes, parameters, what has none
//! 6. [Conventions](conventions): what every corner means, and where PyTorch differs
//! 7. [Tensors](tensors): operators and methods, for those who know PyTorch
//! 8. [Errors](errors): the catalogue
//! 9. [Kernels by hand](by_hand): functions in place of a body
//! 10. [Devices](devices): opening, copies, streams, and errors that come later

#[doc = include_str!("../guide/first_kernel.md")]
pub mod first_kernel {}

#[doc = include_str!("../guide/axes.md")]
pub mod axes {}

#[doc = include_str!("../guide/language.md")]
pub mod language {}

#[doc = include_str!("../guide/intents.md")]
pub mod intents {}

#[doc = include_str!("../guide/gradients.md")]
pub mod gradients {}

#[doc = include_str!("../guide/conventions.md")]
pub mod conventions {}

#[doc = include_str!("../guide/tensors.md")]
pub mod tensors {}

#[doc = include_str!("../guide/errors.md")]
pub mod errors {}

#[doc = include_str!("../guide/by_hand.md")]
pub mod by_hand {}

#[doc = include_str!("../guide/devices.md")]
pub mod devices {}

#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
mod readme {}
