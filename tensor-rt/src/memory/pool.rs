//! The pool of the host's memory.

use std::alloc::Layout;
use std::collections::BTreeMap;
use std::num::NonZero;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::ALIGNMENT;
use super::front::Idle;

/// Cached bytes are kept up to the peak of live bytes, but at least this many.
const KEPT: usize = 256 << 20;

/// Alignment that the system's allocator gives for free. Asking for more would make it clear the memory by hand, while
/// fresh pages are zero already.
const SYSTEM_ALIGNMENT: usize = 16;

/// A piece of memory, owned.
///
/// Invariants: `pointer` is aligned to [`ALIGNMENT`] and the `bytes` bytes from it on are initialised. Unless `bytes` is 0
/// they lie in an allocation of the global allocator at `base` with the layout [`Block::layout`], which nothing else
/// refers to.
#[derive(Debug)]
pub(crate) struct Block {
    base: NonNull<u8>,
    pointer: NonNull<u8>,
    bytes: usize,
}

// SAFETY: a block owns its memory and gives no access to it but the address.
unsafe impl Send for Block {}
// SAFETY: as above; `&Block` only reads the address and the length.
unsafe impl Sync for Block {}

impl Block {
    /// A block of no bytes, which needs no memory.
    pub const fn empty() -> Block {
        // `ALIGNMENT` is not 0, and an address equal to its alignment is aligned.
        let pointer = NonNull::without_provenance(NonZero::new(ALIGNMENT).unwrap());
        Block { base: pointer, pointer, bytes: 0 }
    }

    pub fn pointer(&self) -> NonNull<u8> {
        self.pointer
    }

    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Room to start the block at an aligned address, whatever the system's address.
    fn layout(bytes: usize) -> Option<Layout> {
        Layout::from_size_align(bytes.checked_add(ALIGNMENT)?, SYSTEM_ALIGNMENT).ok()
    }

    /// Fresh memory from the system, zero; `bytes` is a positive multiple of [`ALIGNMENT`].
    fn allocate(bytes: usize) -> Option<Block> {
        // SAFETY: the layout has a size above zero.
        let base = NonNull::new(unsafe { std::alloc::alloc_zeroed(Block::layout(bytes)?) })?;
        let padding = base.addr().get().next_multiple_of(ALIGNMENT) - base.addr().get();
        // SAFETY: the padding is less than `ALIGNMENT`, by which the allocation is longer than the block.
        let pointer = unsafe { base.add(padding) };
        Some(Block { base, pointer, bytes })
    }

    /// Gives the memory back to the system.
    fn release(self) {
        if self.bytes == 0 {
            return;
        }
        let layout = Block::layout(self.bytes).expect("the layout was valid when it was allocated");
        // SAFETY: by the invariant the memory came from the global allocator with this layout and nothing refers to it.
        unsafe { std::alloc::dealloc(self.base.as_ptr(), layout) }
    }
}

/// What a pool holds, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct MemoryStats {
    /// In use by tensors.
    pub live: usize,
    /// The highest value of `live` so far, seen whenever a block comes from the pool that threads share; the small
    /// blocks that a thread passes from tensor to tensor meanwhile are a fraction of a mebibyte.
    pub peak: usize,
    /// Kept for reuse.
    pub cached: usize,
    /// The bound on live and cached bytes together.
    pub cap: usize,
    /// Buffers in use.
    pub buffers: usize,
    /// Buffers that were served from the cache.
    pub reused: u64,
    /// Buffers that came fresh from the system.
    pub fresh: u64,
}

/// Why a pool could not serve a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Exhausted {
    /// Bytes below the cap that are not in use.
    pub free: usize,
    /// The largest cached block; the whole of `free` if nothing is cached.
    pub largest_block: usize,
}

/// Buffers by size.
pub(crate) struct Pool {
    state: Mutex<State>,
}

struct State {
    cached: BTreeMap<usize, Vec<Block>>,
    /// Of the pool alone: blocks that idle in the front of a thread count as live here.
    stats: MemoryStats,
    /// What idles in the fronts of threads.
    fronts: Vec<Arc<Idle>>,
}

