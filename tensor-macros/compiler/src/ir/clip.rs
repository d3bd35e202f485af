//! Indices that a condition keeps within their dimension.

use super::{Affine, Binary, ExtentId, Graph, Literal, NodeId, Op, Uniform};

/// `affine / divisor`, where that is a whole number within an extent; where it is not, the conditions do not hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Clip {
    /// What is divided.
    pub affine: Affine,
    /// 1 for an index that is affine itself.
    pub divisor: Uniform,
    /// What it stays within.
    pub extent: ExtentId,
    /// The conditions that say so and nothing else.
    pub conditions: Vec<NodeId>,
}

impl Graph {
    /// The form of an index that is kept within an extent by some of `conditions`, if it has one.
    pub fn clip(&self, index: NodeId, conditions: &[NodeId]) -> Option<Clip> {
        let is = |id: NodeId, op: Binary, left: NodeId| {
            *self.op(id) == Op::Binary(op) && self.args(id)[0] == left && self.args(id).len() == 2
        };
        let is_zero = |id: NodeId| *self.op(id) == Op::Const(Literal::Int(0));
        let find = |op: Binary, left: NodeId, right: &dyn Fn(NodeId) -> bool| {
            conditions.iter().copied().find(|&id| is(id, op, left) && right(self.args(id)[1]))
        };
        let below = find(Binary::Lt, index, &|size| matches!(self.op(size), Op::Size(_)))?;
        let Op::Size(extent) = *self.op(self.args(below)[1]) else { return None };
        let mut clip = match Affine::of(self, index) {
            Some(affine) => Clip { affine, divisor: Uniform::Int(1), extent, conditions: vec![below] },
            None => {
                let (Op::Binary(Binary::Div), &[dividend, divisor]) = (self.op(index), self.args(index)) else {
                    return None;
                };
                // The quotient times the divisor is the dividend.
                let is_whole = |id: NodeId| {
                    *self.op(id) == Op::Binary(Binary::Eq)
                        && is(self.args(id)[0], Binary::Mul, index)
                        && self.args(self.args(id)[0])[1] == divisor
                        && self.args(id)[1] == dividend
                };
                let whole = conditions.iter().copied().find(|&id| is_whole(id))?;
                let divisor = match *self.op(divisor) {
                    Op::Const(Literal::Int(value)) => Uniform::Int(value),
                    _ if self.is_uniform(divisor) => Uniform::Node(divisor),
                    _ => return None,
                };
                Clip { affine: Affine::of(self, dividend)?, divisor, extent, conditions: vec![below, whole] }
            }
        };
        // The index along an axis counts from 0.
        if self.as_index(index).is_none() {
            clip.conditions.push(find(Binary::Ge, index, &is_zero)?);
        }
        Some(clip)
    }

    /// The operands of a conjunction.
    pub fn conjuncts(&self, condition: NodeId) -> Vec<NodeId> {
        match self.op(condition) {
            Op::Binary(Binary::And) => self.args(condition).iter().flat_map(|&arg| self.conjuncts(arg)).collect(),
            _ => vec![condition],
        }
    }

    /// True for a load that is 0 wherever one of its indices leaves its dimension, and is executed everywhere else: all
    /// indices are axes, affine, or clipped, and the guard says nothing else.
    pub fn is_clipped_load(&self, load: NodeId) -> bool {
        let Op::Load { guarded, .. } = self.op(load) else { return false };
        let index = self.load_index(load);
        if !guarded {
            return index.iter().all(|&index| self.as_index(index).is_some() || Affine::of(self, index).is_some());
        }
        let mut conditions = self.conjuncts(self.args(load)[index.len()]);
        let all = conditions.clone();
        for &index in index {
            match self.clip(index, &all) {
                Some(clip) => conditions.retain(|condition| !clip.conditions.contains(condition)),
                None if self.as_index(index).is_some() => {}
                None => return false,
            }
        }
        conditions.is_empty()
    }
}
