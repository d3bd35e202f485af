//! The front of a pool on one thread: small blocks that go from tensor to tensor without a lock.
//!
//! A small block that a tensor gives up *idles* in the front of the thread that dropped it, and the next small request of
//! that thread takes it. To the pool it never came back: it counts as reserved, so that the cap holds, and only the
//! statistics tell it from a block in use. A front is bounded, and empties itself into the pool when its thread ends.
//!
//! Invariants: only the thread of a front writes its [`Idle`] counts; a block leaves the counts before it is returned to
//! the pool.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use super::ALIGNMENT;
use super::pool::{Block, Exhausted, Pool, rounded};

/// The largest block that a front keeps.
const LARGEST: usize = 16 << 10;
/// The bytes that a front keeps.
const KEPT: usize = 256 << 10;

/// The small blocks of one thread.
pub(super) struct Front {
    pool: &'static Pool,
    /// By size in units of [`ALIGNMENT`].
    blocks: Vec<Vec<Block>>,
    idle: Arc<Idle>,
}

/// What idles in a front.
#[derive(Debug, Default)]
pub(super) struct Idle {
    bytes: AtomicUsize,
    buffers: AtomicUsize,
    /// Requests that were served so far.
    reused: AtomicU64,
}

impl Front {
    pub fn of(pool: &'static Pool) -> Front {
        let idle = Arc::<Idle>::default();
        pool.add_front(idle.clone());
        Front { pool, blocks: (0..=LARGEST / ALIGNMENT).map(|_| Vec::new()).collect(), idle }
    }

    /// A block of at least `bytes` bytes, initialised with whatever was in it.
    pub fn take(&mut self, bytes: usize) -> Result<Block, Exhausted> {
        if let Some(block) = self.reuse(bytes) {
            return Ok(block);
        }
        self.pool.take(bytes).or_else(|exhausted| match self.idle.bytes() {
            0 => Err(exhausted),
            _ => {
                self.release();
                self.pool.take(bytes)
            }
        })
    }

    /// Takes a block back.
    pub fn put(&mut self, block: Block) {
        let bytes = block.bytes();
        let idle = self.idle.bytes() + bytes;
        if bytes > LARGEST || bytes == 0 || idle > KEPT {
            return self.pool.put(block);
        }
        self.blocks[bytes / ALIGNMENT].push(block);
        self.idle.set(idle, self.idle.buffers() + 1);
    }

    /// Returns all blocks to the pool.
    pub fn release(&mut self) {
        self.idle.set(0, 0);
        for block in self.blocks.iter_mut().flat_map(|blocks| blocks.drain(..)) {
            self.pool.put(block);
        }
    }

    fn reuse(&mut self, bytes: usize) -> Option<Block> {
        let block = self.blocks.get_mut(rounded(bytes)? / ALIGNMENT)?.pop()?;
        self.idle.set(self.idle.bytes() - block.bytes(), self.idle.buffers() - 1);
        self.idle.reused.store(self.idle.reused() + 1, Ordering::Relaxed);
        Some(block)
    }
}

impl Drop for Front {
    fn drop(&mut self) {
        self.release();
        self.pool.remove_front(&self.idle);
    }
}

impl Idle {
    pub fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    pub fn buffers(&self) -> usize {
        self.buffers.load(Ordering::Relaxed)
    }

    pub fn reused(&self) -> u64 {
        self.reused.load(Ordering::Relaxed)
    }

    fn set(&self, bytes: usize, buffers: usize) {
        self.bytes.store(bytes, Ordering::Relaxed);
        self.buffers.store(buffers, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pool(cap: usize) -> &'static Pool {
        Box::leak(Box::new(Pool::with_cap(cap)))
    }

    #[test]
    fn idle_blocks_are_cached_to_the_statistics() {
        let pool = pool(usize::MAX);
        let mut front = Front::of(pool);
        let blocks = [front.take(60).unwrap(), front.take(1000).unwrap()];
        assert_eq!((pool.stats().live, pool.stats().cached, pool.stats().buffers), (64 + 1024, 0, 2));
        let address = blocks[1].pointer();
        blocks.into_iter().for_each(|block| front.put(block));
        assert_eq!((pool.stats().live, pool.stats().cached, pool.stats().buffers), (0, 64 + 1024, 0));
        let block = front.take(1020).unwrap();
        assert_eq!(block.pointer(), address);
        let stats = pool.stats();
        assert_eq!((stats.live, stats.cached, stats.reused, stats.fresh, stats.peak), (1024, 64, 1, 2, 64 + 1024));
        front.put(block);
    }

    #[test]
    fn a_front_is_bounded_and_ends_empty() {
        let pool = pool(usize::MAX);
        let mut front = Front::of(pool);
        let blocks: Vec<_> = (0..KEPT / 1024 + 10).map(|_| front.take(1024).unwrap()).collect();
        blocks.into_iter().for_each(|block| front.put(block));
        assert_eq!((front.idle.bytes(), pool.stats().cached), (KEPT, KEPT + 10 * 1024));
        let large = front.take(LARGEST + 1).unwrap();
        let bytes = large.bytes();
        front.put(large);
        assert_eq!((front.idle.bytes(), pool.stats().cached), (KEPT, KEPT + 10 * 1024 + bytes));
        let stats = pool.stats();
        drop(front);
        assert_eq!(pool.stats(), stats);
        pool.release_cached();
        assert_eq!(pool.stats().cached, 0);
    }

    #[test]
    fn idle_blocks_make_room_for_a_request_that_needs_it() {
        let pool = pool(4096);
        let mut front = Front::of(pool);
        let blocks: Vec<_> = (0..4).map(|_| front.take(1024).unwrap()).collect();
        assert_eq!(front.take(64).unwrap_err(), Exhausted { free: 0, largest_block: 0 });
        blocks.into_iter().for_each(|block| front.put(block));
        let block = front.take(4096).unwrap();
        assert_eq!(front.take(64).unwrap_err(), Exhausted { free: 0, largest_block: 0 });
        front.put(block);
    }

    #[test]
    fn blocks_may_be_dropped_on_another_thread() {
        let pool = pool(usize::MAX);
        let mut front = Front::of(pool);
        let blocks: Vec<_> = (0..8).map(|_| front.take(256).unwrap()).collect();
        let other = || {
            let mut front = Front::of(pool);
            blocks.into_iter().for_each(|block| front.put(block));
            assert_eq!((pool.stats().live, pool.stats().cached), (0, 8 * 256));
        };
        std::thread::scope(|scope| scope.spawn(other).join()).unwrap();
        let stats = pool.stats();
        assert_eq!((stats.live, stats.cached, stats.buffers, stats.fresh), (0, 8 * 256, 0, 8));
    }
}
