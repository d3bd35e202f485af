//! Vector clocks: which operation is known to come before which.
//!
//! Every stream counts its operations; a *position* is one operation of one stream. A *clock* holds, for every
//! stream, the last position that has happened before. An operation's clock is known as soon as it is enqueued: it
//! joins the clock of the operation before it on the stream, that of the host at that moment, and those of the
//! events the stream waits for. The host is one clock for all its threads: what one thread has waited for, the
//! others are taken to know, since their own synchronization cannot be seen from here.
//!
//! Invariant: indices of streams are never reused, so that a clock stays meaningful after a stream is destroyed.

/// The index of a stream in every clock.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct StreamIndex(pub(crate) u32);

/// The `sequence`-th operation of a stream; the first is 1, and 0 is before all of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Position {
    pub(crate) stream: StreamIndex,
    pub(crate) sequence: u64,
}

/// The last position of every stream that has happened before.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Clock(Vec<u64>);

impl Clock {
    /// Does `position` come before (or is it) what this clock belongs to?
    pub(crate) fn knows(&self, position: Position) -> bool {
        self.0.get(position.stream.0 as usize).copied().unwrap_or(0) >= position.sequence
    }

    /// Takes in all that `other` knows.
    pub(crate) fn join(&mut self, other: &Clock) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            *mine = (*mine).max(*theirs);
        }
    }

    /// Takes in one position alone.
    pub(crate) fn observe(&mut self, position: Position) {
        let index = position.stream.0 as usize;
        if self.0.len() <= index {
            self.0.resize(index + 1, 0);
        }
        self.0[index] = self.0[index].max(position.sequence);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(stream: u32, sequence: u64) -> Position {
        Position { stream: StreamIndex(stream), sequence }
    }

    #[test]
    fn a_clock_knows_what_it_has_joined() {
        let mut first = Clock::default();
        first.observe(at(0, 3));
        let mut second = Clock::default();
        second.observe(at(2, 1));
        assert!(!second.knows(at(0, 1)), "nothing has ordered the streams yet");
        second.join(&first);
        assert!(second.knows(at(0, 3)) && second.knows(at(2, 1)));
        assert!(!second.knows(at(0, 4)), "what stream 0 does later is not known");
    }

    #[test]
    fn position_zero_is_before_everything() {
        assert!(Clock::default().knows(at(7, 0)));
    }
}
