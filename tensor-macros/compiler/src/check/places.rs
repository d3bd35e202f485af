//! Where the nodes of a graph were written.

use std::collections::HashMap;

use crate::errors::Place;
use crate::ir::{AxisId, Graph, NodeId};

/// The place of each node that stands for an expression of the user; the first one, if it was written several times.
#[derive(Default, Debug)]
pub struct Places {
    of: HashMap<NodeId, Place>,
}

impl Places {
    /// Remembers where a node was written.
    pub fn insert(&mut self, node: NodeId, place: Place) {
        self.of.entry(node).or_insert(place);
    }

    /// Where a node was written.
    pub fn get(&self, node: NodeId) -> Option<Place> {
        self.of.get(&node).copied()
    }

    /// The smallest expression within `node` that brings in the free axis `axis`.
    pub fn source_of_axis(&self, graph: &Graph, node: NodeId, axis: AxisId) -> Option<Place> {
        let (mut node, mut place) = (node, self.get(node));
        while let Some(&next) = graph.args(node).iter().find(|&&arg| graph.axes(arg).contains(axis)) {
            node = next;
            place = self.get(node).or(place);
        }
        place
    }
}
