//! Memory of the host: pooled, aligned buffers under a cap.
//!
//! A `Block` is a piece of memory that one storage owns; a `Pool` hands blocks out and takes
//! them back. The first touch of fresh memory costs ten times its reuse, so blocks return to the pool and not to the
//! system; those that are not in use are *cached*. Live and cached bytes together are *reserved*. Each thread has a `front`
//! before the pool, where small blocks go from tensor to tensor without a lock.
//!
//! Invariants: reserved bytes never exceed the cap; cached blocks are released and the request retried once before it
//! fails; every block is aligned to [`ALIGNMENT`] bytes and a multiple of it long.

#[forbid(unsafe_code)]
mod front;
#[forbid(unsafe_code)]
pub(crate) mod host;
pub(crate) mod pool;

pub use pool::MemoryStats;

/// Alignment of every buffer: a cache line, and the widest vector of any instruction set.
pub const ALIGNMENT: usize = 64;
