//! Replacing axes within an expression, without capture.

use std::collections::{BTreeMap, HashMap};

use super::Places;
use crate::ir::{AxisId, AxisSet, Graph, NodeId, Op};

/// `root` with every free occurrence of an axis replaced by another axis, at once. A bound axis that would capture a
/// replacement is renamed.
pub(super) fn rename(graph: &mut Graph, places: &mut Places, root: NodeId, names: &BTreeMap<AxisId, AxisId>) -> NodeId {
    let incoming = names.values().copied().collect();
    Renaming { graph, places, incoming, fresh: BTreeMap::new(), done: HashMap::new() }.node(root, names)
}

struct Renaming<'a> {
    graph: &'a mut Graph,
    places: &'a mut Places,
    /// Axes that must not be captured.
    incoming: AxisSet,
    /// The new name of each bound axis that would capture one.
    fresh: BTreeMap<AxisId, AxisId>,
    done: HashMap<(NodeId, BTreeMap<AxisId, AxisId>), NodeId>,
}

impl Renaming<'_> {
    fn node(&mut self, root: NodeId, names: &BTreeMap<AxisId, AxisId>) -> NodeId {
        for id in self.graph.reachable(&[root]) {
            let key = (id, names.clone());
            if !self.done.contains_key(&key) {
                let renamed = self.step(id, names);
                if let Some(place) = self.places.get(id) {
                    self.places.insert(renamed, place);
                }
                self.done.insert(key, renamed);
            }
        }
        self.done[&(root, names.clone())]
    }

    /// One node whose operands were renamed before; the body of a reduction has names of its own.
    fn step(&mut self, id: NodeId, names: &BTreeMap<AxisId, AxisId>) -> NodeId {
        let mut node = self.graph.node(id).clone();
        if !names.keys().any(|&axis| self.graph.axes(id).contains(axis)) {
            return id;
        }
        match &mut node.op {
            Op::Index(axis) => return self.graph.index(names[axis]),
            Op::Reduce { axes, .. } => {
                let mut inner = names.clone();
                for axis in axes.iter_mut() {
                    inner.remove(axis);
                    if self.incoming.contains(*axis) {
                        let fresh = match self.fresh.get(axis) {
                            Some(&fresh) => fresh,
                            None => self.graph.fresh_axis(*axis),
                        };
                        self.fresh.insert(*axis, fresh);
                        inner.insert(*axis, fresh);
                        *axis = fresh;
                    }
                }
                node.args = vec![self.node(node.args[0], &inner)];
            }
            _ => node.args = node.args.iter().map(|&arg| self.done[&(arg, names.clone())]).collect(),
        }
        self.graph.intern(node.op, node.args, node.ty)
    }
}
