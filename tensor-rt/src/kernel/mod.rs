//! Kernels: the tables that generated code hands over, the arithmetic of its passes, and the call that runs them.
//!
//! [`program`] is data and [`body`] is arithmetic; [`block`] is where they meet, [`lines`] what a block may be made of.
//! A [`call`] resolves [`sizes`], proves indices (`bounds`) and launches (`launch`; `elementwise` where that is simple) the
//! forward schedule; its `adjoint` launches the backward one. Kernels that are written [`by_hand`] share the call and have
//! functions of the user instead of schedules. [`source`] is text for readers.
//! Generated code reaches all of it through `tensor_rt::__private`.

mod adjoint;
pub mod block;
pub mod body;
mod bounds;
#[forbid(unsafe_code)]
pub mod by_hand;
mod by_hand_cuda;
pub mod call;
mod elementwise;
mod launch;
#[forbid(unsafe_code)]
pub mod lines;
pub mod program;
pub mod sizes;
pub mod source;

pub use block::{BLOCK, Block, Gather};
pub use body::{Bodies, InstructionSet, LineBody, PassBody, PassFn};
pub use by_hand::{Kept, TensorView, TensorViewMut, Views};
pub use call::{Call, Outputs};
pub use lines::LineValues;
pub use source::Source;
