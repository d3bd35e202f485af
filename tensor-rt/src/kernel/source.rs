//! What `name::source()` shows of a kernel.

use std::fmt;

/// How `tensor_fn!` compiled a kernel: `println!("{}", softmax::source())`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Source {
    /// The expressions, forward and backward.
    pub ir: &'static str,
    /// Which kernel finishes what, in which traversal.
    pub schedule: &'static str,
    /// The generated Rust.
    pub rust: &'static str,
    /// The CUDA C of each kernel, forward and backward. What is known at a launch, and a prelude, are put before it.
    pub cuda: &'static [&'static str],
}

impl Source {
    /// For generated code.
    #[doc(hidden)]
    pub const fn new(
        ir: &'static str,
        schedule: &'static str,
        rust: &'static str,
        cuda: &'static [&'static str],
    ) -> Self {
        Self { ir, schedule, rust, cuda }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Source { ir, schedule, rust, cuda } = self;
        write!(out, "{ir}\n{schedule}\n{rust}")?;
        cuda.iter().try_for_each(|kernel| write!(out, "\n{kernel}"))
    }
}
