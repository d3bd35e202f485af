//! Nodes: how tracked tensors were made.

use std::fmt::Debug;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use smallvec::{SmallVec, smallvec};

use crate::element::DType;
use crate::error::{Error, Origin, Result, Site};
use crate::tensor::raw::Raw;

/// One cotangent per array, where there is one; none stands for zero.
pub(crate) type Cotangents = SmallVec<[Option<Raw>; 3]>;

/// The way from the cotangents of a call's outputs to those of its inputs.
///
/// An adjoint keeps what it needs of the forward pass, outside the graph.
pub(crate) trait Adjoint: Send + Sync {
    /// The cotangents of the inputs that are `wanted`, given at least one of the outputs'. Each has the shape of its
    /// input, and the input's element or that in which it is computed with.
    fn cotangents(&self, outputs: &[Option<Raw>], wanted: &[bool], origin: Origin) -> Result<Cotangents>;
}

/// The identity of a leaf, in every graph that it takes part in.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct Key(u64);

impl Key {
    /// An identity that nothing else has or had.
    pub fn new() -> Key {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Key(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// How a tracked tensor was made.
pub struct Node {
    origin: Origin,
    role: Role,
}

enum Role {
    /// Not made by a call.
    Leaf { key: Key, dtype: DType },
    /// The result of a call, or the call itself if it has several.
    Call(Mutex<State>),
    /// One result of a call with several.
    Output { call: Arc<Node>, position: usize },
}

enum State {
    Recorded(Record),
    Consumed { first: Site },
}

/// What a call left for the backward pass.
pub(super) struct Record {
    /// The nodes of its inputs; none for an untracked one.
    pub inputs: Inputs,
    /// How many outputs it has.
    pub outputs: usize,
    pub adjoint: Box<dyn Adjoint>,
}

pub(super) type Inputs = SmallVec<[Option<Source>; 2]>;

/// An output of a call, or a leaf.
#[derive(Clone)]
pub(super) struct Source {
    pub node: Arc<Node>,
    pub position: usize,
}

/// The node of a tensor of element `dtype` that starts being tracked.
pub(crate) fn leaf(dtype: DType, at: Site) -> Arc<Node> {
    Arc::new(Node { origin: Origin { op: "requires_grad", at }, role: Role::Leaf { key: Key::new(), dtype } })
}

/// The nodes of the outputs of a call, at least one of whose inputs is tracked.
pub(crate) fn record<'a>(
    origin: Origin,
    inputs: impl IntoIterator<Item = Option<&'a Arc<Node>>>,
    outputs: usize,
    adjoint: impl Adjoint + 'static,
) -> SmallVec<[Arc<Node>; 2]> {
    let mut sources = Inputs::new();
    for input in inputs {
        sources.push(input.map(Source::of));
    }
    debug_assert!(sources.iter().any(Option::is_some), "a call without a tracked input is not recorded");
    let record = Record { inputs: sources, outputs, adjoint: Box::new(adjoint) };
    let call = Arc::new(Node { origin, role: Role::Call(Mutex::new(State::Recorded(record))) });
    if outputs == 1 {
        return smallvec![call];
    }
    let output = |position| Arc::new(Node { origin, role: Role::Output { call: call.clone(), position } });
    (0..outputs).map(output).collect()
}

impl Source {
    pub fn of(node: &Arc<Node>) -> Source {
        match &node.role {
            Role::Output { call, position } => Source { node: call.clone(), position: *position },
            Role::Leaf { .. } | Role::Call(_) => Source { node: node.clone(), position: 0 },
        }
    }
}

impl Node {
    /// The forward call.
    pub(super) fn origin(&self) -> Origin {
        self.origin
    }

    /// The identity and the element of a leaf.
    pub(crate) fn leaf(&self) -> Option<(Key, DType)> {
        match &self.role {
            Role::Leaf { key, dtype } => Some((*key, *dtype)),
            Role::Call(_) | Role::Output { .. } => None,
        }
    }

    /// Takes the record for the walk at `origin`; `None` for a leaf.
    pub(super) fn consume(&self, origin: Origin) -> Result<Option<Record>> {
        let Some(mut state) = self.state() else { return Ok(None) };
        match std::mem::replace(&mut *state, State::Consumed { first: origin.at }) {
            State::Recorded(record) => Ok(Some(record)),
            State::Consumed { first } => {
                *state = State::Consumed { first };
                Err(Error::GraphConsumed { op: origin.op, first, at: origin.at })
            }
        }
    }

    /// Gives back the record of a walk that did not begin.
    pub(super) fn restore(&self, record: Record) {
        if let Some(mut state) = self.state() {
            *state = State::Recorded(record);
        }
    }

    fn state(&self) -> Option<MutexGuard<'_, State>> {
        match &self.role {
            // A walk that panicked left no state half changed.
            Role::Call(state) => Some(state.lock().unwrap_or_else(PoisonError::into_inner)),
            Role::Leaf { .. } | Role::Output { .. } => None,
        }
    }

    /// Moves out the nodes that only this one may keep alive.
    fn release(&mut self, into: &mut Vec<Arc<Node>>) {
        let Role::Call(state) = &mut self.role else { return };
        let state = state.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let State::Recorded(record) = state {
            into.extend(record.inputs.drain(..).flatten().map(|source| source.node));
        }
    }
}

impl Drop for Node {
    /// Drops a chain of nodes one after the other: a recursion would overflow the stack on a long one.
    fn drop(&mut self) {
        let mut released = vec![];
        self.release(&mut released);
        while let Some(node) = released.pop() {
            // The last owner, and only that one, empties the node before it is dropped here.
            if let Some(mut node) = Arc::into_inner(node) {
                node.release(&mut released);
            }
        }
    }
}

impl Debug for Node {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{} at {}", self.origin.op, self.origin.at)
    }
}
