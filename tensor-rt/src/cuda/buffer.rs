//! Buffers: memory of a device, and who uses it.
//!
//! A buffer knows the point of its last write and of the reads since. An operation that reads it comes after the write, one
//! that writes it after all of them. When the buffer is gone its memory returns to the pool together with its uses, and the
//! next owner inherits them: whatever it does first is a write, which waits for them as for its own.

use std::sync::{Mutex, MutexGuard, PoisonError};

use smallvec::SmallVec;

use super::context::Context;
use super::pool::{Block, Refused};
use super::stream::{Point, Stream};
use crate::error::{Error, Origin, Result};

/// Memory of a device, owned.
///
/// Invariant: the context's pool made the block, and nobody else has it.
#[derive(Debug)]
pub(crate) struct Buffer {
    context: &'static Context,
    block: Block,
    uses: Mutex<Uses>,
}

/// The points at which a buffer was last written, and read since.
#[derive(Clone, Default)]
pub(crate) struct Uses {
    writer: Option<Point>,
    /// At most one for each stream.
    readers: SmallVec<[Point; 2]>,
}

impl Buffer {
    /// Memory that is to be used on a stream first, with whatever was in it.
    pub fn stale(stream: &'static Stream, bytes: usize, origin: Origin) -> Result<Buffer> {
        let context = stream.context();
        context.check(origin)?;
        let (op, at) = (origin.op, origin.at);
        let (block, uses) = context.pool().take(stream, bytes, origin).map_err(|refused| match refused {
            Refused::Exhausted(exhausted) => Error::OutOfMemory {
                requested: bytes as u64,
                free: exhausted.free as u64,
                largest_block: exhausted.largest_block as u64,
                device: context.id(),
                op,
                at,
            },
            Refused::Failed(failure) => context.error(failure, origin),
        })?;
        Ok(Buffer { context, block, uses: Mutex::new(uses) })
    }

    /// The first byte on the device; 0 if there are none.
    pub fn address(&self) -> u64 {
        self.block.address()
    }

    pub fn bytes(&self) -> usize {
        self.block.bytes()
    }

    pub fn context(&self) -> &'static Context {
        self.context
    }

    pub(super) fn uses(&self) -> MutexGuard<'_, Uses> {
        // The uses are whole between statements.
        self.uses.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        let uses = std::mem::take(&mut *self.uses());
        self.context.pool().put(std::mem::take(&mut self.block), uses);
    }
}

impl Uses {
    pub fn writer(&self) -> Option<Point> {
        self.writer
    }

    /// The last write and the reads since.
    pub fn all(&self) -> SmallVec<[Point; 2]> {
        self.writer.into_iter().chain(self.readers.iter().copied()).collect()
    }

    /// True if all of them are on one stream, or done.
    pub fn are_on(&self, stream: &Stream) -> bool {
        self.all().iter().all(|point| point.stream == stream || point.is_done())
    }

    /// Notes a read.
    pub fn read(&mut self, point: Point) {
        match self.readers.iter_mut().find(|reader| reader.stream == point.stream) {
            Some(reader) => *reader = point,
            None => self.readers.push(point),
        }
    }

    /// Notes a write, which came after everything before.
    pub fn written(&mut self, point: Point) {
        self.writer = Some(point);
        self.readers.clear();
    }
}

impl std::fmt::Debug for Uses {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{} uses", self.all().len())
    }
}
