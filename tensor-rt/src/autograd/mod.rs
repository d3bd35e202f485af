//! Reverse-mode differentiation: the graph that tracked tensors carry, and the walk that turns it into gradients.
//!
//! A *node* says how a tracked tensor was made: a *leaf* was not made at all, every other node is one call with the nodes
//! of its tracked inputs and an `Adjoint`, which turns cotangents of the outputs into cotangents of the inputs. A node is
//! owned by the tensors that its call returned and by the nodes that used those: there is no list of nodes anywhere, and
//! dropping a result drops what only it needed.
//!
//! A *cotangent* is the gradient of the loss with respect to one array. Cotangents have the element in which the array is
//! computed with (`f32` for the half-precision ones) until they reach a leaf.
//!
//! Invariants: the graph has no cycle, since a node's inputs exist before it; whatever an adjoint keeps is outside the
//! graph, so that edges are the only way from node to node; a record is used once, and afterwards the node knows who used
//! it.

mod anomaly;
mod backward;
mod cotangent;
mod gradcheck;
mod gradients;
mod movement;
mod node;

pub(crate) use anomaly::check_forward;
pub use anomaly::detect_anomaly;
pub(crate) use cotangent::sum_to;
pub use gradcheck::{Tolerance, gradcheck, gradcheck_with};
pub use gradients::{Gradients, Leaf};
pub(crate) use movement::{of_concatenation, of_movement};
pub use node::Node;
pub(crate) use node::{Adjoint, Cotangents, Key, leaf, record};

#[cfg(test)]
mod tests;
