//! Races between streams: who touched which bytes of an allocation, and was it ordered?
//!
//! Operations run one after another here, in one of the orders that the API allows. What matters is not the order that
//! happened to be taken but whether another was possible: two accesses of the same bytes, at least one of them a
//! write, race unless the later one's clock knows the earlier one's position.
//!
//! Only accesses that can still race are kept: a write stands for everything that it knows and covers, and so does a
//! read for earlier reads.

use std::{collections::HashMap, fmt, ops::Range, sync::Arc};

use super::clock::{Clock, Position};

/// One access of a range of device addresses.
#[derive(Clone)]
pub(crate) struct Access {
    pub(crate) range: Range<u64>,
    pub(crate) position: Position,
    pub(crate) write: bool,
    /// What did it: ``kernel `f` ``, `copy to the host`.
    pub(crate) what: Arc<str>,
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = if self.write { "write" } else { "read" };
        write!(f, "{} ({kind}) on stream {}", self.what, self.position.stream.0)
    }
}

/// The accesses that can still race, by the start of their allocation.
#[derive(Default)]
pub(crate) struct AccessLog(HashMap<u64, Vec<Access>>);

impl AccessLog {
    /// Adds an access of the allocation that begins at `start`; gives those it races with.
    pub(crate) fn add(&mut self, start: u64, access: Access, clock: &Clock) -> Vec<Access> {
        let accesses = self.0.entry(start).or_default();
        let races = accesses
            .iter()
            .filter(|earlier| (earlier.write || access.write) && overlap(&earlier.range, &access.range))
            .filter(|earlier| !clock.knows(earlier.position))
            .cloned()
            .collect();
        accesses.retain(|earlier| {
            let replaced = covers(&access.range, &earlier.range)
                && clock.knows(earlier.position)
                && (access.write || !earlier.write);
            !replaced
        });
        accesses.push(access);
        races
    }

    /// The accesses of an allocation that `clock` does not know.
    pub(crate) fn unknown_to(&self, start: u64, clock: &Clock) -> Vec<Access> {
        let accesses = self.0.get(&start).into_iter().flatten();
        accesses.filter(|access| !clock.knows(access.position)).cloned().collect()
    }

    /// Forgets an allocation.
    pub(crate) fn forget(&mut self, start: u64) {
        self.0.remove(&start);
    }
}

fn overlap(left: &Range<u64>, right: &Range<u64>) -> bool {
    left.start < right.end && right.start < left.end
}

fn covers(outer: &Range<u64>, inner: &Range<u64>) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

#[cfg(test)]
mod tests {
    use super::{super::clock::StreamIndex, *};

    fn access(stream: u32, sequence: u64, range: Range<u64>, write: bool) -> Access {
        Access { range, position: Position { stream: StreamIndex(stream), sequence }, write, what: "kernel `f`".into() }
    }

    #[test]
    fn unordered_write_and_read_race_unless_the_reader_knows() {
        let mut log = AccessLog::default();
        let written = access(0, 1, 0..8, true);
        assert!(log.add(0, written.clone(), &Clock::default()).is_empty());
        assert_eq!(log.add(0, access(1, 1, 4..6, false), &Clock::default()).len(), 1);
        let mut clock = Clock::default();
        clock.observe(written.position);
        assert!(log.add(0, access(2, 1, 4..6, false), &clock).is_empty());
    }

    #[test]
    fn reads_and_disjoint_writes_do_not_race() {
        let mut log = AccessLog::default();
        for (stream, range, write) in [(0, 0..4, true), (1, 4..8, true), (2, 8..9, false), (3, 8..9, false)] {
            assert!(log.add(0, access(stream, 1, range, write), &Clock::default()).is_empty());
        }
    }

    #[test]
    fn a_covering_write_stands_for_what_it_knows() {
        let mut log = AccessLog::default();
        let mut clock = Clock::default();
        for sequence in 1..100 {
            let next = access(0, sequence, 0..8, true);
            assert!(log.add(0, next.clone(), &clock).is_empty());
            clock.observe(next.position);
        }
        assert_eq!(log.unknown_to(0, &Clock::default()).len(), 1);
    }

    #[test]
    fn a_covering_write_does_not_stand_for_what_it_does_not_know() {
        let mut log = AccessLog::default();
        let [first, second] = [0, 1].map(|stream| access(stream, 1, 0..8, true));
        log.add(0, first, &Clock::default());
        assert_eq!(log.add(0, second.clone(), &Clock::default()).len(), 1);
        let mut clock = Clock::default();
        clock.observe(second.position);
        assert_eq!(log.add(0, access(2, 1, 0..8, false), &clock).len(), 1, "ordered with the second write alone");
    }
}