impl Pool {
    pub const fn with_cap(cap: usize) -> Pool {
        let stats = MemoryStats { live: 0, peak: 0, cached: 0, cap, buffers: 0, reused: 0, fresh: 0 };
        Pool { state: Mutex::new(State { cached: BTreeMap::new(), stats, fronts: Vec::new() }) }
    }

    /// A block of at least `bytes` bytes, initialised with whatever was in it.
    pub fn take(&self, bytes: usize) -> Result<Block, Exhausted> {
        if bytes == 0 {
            return Ok(Block::empty());
        }
        let mut state = self.lock();
        let Some(rounded) = rounded(bytes) else {
            return Err(state.exhausted());
        };
        if let Some(block) = state.take_cached(rounded) {
            return Ok(block);
        }
        if let Some(block) = state.take_fresh(rounded) {
            return Ok(block);
        }
        let exhausted = state.exhausted();
        state.release_cached();
        // Near the cap the block is not rounded up: a request that fits must not fail for its rounding.
        let exact = bytes.next_multiple_of(ALIGNMENT);
        state.take_fresh(rounded).or_else(|| state.take_fresh(exact)).ok_or(exhausted)
    }

    /// Takes a block back.
    pub fn put(&self, block: Block) {
        if block.bytes == 0 {
            return;
        }
        self.lock().put(block);
    }

    pub fn stats(&self) -> MemoryStats {
        self.lock().stats()
    }

    /// Counts what idles in the front of a thread.
    pub(super) fn add_front(&self, idle: Arc<Idle>) {
        self.lock().fronts.push(idle);
    }

    /// Forgets the front of a thread that ended; it is empty.
    pub(super) fn remove_front(&self, idle: &Arc<Idle>) {
        let mut state = self.lock();
        state.fronts.retain(|front| !Arc::ptr_eq(front, idle));
        state.stats.reused += idle.reused();
    }

    /// Changes the cap; what is in use stays in use even above it.
    pub fn set_cap(&self, cap: usize) {
        let mut state = self.lock();
        state.stats.cap = cap;
        if state.stats.live + state.stats.cached > cap {
            state.release_cached();
        }
    }

