//! The result of a backward pass.

use std::collections::HashMap;
use std::fmt::Debug;

use super::cotangent::{accumulate, convert, widen};
use super::node::Key;
use crate::device::Device;
use crate::element::{DType, Float};
use crate::error::{Error, Origin, Result};
use crate::mode::{Grad, NoGrad};
use crate::param::Param;
use crate::tensor::Tensor;
use crate::tensor::raw::Raw;

/// Gradients by leaf: a tensor that `requires_grad`, or a [`Param`].
///
/// They are plain values. Nothing has to be zeroed: each backward pass gives new ones, and
/// [`Tensor::backward_into`] adds to given ones.
#[derive(Default)]
pub struct Gradients {
    /// In the leaf's own element.
    by_leaf: HashMap<Key, Raw>,
}

/// What one walk gives to the leaves, in the element that is computed with, and the leaf's own.
#[derive(Default)]
pub(super) struct Parts(Vec<(Key, DType, Raw)>);

/// What a gradient can be asked for: a tracked tensor, or a [`Param`].
#[diagnostic::on_unimplemented(
    message = "a gradient belongs to a tracked leaf, not to `{Self}`",
    label = "nothing was recorded for this value",
    note = "keep the tensor that `x.requires_grad()` returned, or the `Param`, and ask for the gradient of that"
)]
pub trait Leaf: sealed::Keyed {
    /// Where the leaf is.
    type Device: Device;
    /// Its element.
    type Element: Float;
}

pub(crate) mod sealed {
    use super::Key;

    /// The identity of a leaf; none for a tracked result.
    pub trait Keyed {
        #[doc(hidden)]
        #[expect(private_interfaces, reason = "the trait is sealed")]
        fn key(&self) -> Option<Key>;
    }
}

#[diagnostic::do_not_recommend]
impl<D: Device, T: Float> Leaf for Tensor<D, Grad, T> {
    type Device = D;
    type Element = T;
}

impl<D: Device, T: Float> sealed::Keyed for Tensor<D, Grad, T> {
    #[expect(private_interfaces, reason = "the trait is sealed")]
    fn key(&self) -> Option<Key> {
        self.raw.node().and_then(|node| node.leaf()).map(|(key, _)| key)
    }
}

#[diagnostic::do_not_recommend]
impl<D: Device, T: Float> Leaf for Param<D, T> {
    type Device = D;
    type Element = T;
}

impl<D: Device, T: Float> sealed::Keyed for Param<D, T> {
    #[expect(private_interfaces, reason = "the trait is sealed")]
    fn key(&self) -> Option<Key> {
        self.leaf().leaf().map(|(key, _)| key)
    }
}

impl Gradients {
    /// No gradients.
    pub fn new() -> Gradients {
        Gradients::default()
    }

    /// The gradient of a leaf; `None` if the leaf took no part in the loss, or if `leaf` is a tracked result.
    ///
    /// The gradient of a half-precision leaf is accumulated in `f32` and rounded once per backward pass.
    pub fn get<L: Leaf>(&self, leaf: &L) -> Option<Tensor<L::Device, NoGrad, L::Element>> {
        let gradient = self.by_leaf.get(&leaf.key()?)?;
        Some(Tensor::from_raw(gradient.clone()))
    }

    /// Moves the gradient of a leaf out, so that it can be edited in place.
    pub fn take<L: Leaf>(&mut self, leaf: &L) -> Option<Tensor<L::Device, NoGrad, L::Element>> {
        self.by_leaf.remove(&leaf.key()?).map(Tensor::from_raw)
    }

    /// Replaces the gradient of a leaf, such as by a clipped one.
    ///
    /// # Errors
    /// Fails if `leaf` is a tracked result, which has no gradient to replace.
    #[track_caller]
    pub fn set<L: Leaf>(&mut self, leaf: &L, gradient: Tensor<L::Device, NoGrad, L::Element>) -> Result<()> {
        let Origin { op, at } = Origin::of("Gradients::set");
        let reason = "the tensor is the result of an operation, not a leaf";
        let key = leaf.key().ok_or(Error::NoGradient { op, reason, at })?;
        self.by_leaf.insert(key, gradient.raw);
        Ok(())
    }

    /// True if the leaf took part in the loss.
    pub fn contains<L: Leaf>(&self, leaf: &L) -> bool {
        leaf.key().is_some_and(|key| self.by_leaf.contains_key(&key))
    }

    /// Those leaves that took no part in the loss.
    pub fn missing<'a, L: Leaf>(&self, leaves: impl IntoIterator<Item = &'a L>) -> Vec<&'a L> {
        leaves.into_iter().filter(|leaf| !self.contains(*leaf)).collect()
    }

    /// The number of leaves that have a gradient.
    pub fn len(&self) -> usize {
        self.by_leaf.len()
    }

    /// True if no leaf has a gradient.
    pub fn is_empty(&self) -> bool {
        self.by_leaf.is_empty()
    }
}

impl Gradients {
    /// Adds the parts of one walk; all or none.
    pub(super) fn merge(&mut self, parts: Parts, origin: Origin) -> Result<()> {
        let mut sums = Vec::with_capacity(parts.0.len());
        for (key, dtype, part) in parts.0 {
            let sum = match self.by_leaf.get(&key) {
                // The part is most likely alone on its storage, so that the sum needs no other.
                Some(held) => accumulate(Some(part), widen(held.clone(), origin)?, origin)?,
                None => part,
            };
            sums.push((key, convert(dtype, sum, origin)?));
        }
        self.by_leaf.extend(sums);
        Ok(())
    }
}

impl Parts {
    /// Adds the gradient of a leaf whose own element is `dtype`; a walk comes to each leaf once.
    pub fn add(&mut self, key: Key, dtype: DType, part: Raw) {
        self.0.push((key, dtype, part));
    }
}

impl Debug for Gradients {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "gradients of {} leaves", self.len())
    }
}
