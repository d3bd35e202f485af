//! The pool of a device's memory.
//!
//! Like the [pool of the host](crate::memory::pool): blocks by size, kept for reuse, under a cap on live and cached bytes
//! together. A block that comes back may still be in use on the device, so it is kept with its uses. A request takes, in
//! this order: a cached block whose uses are all on the stream that asks, or done, which costs nothing; fresh memory; a
//! cached block that another stream may be using, whose uses the new owner then waits for on the device; and once
//! everything cached was given back to the driver, fresh memory again.
//!
//! Invariant: memory is given back to the driver only when the host has seen its uses done.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::buffer::Uses;
use super::context::Context;
use super::driver::{self, Failure, Status};
use super::stream::Stream;
use crate::accounting;
use crate::error::Origin;
use crate::memory::MemoryStats;
use crate::memory::pool::{Exhausted, rounded};

/// A piece of a device's memory, owned; its address is that of a whole allocation of the driver, or 0 with no bytes.
#[derive(Debug, Default)]
pub(super) struct Block {
    address: u64,
    bytes: usize,
}

/// Why a request was not served.
pub(super) enum Refused {
    /// The device or the cap has no room.
    Exhausted(Exhausted),
    /// The driver failed otherwise.
    Failed(Failure),
}

impl From<Failure> for Refused {
    fn from(failure: Failure) -> Self {
        Refused::Failed(failure)
    }
}

/// Blocks by size.
pub(crate) struct Pool {
    state: Mutex<State>,
}

struct State {
    cached: BTreeMap<usize, Vec<(Block, Uses)>>,
    stats: MemoryStats,
}

impl Block {
    pub fn address(&self) -> u64 {
        self.address
    }

    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

impl Pool {
    pub(super) fn with_cap(cap: usize) -> Pool {
        Pool {
            state: Mutex::new(State { cached: BTreeMap::new(), stats: MemoryStats { cap, ..MemoryStats::default() } }),
        }
    }

    /// A block of at least `bytes` bytes for use on `stream`, with the uses that its first write has to wait for.
    pub(super) fn take(&self, stream: &'static Stream, bytes: usize, origin: Origin) -> Result<(Block, Uses), Refused> {
        if bytes == 0 {
            return Ok((Block::default(), Uses::default()));
        }
        let context = stream.context();
        let mut state = self.lock();
        let Some(rounded) = rounded(bytes) else {
            return Err(Refused::Exhausted(state.exhausted()));
        };
        if let Some(found) = state.take_cached(rounded, |uses| uses.are_on(stream)) {
            return Ok(found);
        }
        if let Some(block) = state.take_fresh(context, rounded, origin)? {
            return Ok((block, Uses::default()));
        }
        if let Some(found) = state.take_cached(rounded, |_| true) {
            return Ok(found);
        }
        let exhausted = state.exhausted();
        state.release_cached(context)?;
        // Near the cap the block is not rounded up: a request that fits must not fail for its rounding.
        for size in [rounded, bytes.next_multiple_of(crate::memory::ALIGNMENT)] {
            if let Some(block) = state.take_fresh(context, size, origin)? {
                return Ok((block, Uses::default()));
            }
        }
        Err(Refused::Exhausted(exhausted))
    }

    /// Takes a block back with its uses.
    pub(super) fn put(&self, block: Block, uses: Uses) {
        if block.bytes == 0 {
            return;
        }
        let mut state = self.lock();
        state.stats.buffers -= 1;
        state.stats.live -= block.bytes;
        state.stats.cached += block.bytes;
        state.cached.entry(block.bytes).or_default().push((block, uses));
    }

    pub fn stats(&self) -> MemoryStats {
        self.lock().stats
    }

    /// Changes the cap; what is in use stays in use even above it.
    pub fn set_cap(&self, context: &'static Context, cap: usize) -> Result<(), Failure> {
        let mut state = self.lock();
        state.stats.cap = cap;
        if state.stats.live + state.stats.cached > cap { state.release_cached(context) } else { Ok(()) }
    }

    /// Gives everything cached back to the driver.
    pub fn release_cached(&self, context: &'static Context) -> Result<(), Failure> {
        self.lock().release_cached(context)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // The state is whole between statements.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// A cached block of `bytes` or at most an eighth more, with uses that are `wanted`.
    fn take_cached(&mut self, bytes: usize, wanted: impl Fn(&Uses) -> bool) -> Option<(Block, Uses)> {
        let sizes = self.cached.range_mut(bytes..=bytes.saturating_add(bytes / 8));
        let (block, uses) = sizes.into_iter().find_map(|(_, blocks)| {
            let position = blocks.iter().rposition(|(_, uses)| wanted(uses))?;
            Some(blocks.swap_remove(position))
        })?;
        self.stats.cached -= block.bytes;
        self.stats.reused += 1;
        self.count_live(&block);
        Some((block, uses))
    }

    fn take_fresh(
        &mut self,
        context: &'static Context,
        bytes: usize,
        origin: Origin,
    ) -> Result<Option<Block>, Failure> {
        let reserved = self.stats.live.checked_add(self.stats.cached).and_then(|sum| sum.checked_add(bytes));
        if reserved.is_none_or(|reserved| reserved > self.stats.cap) {
            return Ok(None);
        }
        context.bind()?;
        let mut address = 0;
        // SAFETY: the address of a local; the context is bound.
        match unsafe { driver::allocate(&raw mut address, bytes) } {
            Ok(()) => {}
            Err(failure) if failure.status() == Some(Status::OUT_OF_MEMORY) => return Ok(None),
            Err(failure) => return Err(failure),
        }
        let block = Block { address, bytes };
        accounting::driver_allocation(origin.at);
        self.stats.fresh += 1;
        self.count_live(&block);
        Ok(Some(block))
    }

    fn count_live(&mut self, block: &Block) {
        self.stats.buffers += 1;
        self.stats.live += block.bytes;
        self.stats.peak = self.stats.peak.max(self.stats.live);
    }

    fn release_cached(&mut self, context: &'static Context) -> Result<(), Failure> {
        let cached = std::mem::take(&mut self.cached);
        self.stats.cached = 0;
        for (block, uses) in cached.into_values().flatten() {
            uses.all().into_iter().try_for_each(|point| point.wait())?;
            context.bind()?;
            // SAFETY: the driver gave this address, nobody owns it (it was cached), and all its uses are done.
            unsafe { driver::free(block.address)? };
        }
        Ok(())
    }

    fn exhausted(&self) -> Exhausted {
        let free = self.stats.cap.saturating_sub(self.stats.live);
        let largest = self.cached.iter().rev().find(|(_, blocks)| !blocks.is_empty()).map(|(bytes, _)| *bytes);
        Exhausted { free, largest_block: largest.unwrap_or(free) }
    }
}
