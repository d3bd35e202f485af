//! Recognition of windows.

use std::collections::HashSet;

use super::{AxisSet, Graph, NodeId, Op};

impl Graph {
    /// The axes of a reduction that move a window: each stands with a free axis in one index of a load of the body. None
    /// for a node that is no reduction.
    pub fn window_axes(&self, reduction: NodeId) -> AxisSet {
        let Op::Reduce { axes, .. } = self.op(reduction) else { return AxisSet::new() };
        let bound: AxisSet = axes.iter().copied().collect();
        let mut window = AxisSet::new();
        let mut seen = HashSet::new();
        let mut stack = self.args(reduction).to_vec();
        while let Some(node) = stack.pop() {
            match self.op(node) {
                _ if !seen.insert(node) => {}
                Op::Load { .. } => {
                    let indices = self.load_index(node).iter().map(|&index| self.axes(index));
                    for axes in indices.filter(|axes| !axes.is_subset(&bound)) {
                        window = window.union(&axes.intersection(&bound));
                    }
                }
                // What is beneath another reduction is that reduction's own.
                Op::Reduce { .. } => {}
                _ => stack.extend(self.args(node)),
            }
        }
        window
    }
}
