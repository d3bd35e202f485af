//! Blocks made of lines.
//!
//! A *line* is a run of points of a block along which some values of a pass are the same: those of a row, say, for which a
//! mean is. A body that reads such values goes over the lines of its block, evaluates what is the same once, and then goes
//! over the points. Where an engine's blocks are not made of lines, the whole block is one line whose points have values of
//! their own; the same text serves both ([`LineValues`]).
//!
//! Invariant: the lines of a block have one length and partition it in order.

use super::block::{Block, Slot};
use crate::element::Element;

mod sealed {
    pub trait Sealed {}
}

/// Whose the line values of a block are.
pub trait LineValues: sealed::Sealed {
    /// True if all points of a line share one.
    const SHARED: bool;
}

/// One for each line.
pub struct Shared;

/// One for each point.
pub struct Own;

impl sealed::Sealed for Shared {}
impl sealed::Sealed for Own {}

impl LineValues for Shared {
    const SHARED: bool = true;
}

impl LineValues for Own {
    const SHARED: bool = false;
}

/// A line of a block.
pub struct Line<L> {
    number: usize,
    len: usize,
    values: std::marker::PhantomData<L>,
}

impl Block<'_> {
    /// True if the block is made of lines.
    #[inline(always)]
    pub(crate) fn has_lines(&self) -> bool {
        self.line_len() != 0
    }

    /// Number of lines.
    #[inline(always)]
    pub fn lines<L: LineValues>(&self) -> usize {
        if L::SHARED { self.line_values() } else { 1 }
    }

    /// A line, by its number.
    #[inline(always)]
    pub fn line<L: LineValues>(&self, number: usize) -> Line<L> {
        let len = if L::SHARED { self.line_len() } else { self.len() };
        Line { number, len, values: std::marker::PhantomData }
    }

    /// The elements of an operand that has one per line.
    #[inline(always)]
    pub fn line_input<E: Element, L: LineValues>(&self, operand: u16) -> &[E] {
        self.readable_line::<E, L>(self.operand_slot(operand))
    }

    /// A finished reduction that has one element per line.
    #[inline(always)]
    pub fn line_row<V: Element, L: LineValues>(&self, reduction: u16) -> &[V] {
        self.readable_line::<V, L>(self.row_slot(reduction))
    }

    #[inline(always)]
    fn readable_line<E: Element, L: LineValues>(&self, slot: Slot) -> &[E] {
        match L::SHARED {
            true => self.readable_values(slot),
            false => self.readable(slot),
        }
    }
}

impl<L: LineValues> Line<L> {
    /// Number of points.
    #[inline(always)]
    #[expect(clippy::len_without_is_empty, reason = "a line is never empty")]
    pub fn len(&self) -> usize {
        self.len
    }

    /// The elements of its points, of those of a block.
    #[inline(always)]
    pub fn of<'a, E>(&self, elements: &'a [E]) -> &'a [E] {
        &elements[self.number * self.len..][..self.len]
    }

    /// As [`Line::of`].
    #[inline(always)]
    pub fn of_mut<'a, E>(&self, elements: &'a mut [E]) -> &'a mut [E] {
        &mut elements[self.number * self.len..][..self.len]
    }

    /// Its value, or those of its points, of those of a block.
    #[inline(always)]
    pub fn values<'a, E>(&self, values: &'a [E]) -> &'a [E] {
        if L::SHARED { &values[self.number..][..1] } else { &values[..self.len] }
    }
}
