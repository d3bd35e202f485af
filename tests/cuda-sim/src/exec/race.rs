//! Races: two accesses of one word, one of them a plain write or against one, that nothing orders.
//!
//! Between blocks, nothing orders but atomics: a block that does an atomic on a word after a fence releases what it did,
//! and a block that does a later atomic on that word comes after it. Between warps of a block, barriers order: each
//! barrier of the whole block begins a new epoch, and accesses of different epochs do not race. Two atomics never race.
//!
//! One writer and two readers are remembered for each word of 4 bytes, which finds a race that exists between any
//! neighbouring accesses of the executed order; bytes of one word written by two warps or blocks count as one word.

use std::collections::{HashMap, HashSet};

use crate::fault::Access;

/// The last accesses of one word. Parties are counted from 1; 0 is nobody.
#[derive(Clone, Copy, Default)]
struct Word {
    writer: u32,
    writer_epoch: u32,
    writer_was_atomic: bool,
    reader: u32,
    reader_epoch: u32,
    /// The last reader that was another one than `reader`, of the same epoch.
    earlier_reader: u32,
}

/// An access that nothing orders with one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Race {
    pub before: Access,
    /// The block or warp that did it.
    pub other: u32,
}

impl Word {
    /// Notes an access and gives the race that it completes, if any. `ordered` tells whether everything that another
    /// party did so far comes before this access.
    fn access(&mut self, access: Access, party: u32, epoch: u32, ordered: impl Fn(u32) -> bool) -> Option<Race> {
        let me = party + 1;
        let concurrent =
            |other: u32, other_epoch: u32| other != 0 && other != me && other_epoch == epoch && !ordered(other - 1);
        let after_writer = concurrent(self.writer, self.writer_epoch);
        let both_atomic = self.writer_was_atomic && access == Access::Atomic;
        if after_writer && !both_atomic {
            let before = if self.writer_was_atomic { Access::Atomic } else { Access::Write };
            return Some(Race { before, other: self.writer - 1 });
        }
        if access == Access::Read {
            if self.reader_epoch != epoch {
                (self.reader, self.earlier_reader, self.reader_epoch) = (0, 0, epoch);
            }
            if self.reader != me {
                (self.earlier_reader, self.reader) = (self.reader, me);
            }
            return None;
        }
        let earlier = if self.reader == me { self.earlier_reader } else { self.reader };
        if concurrent(earlier, self.reader_epoch) {
            return Some(Race { before: Access::Read, other: earlier - 1 });
        }
        (self.writer, self.writer_epoch, self.writer_was_atomic) = (me, epoch, access == Access::Atomic);
        None
    }
}

/// Accesses of global memory by the blocks of one launch.
#[derive(Default)]
pub(crate) struct BlockRaces {
    /// Words by the start of their allocation.
    words: HashMap<u64, Vec<Word>>,
    /// Blocks that released by an atomic at an address.
    released: HashMap<u64, Vec<u32>>,
    /// Blocks that the running block comes after.
    acquired: HashSet<u32>,
    block: u32,
    /// The running block has executed a fence, so that its next atomic releases.
    fenced: bool,
}

impl BlockRaces {
    pub(super) fn begin_block(&mut self, block: u32) {
        self.block = block;
        self.acquired.clear();
        self.fenced = false;
    }

    pub(super) fn fence(&mut self) {
        self.fenced = true;
    }

    /// Notes an access of `size` bytes at an offset of the allocation of `len` bytes that begins at `start`.
    pub(super) fn access(
        &mut self,
        start: u64,
        len: usize,
        offset: usize,
        size: usize,
        access: Access,
    ) -> Option<Race> {
        if access == Access::Atomic {
            let released = self.released.entry(start + offset as u64).or_default();
            self.acquired.extend(released.iter().copied());
            if self.fenced && released.last() != Some(&self.block) {
                released.push(self.block);
            }
        }
        let words = self.words.entry(start).or_insert_with(|| vec![Word::default(); len.div_ceil(4)]);
        let acquired = &self.acquired;
        (offset / 4..(offset + size).div_ceil(4))
            .find_map(|word| words[word].access(access, self.block, 0, |other| acquired.contains(&other)))
    }
}

/// Accesses of shared memory by the warps of one block.
#[derive(Default)]
pub(crate) struct WarpRaces {
    words: Vec<Word>,
    epoch: u32,
}

impl WarpRaces {
    /// A barrier of the whole block, or a new block.
    pub(super) fn next_epoch(&mut self) {
        self.epoch += 1;
    }

    pub(super) fn access(&mut self, offset: usize, size: usize, access: Access, warp: u32) -> Option<Race> {
        let end = (offset + size).div_ceil(4);
        if self.words.len() < end {
            self.words.resize(end, Word::default());
        }
        (offset / 4..end).find_map(|word| self.words[word].access(access, warp, self.epoch, |_| false))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(accesses: &[(u32, Access)]) -> Option<Race> {
        let mut races = BlockRaces::default();
        accesses.iter().find_map(|&(block, access)| {
            races.begin_block(block);
            races.access(1 << 40, 64, 8, 4, access)
        })
    }

    #[test]
    fn reads_do_not_race_and_neither_do_atomics() {
        assert_eq!(blocks(&[(0, Access::Read), (1, Access::Read), (2, Access::Read)]), None);
        assert_eq!(blocks(&[(0, Access::Atomic), (1, Access::Atomic), (0, Access::Atomic)]), None);
        assert_eq!(blocks(&[(0, Access::Write), (0, Access::Read), (0, Access::Write)]), None);
    }

    #[test]
    fn a_write_races_with_every_other_access() {
        let race = |before, other| Some(Race { before, other });
        assert_eq!(blocks(&[(0, Access::Write), (1, Access::Read)]), race(Access::Write, 0));
        assert_eq!(blocks(&[(3, Access::Read), (1, Access::Write)]), race(Access::Read, 3));
        assert_eq!(blocks(&[(0, Access::Write), (1, Access::Write)]), race(Access::Write, 0));
        assert_eq!(blocks(&[(0, Access::Write), (1, Access::Atomic)]), race(Access::Write, 0));
        assert_eq!(blocks(&[(0, Access::Atomic), (1, Access::Write)]), race(Access::Atomic, 0));
        assert_eq!(blocks(&[(0, Access::Read), (1, Access::Read), (1, Access::Write)]), race(Access::Read, 0));
    }

    #[test]
    fn a_fence_and_an_atomic_order_blocks() {
        let mut races = BlockRaces::default();
        races.begin_block(0);
        assert_eq!(races.access(1 << 40, 64, 0, 4, Access::Write), None);
        races.fence();
        assert_eq!(races.access(1 << 40, 64, 8, 4, Access::Atomic), None);
        races.begin_block(1);
        assert_eq!(races.access(1 << 40, 64, 8, 4, Access::Atomic), None);
        assert_eq!(races.access(1 << 40, 64, 0, 4, Access::Read), None);
        races.begin_block(2);
        assert!(races.access(1 << 40, 64, 0, 4, Access::Read).is_some());
    }

    #[test]
    fn a_barrier_orders_warps() {
        let mut races = WarpRaces::default();
        assert_eq!(races.access(4, 4, Access::Write, 0), None);
        assert!(races.access(4, 1, Access::Read, 1).is_some());
        races.next_epoch();
        assert_eq!(races.access(4, 4, Access::Read, 1), None);
    }
}