    /// Gives all cached blocks back to the system.
    pub fn release_cached(&self) {
        self.lock().release_cached();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // The state is whole between statements, so a panic elsewhere while it was locked does not spoil it.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// A cached block of `bytes` or at most an eighth more.
    fn take_cached(&mut self, bytes: usize) -> Option<Block> {
        let mut sizes = self.cached.range_mut(bytes..=bytes + bytes / 8);
        let block = sizes.find_map(|(_, blocks)| blocks.pop())?;
        self.stats.cached -= block.bytes;
        self.stats.reused += 1;
        self.count_live(&block);
        Some(block)
    }

    fn take_fresh(&mut self, bytes: usize) -> Option<Block> {
        let reserved = self.stats.live.checked_add(self.stats.cached)?.checked_add(bytes)?;
        if reserved > self.stats.cap {
            return None;
        }
        let block = Block::allocate(bytes)?;
        self.stats.fresh += 1;
        self.count_live(&block);
        Some(block)
    }

    fn count_live(&mut self, block: &Block) {
        self.stats.buffers += 1;
        self.stats.live += block.bytes;
        self.stats.peak = self.stats().peak;
    }

    /// The statistics, fronts included.
    fn stats(&self) -> MemoryStats {
        let mut stats = self.stats;
        for idle in &self.fronts {
            // A block is taken out of these sums before it is returned to the pool, so they are never too high.
            stats.live -= idle.bytes();
            stats.cached += idle.bytes();
            stats.buffers -= idle.buffers();
            stats.reused += idle.reused();
        }
        stats.peak = stats.peak.max(stats.live);
        stats
    }

    fn put(&mut self, block: Block) {
        self.stats.buffers -= 1;
        self.stats.live -= block.bytes;
        let kept = self.stats.cached + block.bytes;
        if kept > self.stats.peak.max(KEPT) || self.stats.live + kept > self.stats.cap {
            return block.release();
        }
        self.stats.cached = kept;
        self.cached.entry(block.bytes).or_default().push(block);
    }

    fn release_cached(&mut self) {
        for block in std::mem::take(&mut self.cached).into_values().flatten() {
            block.release();
        }
        self.stats.cached = 0;
    }

    fn exhausted(&self) -> Exhausted {
        let free = self.stats.cap.saturating_sub(self.stats().live);
        let largest = self.cached.iter().rev().find(|(_, blocks)| !blocks.is_empty()).map(|(bytes, _)| *bytes);
        Exhausted { free, largest_block: largest.unwrap_or(free) }
    }
}

impl Drop for State {
    fn drop(&mut self) {
        self.release_cached();
    }
}

/// The size of the block for a request: a multiple of [`ALIGNMENT`], and above 512 bytes one of eight sizes between two
/// powers of two, so that requests of nearly one size share blocks. `None` if that is not a size.
pub(crate) fn rounded(bytes: usize) -> Option<usize> {
    let step = (bytes.checked_next_power_of_two()? / 16).max(ALIGNMENT);
    bytes.checked_next_multiple_of(step)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: usize = 1 << 20;

    #[test]
    fn freed_block_is_reused() {
        let pool = Pool::with_cap(usize::MAX);
        let block = pool.take(1000).unwrap();
        let address = block.pointer();
        pool.put(block);
        let block = pool.take(990).unwrap();
        assert_eq!(block.pointer(), address);
        assert_eq!((pool.stats().reused, pool.stats().fresh), (1, 1));
        pool.put(block);
    }

    #[test]
    fn blocks_are_aligned_and_long_enough() {
        let pool = Pool::with_cap(usize::MAX);
        for bytes in [1, 63, 64, 65, 511, 513, 4095, 4097, 100_000, 3 * MIB + 1] {
            let block = pool.take(bytes).unwrap();
            assert_eq!(block.pointer().as_ptr().addr() % ALIGNMENT, 0);
            assert!(block.bytes() >= bytes && block.bytes() <= bytes + bytes / 8 + ALIGNMENT);
            pool.put(block);
        }
    }

    #[test]
    fn no_bytes_need_no_memory() {
        let pool = Pool::with_cap(0);
        let block = pool.take(0).unwrap();
        assert_eq!(block.pointer().as_ptr().addr() % ALIGNMENT, 0);
        pool.put(block);
        assert_eq!(pool.stats().buffers, 0);
    }

    /// Case D1: free memory in blocks that are too small is given back before the request fails.
    #[test]
    fn cached_blocks_are_released_before_a_request_fails() {
        let pool = Pool::with_cap(100 * MIB);
        let mut blocks: Vec<_> = (0..100).map(|_| Some(pool.take(MIB).unwrap())).collect();
        assert_eq!(pool.take(2 * MIB).unwrap_err(), Exhausted { free: 0, largest_block: 0 });
        for block in blocks.iter_mut().step_by(2) {
            pool.put(block.take().unwrap());
        }
        let block = pool.take(2 * MIB).unwrap();
        assert_eq!(pool.take(60 * MIB).unwrap_err(), Exhausted { free: 48 * MIB, largest_block: 48 * MIB });
        pool.put(block);
        for block in blocks.into_iter().flatten() {
            pool.put(block);
        }
        assert_eq!(pool.stats().live, 0);
        pool.put(pool.take(90 * MIB).unwrap());
        // 97 MiB would be rounded to 104.
        pool.put(pool.take(97 * MIB).unwrap());
    }

    /// Case D3.
    #[test]
    fn request_that_no_pool_can_serve_is_an_error() {
        let pool = Pool::with_cap(usize::MAX);
        assert!(pool.take(1 << 50).is_err());
        assert!(pool.take(usize::MAX).is_err());
        assert!(pool.take(isize::MAX as usize).is_err());
        pool.put(pool.take(4).unwrap());
    }
}
