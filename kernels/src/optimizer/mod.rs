//! Optimizers: the rule that turns a gradient into a new value of a parameter.
//!
//! An optimizer owns the *state* of each parameter (running means), found by the parameter's identity, and its
//! *hyperparameters*, public fields that a schedule may change between steps. Gradients are values that `backward`
//! returned: there is nothing to reset between steps.
//!
//! Invariants: a parameter's value changes in place, by one kernel launch per parameter; the order of the parameters
//! does not matter; state is as long as the parameter and untracked.

mod adam;
mod clip;
mod rms_prop;
mod sgd;

use std::collections::HashMap;

use tensor_rt::prelude::*;

pub use adam::{Adam, AdamW, adam_step, adamw_step};
pub use clip::{add_squares, clip_by_norm, scale_to_norm};
pub use rms_prop::{RmsProp, rms_prop_momentum_step, rms_prop_step};
pub use sgd::{Sgd, sgd_momentum_step, sgd_step};

/// A rule that updates parameters from their gradients.
pub trait Optimizer<D: Device, T: Float> {
    /// Updates every parameter that has a gradient, and returns how many had one.
    ///
    /// # Errors
    /// Fails if memory for new state runs out; parameters before the failing one are updated.
    fn step(&mut self, parameters: &mut [&mut Param<D, T>], gradients: &Gradients) -> Result<usize>;
}

/// The state of each parameter, made on its first step.
struct States<S>(HashMap<ParamId, S>);

impl<S> States<S> {
    fn new() -> States<S> {
        States(HashMap::new())
    }

    fn of(&mut self, parameter: ParamId, make: impl FnOnce() -> Result<S>) -> Result<&mut S> {
        use std::collections::hash_map::Entry;
        match self.0.entry(parameter) {
            Entry::Occupied(entry) => Ok(entry.into_mut()),
            Entry::Vacant(entry) => Ok(entry.insert(make()?)),
        }
    }
}

/// Calls `update` with every parameter that has a gradient, and counts the calls.
fn each<D: Device, T: Float>(
    parameters: &mut [&mut Param<D, T>],
    gradients: &Gradients,
    mut update: impl FnMut(&mut Param<D, T>, &Tensor<D, NoGrad, T>) -> Result<()>,
) -> Result<usize> {
    let mut updated = 0;
    for parameter in parameters {
        if let Some(gradient) = gradients.get(&**parameter) {
            update(parameter, &gradient)?;
            updated += 1;
        }
    }
    Ok(updated)
}
