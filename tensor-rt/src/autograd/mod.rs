//! The graph of tracked tensors.

use std::sync::Arc;

use crate::element::DType;
use crate::error::{Origin, Result, Site};
use crate::shape::Shape;
use crate::tensor::raw::Raw;
use crate::tensor::view::Movement;

/// How a tracked tensor was made.
#[derive(Debug)]
pub struct Node {
    _site: Site,
}

/// The node of a leaf: a tensor that `requires_grad` or a parameter tracks.
pub(crate) fn leaf(site: Site) -> Arc<Node> {
    Arc::new(Node { _site: site })
}

/// The node of the result of a movement of the tracked tensor `input`.
pub(crate) fn of_movement(_input: &Raw, _movement: Movement, origin: Origin) -> Arc<Node> {
    Arc::new(Node { _site: origin.at })
}

/// The node of the concatenation of `inputs`, at least one of which is tracked, along `axis`.
pub(crate) fn of_concatenation(_inputs: &[&Raw], _axis: usize, origin: Origin) -> Arc<Node> {
    Arc::new(Node { _site: origin.at })
}

/// The sum of a cotangent over the axes along which `shape` was repeated to its shape.
pub(crate) fn sum_to(cotangent: &Raw, shape: &Shape, origin: Origin) -> Result<Raw> {
    let wide = Movement::Cast(DType::F64).apply(cotangent, origin)?.dense(origin)?;
    let mut sums = Raw::zeros(cotangent.device(), DType::F64, shape, origin)?;
    let elements: Vec<f64> = wide.as_slice().unwrap_or_default().to_vec();
    let in_front = cotangent.shape().rank() - shape.rank();
    let mut index = vec![0; cotangent.shape().rank()];
    for element in elements {
        let own: Vec<usize> = index[in_front..].iter().zip(shape.iter()).map(|(i, size)| i % size).collect();
        let sum = sums.element::<f64>(&own) + element;
        sums.fresh().set(&own, sum);
        for axis in (0..index.len()).rev() {
            index[axis] += 1;
            if index[axis] < cotangent.shape()[axis] {
                break;
            }
            index[axis] = 0;
        }
    }
    Movement::Cast(cotangent.dtype()).apply(&sums, origin)
}
