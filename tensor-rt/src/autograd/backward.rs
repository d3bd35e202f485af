//! The walk from a loss to the leaves.
//!
//! A node runs once every use of its outputs has added its cotangent, so each record is used once however often the
//! outputs were. The order depends on the graph alone, and so do the sums.

use std::sync::Arc;

use smallvec::SmallVec;

use super::anomaly;
use super::cotangent::{accumulate, widen};
use super::gradients::{Gradients, Parts};
use super::node::{Adjoint, Cotangents, Node, Record, Source};
use crate::address::ByAddress;
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
struct Step {
    node: Arc<Node>,
    /// None for a leaf.
    adjoint: Option<Box<dyn Adjoint>>,
    inputs: SmallVec<[Option<Input>; 2]>,
    /// How many uses of the outputs have not added their part.
    uses: usize,
    cotangents: Cotangents,
}

/// An output of a step.
#[derive(Clone, Copy)]
struct Input {
    step: usize,
    position: usize,
}

/// The steps of a walk, the root first. The walk owns what the calls recorded.
#[derive(Default)]
struct Graph {
    steps: Vec<Option<Step>>,
    /// The steps of nodes that may be met again.
    shared: ByAddress<usize>,
}

/// Adds to `gradients` what the result, with the given cotangent, gives to each leaf.
fn walk(result: Raw, cotangent: Raw, gradients: &mut Gradients, origin: Origin) -> Result<()> {
    let Some(root) = result.node().map(Source::of) else {
        unreachable!("bug in tensor-rt: a tracked tensor has no node");
    };
    // The storage of the result is not needed, and its handle would keep buffers of the walk alive.
    drop(result);
    let position = root.position;
    let mut graph = Graph::explore(root.node, origin)?;
    graph.at(0).cotangents[position] = Some(cotangent);
    let mut leaves = Parts::default();
    let mut ready = vec![0];
    while let Some(step) = ready.pop() {
        let Some(step) = graph.steps[step].take() else {
            unreachable!("bug in tensor-rt: a node became ready twice");
        };
        let (inputs, parts) = run(step, &mut leaves, origin)?;
        for (input, part) in inputs.into_iter().zip(parts) {
            let Some(input) = input else { continue };
            let target = graph.at(input.step);
            if let Some(part) = part {
                let sum = &mut target.cotangents[input.position];
                *sum = Some(accumulate(sum.take(), widen(part, origin)?, origin)?);
            }
            target.uses -= 1;
            if target.uses == 0 {
                ready.push(input.step);
            }
        }
    }
    gradients.merge(leaves, origin)
}

impl Graph {
    /// Takes the record of every node that the root was made from; on an error all stay where they were.
    fn explore(root: Arc<Node>, origin: Origin) -> Result<Graph> {
        let mut graph = Graph::default();
        graph.step_of(root);
        let mut next = 0;
        while next < graph.steps.len() {
            if let Err(error) = graph.take_record(next, origin) {
                graph.restore();
                return Err(error);
            }
            next += 1;
        }
        Ok(graph)
    }

    /// Moves the record of a step's node into the step, and makes the steps of its inputs.
    fn take_record(&mut self, step: usize, origin: Origin) -> Result<()> {
        let Some(record) = self.at(step).node.consume(origin)? else {
            self.at(step).cotangents.push(None);
            return Ok(());
        };
        let mut inputs: SmallVec<[Option<Input>; 2]> = SmallVec::new();
        for source in record.inputs {
            inputs.push(source.map(|Source { node, position }| Input { step: self.step_of(node), position }));
        }
        for input in inputs.iter().flatten() {
            self.at(input.step).uses += 1;
        }
        let taken = self.at(step);
        taken.inputs = inputs;
        taken.adjoint = Some(record.adjoint);
        for _ in 0..record.outputs {
            taken.cotangents.push(None);
        }
        Ok(())
    }

    /// The step of a node; a new one at its first use.
    fn step_of(&mut self, node: Arc<Node>) -> usize {
        let new = self.steps.len();
        // A node that nothing else refers to is not met again.
        if Arc::strong_count(&node) > 1 {
            let known = *self.shared.entry(Arc::as_ptr(&node).addr()).or_insert(new);
            if known != new {
                return known;
            }
        }
        let (inputs, cotangents) = (SmallVec::new(), SmallVec::new());
        self.steps.push(Some(Step { node, adjoint: None, inputs, uses: 0, cotangents }));
        new
    }

    /// A step that has not run.
    fn at(&mut self, step: usize) -> &mut Step {
        self.steps[step].as_mut().expect("bug in tensor-rt: a node ran before its uses")
    }

    /// Gives all records back.
    fn restore(mut self) {
        for step in 0..self.steps.len() {
            let Some(adjoint) = self.at(step).adjoint.take() else { continue };
            let inputs = std::mem::take(&mut self.at(step).inputs);
            let mut source = |Input { step, position }| Source { node: self.at(step).node.clone(), position };
            let inputs = inputs.into_iter().map(|input| input.map(&mut source)).collect();
            let Step { node, cotangents, .. } = self.at(step);
            node.restore(Record { inputs, outputs: cotangents.len(), adjoint });
        }
    }
}

/// Runs one step: the parts that it adds to the cotangents of its inputs. A leaf's cotangent goes to `leaves`.
fn run(step: Step, leaves: &mut Parts, origin: Origin) -> Result<(SmallVec<[Option<Input>; 2]>, Cotangents)> {
    let Step { node, adjoint, inputs, cotangents, .. } = step;
    let Some(adjoint) = adjoint else {
        if let (Some((key, dtype)), Some(cotangent)) = (node.leaf(), cotangents.into_iter().flatten().next()) {
            leaves.add(key, dtype, cotangent);
        }
        return Ok((inputs, Cotangents::new()));
    };
    if cotangents.iter().all(Option::is_none) {
        // Only paths without a gradient lead here.
        let none = Cotangents::from_elem(None, inputs.len());
        return Ok((inputs, none));
    }
    let mut wanted: SmallVec<[bool; 8]> = SmallVec::new();
    for input in &inputs {
        wanted.push(input.is_some());
    }
    let parts = adjoint.cotangents(&cotangents, &wanted, origin)?;
    debug_assert_eq!(parts.len(), inputs.len(), "an adjoint gives one part per input");
    for part in parts.iter().flatten() {
        anomaly::check_backward(part, node.origin(), origin)?;
    }
    Ok((inputs, parts))
}
