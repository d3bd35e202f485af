//! The walk from a loss to the leaves.
//!
//! A node runs once every use of its outputs has added its cotangent, so each record is used once however often the
//! outputs were. The order depends on the graph alone, and so do the sums.

use std::collections::HashMap;
use std::sync::Arc;

use super::anomaly;
use super::cotangent::{accumulate, widen};
use super::gradients::{Gradients, Parts};
use super::node::{Cotangents, Inputs, Node, Source};
use crate::device::Device;
use crate::element::{Compute, DType, Float};
use crate::error::{Error, Origin, Result};
use crate::mode::{GradMode, NoGrad};
use crate::relation::Tracked;
use crate::tensor::Tensor;
use crate::tensor::raw::Raw;

impl<D: Device, G: GradMode, T: Float> Tensor<D, G, T> {
    /// The gradients of this loss, a tensor of one element, with respect to every leaf that it was made from.
    ///
    /// Consumes the graph: what the forward pass kept is freed on the way. A second walk over any part of it, through a
    /// clone or another result, is an error that names the first.
    ///
    /// # Errors
    /// Fails if the tensor has more than one element, if a part of the graph was consumed before, and with whatever the
    /// kernels of the backward pass report.
    #[track_caller]
    pub fn backward(self) -> Result<Gradients>
    where
        G: Tracked,
    {
        let mut gradients = Gradients::new();
        walk_loss(self.raw, &mut gradients, Origin::of("backward"))?;
        Ok(gradients)
    }

    /// As [`Tensor::backward`], added to what `gradients` holds. On an error `gradients` is unchanged.
    ///
    /// # Errors
    /// As [`Tensor::backward`].
    #[track_caller]
    pub fn backward_into(self, gradients: &mut Gradients) -> Result<()>
    where
        G: Tracked,
    {
        walk_loss(self.raw, gradients, Origin::of("backward_into"))
    }

    /// The gradients of `sum(self * cotangent)`: the walk for a result that is not a scalar.
    ///
    /// # Errors
    /// Fails if the shapes differ, else as [`Tensor::backward`].
    #[track_caller]
    pub fn backward_with(self, cotangent: &Tensor<D, NoGrad, T>) -> Result<Gradients>
    where
        G: Tracked,
    {
        let origin = Origin::of("backward_with");
        if self.shape() != cotangent.shape() {
            let (lhs, rhs) = (self.shape().sizes(), cotangent.shape().sizes());
            return Err(Error::ShapeMismatch { op: origin.op, lhs, rhs, at: origin.at });
        }
        let mut gradients = Gradients::new();
        walk(self.raw, widen(cotangent.raw.clone(), origin)?, &mut gradients, origin)?;
        Ok(gradients)
    }
}

fn walk_loss(loss: Raw, gradients: &mut Gradients, origin: Origin) -> Result<()> {
    if loss.elements() != 1 {
        return Err(Error::NotAScalar { op: origin.op, shape: loss.shape().sizes(), at: origin.at });
    }
    let one = match loss.dtype().compute() {
        DType::F64 => full::<f64>(&loss, origin)?,
        _ => full::<f32>(&loss, origin)?,
    };
    walk(loss, one, gradients, origin)
}

fn full<C: Compute>(like: &Raw, origin: Origin) -> Result<Raw> {
    Raw::full(like.home(), like.shape(), C::from_f64(1.0), origin)
}

/// A node whose outputs' cotangents are being collected.
struct Pending {
    node: Arc<Node>,
    inputs: Inputs,
    /// How many uses of the outputs have not added their part.
    uses: usize,
    cotangents: Cotangents,
}

type Graph = HashMap<*const Node, Pending>;

/// Adds to `gradients` what the result, with the given cotangent, gives to each leaf.
fn walk(result: Raw, cotangent: Raw, gradients: &mut Gradients, origin: Origin) -> Result<()> {
    let Some(root) = result.node().map(Source::of) else {
        unreachable!("bug in tensor-rt: a tracked tensor has no node");
    };
    // The storage of the result is not needed, and its handle would keep buffers of the walk alive.
    drop(result);
    let mut graph = explore(root.node.clone(), origin)?;
    let mut leaves = Parts::default();
    if let Some(pending) = graph.get_mut(&Arc::as_ptr(&root.node)) {
        pending.cotangents[root.position] = Some(cotangent);
    }
    let mut ready = vec![root.node];
    while let Some(node) = ready.pop() {
        let Some(pending) = graph.remove(&Arc::as_ptr(&node)) else {
            unreachable!("bug in tensor-rt: a node became ready twice");
        };
        let parts = step(&pending, &mut leaves, origin)?;
        for (source, part) in pending.inputs.into_iter().zip(parts) {
            let Some(source) = source else { continue };
            let Some(target) = graph.get_mut(&Arc::as_ptr(&source.node)) else {
                unreachable!("bug in tensor-rt: a node ran before its uses");
            };
            if let Some(part) = part {
                let sum = &mut target.cotangents[source.position];
                *sum = Some(accumulate(sum.take(), widen(part, origin)?, origin)?);
            }
            target.uses -= 1;
            if target.uses == 0 {
                ready.push(source.node);
            }
        }
    }
    gradients.merge(leaves, origin)
}

/// Every node that the root was made from, with the number of its uses.
fn explore(root: Arc<Node>, origin: Origin) -> Result<Graph> {
    let mut graph = Graph::new();
    let mut found = vec![root];
    while let Some(node) = found.pop() {
        let (inputs, outputs) = node.shape(origin)?;
        for source in inputs.iter().flatten() {
            // The entry of a node that was not explored yet is completed when its turn comes.
            let pending = graph.entry(Arc::as_ptr(&source.node)).or_insert_with(|| {
                found.push(source.node.clone());
                Pending { node: source.node.clone(), inputs: Inputs::new(), uses: 0, cotangents: Cotangents::new() }
            });
            pending.uses += 1;
        }
        let pending = graph.entry(Arc::as_ptr(&node)).or_insert_with(|| Pending {
            node,
            inputs: Inputs::new(),
            uses: 0,
            cotangents: Cotangents::new(),
        });
        pending.cotangents = smallvec::smallvec![None; outputs];
        pending.inputs = inputs;
    }
    Ok(graph)
}

/// Runs one node: the parts that it adds to the cotangents of its inputs. A leaf's cotangent goes to `leaves`.
fn step(pending: &Pending, leaves: &mut Parts, origin: Origin) -> Result<Cotangents> {
    let Pending { node, inputs, cotangents, .. } = pending;
    if let (Some((key, dtype)), Some(Some(cotangent))) = (node.leaf(), cotangents.first()) {
        leaves.add(key, dtype, cotangent.clone(), origin)?;
    }
    let Some(record) = node.consume(origin)? else { return Ok(Cotangents::new()) };
    if cotangents.iter().all(Option::is_none) {
        // Only paths without a gradient lead here.
        return Ok(smallvec::smallvec![None; inputs.len()]);
    }
    let wanted: smallvec::SmallVec<[bool; 4]> = inputs.iter().map(Option::is_some).collect();
    let parts = record.adjoint.cotangents(cotangents, &wanted, origin)?;
    debug_assert_eq!(parts.len(), inputs.len(), "an adjoint gives one part per input");
    for part in parts.iter().flatten() {
        anomaly::check_backward(part, node.origin(), origin)?;
    }
    Ok(parts)
}
