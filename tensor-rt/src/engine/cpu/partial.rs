//! Pairwise combination of partials.
//!
//! The leaves of a row (partials of a fixed number of elements each) are combined as the nodes of a binary tree over their
//! numbers: a counter holds at most one subtree of each height, and equal heights carry. So rounding errors grow with the
//! logarithm of the length, and a subtree of `2^h` leaves that was computed elsewhere can be pushed as a whole: the result
//! is the same bits however the leaves were divided among threads.
//!
//! Invariant: `held` has bit `h` set if and only if `subtrees[h]` is a complete subtree, of leaves before all lower ones.

use super::reduce::{Partials, Reducer};
use crate::kernel::body::InstructionSet;

/// Memory of some lanes of partials.
#[derive(Clone, Debug, Default)]
pub(super) struct Partial {
    values: Vec<u64>,
    positions: Vec<i64>,
    centers: Vec<u64>,
    count: f64,
}

impl Partial {
    /// Room for `lanes` partials.
    pub fn new(reducer: Reducer, lanes: usize) -> Self {
        let positions = if reducer.positional() { lanes } else { 0 };
        let words = |values: usize| (values * reducer.value.size()).div_ceil(8);
        let centers = if reducer.centered() { words(2 * lanes) } else { 0 };
        Self { values: vec![0; words(lanes)], positions: vec![0; positions], centers: vec![0; centers], count: 0.0 }
    }

    /// Where the partials lie.
    pub fn parts(&mut self) -> Partials {
        let Self { values, positions, centers, count } = self;
        let partials = Partials::new(values.as_mut_ptr().cast(), positions.as_mut_ptr());
        Partials { centers: centers.as_mut_ptr().cast(), count, ..partials }
    }
}

/// The tree of one reduction over some lanes.
#[derive(Debug)]
pub(super) struct Pairwise {
    reducer: Reducer,
    set: InstructionSet,
    lanes: usize,
    held: u64,
    subtrees: Vec<Partial>,
    /// The leaf that is being filled.
    pub leaf: Partial,
}

impl Pairwise {
    /// A tree without leaves.
    pub fn new(reducer: Reducer, set: InstructionSet, lanes: usize) -> Self {
        Self { reducer, set, lanes, held: 0, subtrees: Vec::new(), leaf: Partial::new(reducer, lanes) }
    }

    /// Adds the subtree in `leaf`, of `2^height` leaves that follow all leaves so far. The tree must hold no lower
    /// subtree, except that the last subtree may have fewer leaves than its height says.
    pub fn push(&mut self, height: usize) {
        let mut height = height;
        while self.held >> height & 1 == 1 {
            let earlier = self.subtrees[height].parts();
            // SAFETY: all partials of the tree have `lanes` lanes and memory of their own.
            unsafe { self.reducer.merge(self.set, self.lanes, earlier, self.leaf.parts()) };
            std::mem::swap(&mut self.subtrees[height], &mut self.leaf);
            self.held &= !(1 << height);
            height += 1;
        }
        while self.subtrees.len() <= height {
            self.subtrees.push(Partial::new(self.reducer, self.lanes));
        }
        std::mem::swap(&mut self.subtrees[height], &mut self.leaf);
        self.held |= 1 << height;
    }

    /// Combines everything pushed so far into `leaf` and forgets it; the partials of no elements if there is nothing.
    pub fn finish(&mut self) {
        if self.held == 0 {
            // SAFETY: `leaf` has `lanes` lanes.
            unsafe { self.reducer.identity(self.lanes, self.leaf.parts()) };
            return;
        }
        let lowest = self.held.trailing_zeros() as usize;
        std::mem::swap(&mut self.subtrees[lowest], &mut self.leaf);
        for height in lowest + 1..self.subtrees.len() {
            if self.held >> height & 1 == 1 {
                let earlier = self.subtrees[height].parts();
                // SAFETY: as in `push`.
                unsafe { self.reducer.merge(self.set, self.lanes, earlier, self.leaf.parts()) };
                std::mem::swap(&mut self.subtrees[height], &mut self.leaf);
            }
        }
        self.held = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::DType;
    use crate::kernel::program::ReduceOp;

    const SUM: Reducer = Reducer { op: ReduceOp::Sum, value: DType::F32 };

    fn put(tree: &mut Pairwise, value: f32) {
        // SAFETY: the tree has one lane of `f32`.
        unsafe { tree.leaf.parts().values.cast::<f32>().write(value) };
    }

    fn take(tree: &mut Pairwise) -> f32 {
        tree.finish();
        // SAFETY: as above.
        unsafe { tree.leaf.parts().values.cast::<f32>().read() }
    }

    #[test]
    fn subtrees_computed_apart_give_the_same_bits() {
        let leaves: Vec<f32> = (0..77).map(|i| 1.0 / (i as f32 + 0.3)).collect();
        let mut whole = Pairwise::new(SUM, InstructionSet::BASELINE, 1);
        for &leaf in &leaves {
            put(&mut whole, leaf);
            whole.push(0);
        }
        let expected = take(&mut whole);
        for height in 0..8 {
            let mut combined = Pairwise::new(SUM, InstructionSet::BASELINE, 1);
            for chunk in leaves.chunks(1 << height) {
                let mut part = Pairwise::new(SUM, InstructionSet::BASELINE, 1);
                for &leaf in chunk {
                    put(&mut part, leaf);
                    part.push(0);
                }
                let sum = take(&mut part);
                put(&mut combined, sum);
                combined.push(height);
            }
            assert_eq!(take(&mut combined).to_bits(), expected.to_bits(), "height {height}");
        }
    }

    #[test]
    fn empty_tree_gives_the_identity() {
        assert_eq!(take(&mut Pairwise::new(SUM, InstructionSet::BASELINE, 1)), 0.0);
    }
}
