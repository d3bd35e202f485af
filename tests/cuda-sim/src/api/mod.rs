//! The exported functions of the driver API.
//!
//! Each function is [`call`](crate::driver::session::call) around a method of the driver. Its parameters have the layout
//! of the C ones, with types of [`abi`] for pointers, so that this is the only place that meets raw memory. Which calls
//! need a current context follows the documentation: those that allocate, copy, load and create, and those on the
//! default stream; a stream, event or function brings its own context.

mod abi;
mod context;
mod control;
mod copy;
mod device;
mod event;
mod launch;
mod lookup;
mod memory;
mod module;
mod occupancy;
mod pool;
mod stream;
mod unsupported;
