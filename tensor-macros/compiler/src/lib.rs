//! The compiler behind `tensor_fn!`: `syntax -> check -> diff -> simplify -> schedule -> emit`, over one IR.
pub mod check;
pub mod emit;
pub mod errors;
pub mod interp;
pub mod ir;
pub mod schedule;
pub mod syntax;
