//! Staging memory of a thread.
//!
//! Invariant: memory that [`Scratch::take`] gave stays valid and is given to nobody else until the scratch is dropped; a
//! dropped scratch leaves its memory to the next one of the same thread.

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::cell::RefCell;
use std::ptr::NonNull;

/// Bytes of a chunk.
const CHUNK: usize = 256 << 10;
/// A cache line, and the widest vector.
const ALIGN: usize = 64;

thread_local! {
    static IDLE: RefCell<Vec<Vec<Chunk>>> = const { RefCell::new(Vec::new()) };
}

/// A bump allocator over chunks that its thread keeps.
pub(super) struct Scratch {
    chunks: Vec<Chunk>,
    /// The chunk in use and the first free byte in it.
    chunk: usize,
    offset: usize,
}

struct Chunk {
    pointer: NonNull<u8>,
    layout: Layout,
}

impl Scratch {
    /// An empty scratch.
    pub fn acquire() -> Self {
        let chunks = IDLE.with_borrow_mut(Vec::pop).unwrap_or_default();
        Self { chunks, chunk: 0, offset: 0 }
    }

    /// `bytes` of initialised memory on a cache line.
    pub fn take(&mut self, bytes: usize) -> *mut u8 {
        // One more line between neighbors: buffers a page apart would alias in the load and store queues.
        let room = bytes.next_multiple_of(ALIGN) + ALIGN;
        while self.chunk < self.chunks.len() {
            let chunk = &self.chunks[self.chunk];
            if self.offset + room <= chunk.layout.size() {
                // SAFETY: `offset + room` is within the chunk's allocation.
                let pointer = unsafe { chunk.pointer.as_ptr().add(self.offset) };
                self.offset += room;
                return pointer;
            }
            self.chunk += 1;
            self.offset = 0;
        }
        self.chunks.push(Chunk::new(room.max(CHUNK)));
        self.take(bytes)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let chunks = std::mem::take(&mut self.chunks);
        // A thread that is going away frees its memory instead.
        let _ = IDLE.try_with(|idle| idle.borrow_mut().push(chunks));
    }
}

impl Chunk {
    fn new(size: usize) -> Self {
        let layout = Layout::from_size_align(size, ALIGN).expect("bug: a staging buffer larger than memory");
        // SAFETY: `size` is not 0.
        let pointer = unsafe { alloc_zeroed(layout) };
        match NonNull::new(pointer) {
            Some(pointer) => Self { pointer, layout },
            None => handle_alloc_error(layout),
        }
    }
}

impl Drop for Chunk {
    fn drop(&mut self) {
        // SAFETY: `pointer` was allocated with `layout` in `new`, and this is its only owner.
        unsafe { dealloc(self.pointer.as_ptr(), self.layout) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_are_disjoint_aligned_and_reused() {
        let mut scratch = Scratch::acquire();
        let first = scratch.take(10) as usize;
        let second = scratch.take(CHUNK) as usize;
        let third = scratch.take(100) as usize;
        assert!(first.is_multiple_of(ALIGN) && second.is_multiple_of(ALIGN) && third.is_multiple_of(ALIGN));
        assert!(first + 10 <= second || second + CHUNK <= first);
        drop(scratch);
        assert_eq!(Scratch::acquire().take(5) as usize, first);
    }
}
