//! RMSprop: the gradient over the root of its running mean square.

use tensor_rt::prelude::*;

use super::{Optimizer, States, each};

tensor_fn! {
    /// One step: `v <- v + mix (g^2 - v)`, `p <- p - rate g / (sqrt(v) + eps)`; `mix` is `1 - alpha`.
    ///
    /// # Errors
    /// Fails if the shapes differ.
    pub fn rms_prop_step(p: &mut Tensor[..], v: &mut Tensor[..], g: &Tensor[..], rate: float, mix: float, eps: float) {
        v += mix * (g * g - v);
        p -= rate * g / (sqrt(v) + eps);
    }

    /// One step with momentum: `v` as in [`rms_prop_step`], `b <- momentum b + g / (sqrt(v) + eps)`, `p <- p - rate b`.
    ///
    /// # Errors
    /// Fails if the shapes differ.
    pub fn rms_prop_momentum_step(
        p: &mut Tensor[..],
        v: &mut Tensor[..],
        b: &mut Tensor[..],
        g: &Tensor[..],
        rate: float,
        mix: float,
        eps: float,
        momentum: float,
    ) {
        v += mix * (g * g - v);
        b = momentum * b + g / (sqrt(v) + eps);
        p -= rate * b;
    }
}

/// RMSprop, with momentum if it is not 0.
pub struct RmsProp<D: Device, T: Float = f32> {
    /// Step size.
    pub learning_rate: f64,
    /// Share of the running mean square that stays.
    pub alpha: f64,
    /// Added to the root of the mean square.
    pub eps: f64,
    /// Share of the velocity that stays; 0 for none.
    pub momentum: f64,
    states: States<Squares<D, T>>,
}

/// Running mean square and velocity of one parameter.
struct Squares<D: Device, T: Float> {
    square: Tensor<D, NoGrad, T>,
    velocity: Option<Tensor<D, NoGrad, T>>,
}

impl<D: Device, T: Float> RmsProp<D, T> {
    /// Alpha 0.99, eps 1e-8, no momentum; set the public fields for others.
    pub fn new(learning_rate: f64) -> Self {
        RmsProp { learning_rate, alpha: 0.99, eps: 1e-8, momentum: 0.0, states: States::new() }
    }
}

impl<D: Device, T: Float> Optimizer<D, T> for RmsProp<D, T> {
    fn step(&mut self, parameters: &mut [&mut Param<D, T>], gradients: &Gradients) -> Result<usize> {
        each(parameters, gradients, |parameter, gradient| {
            let (rate, mix) = (self.learning_rate, 1.0 - self.alpha);
            let state = self.states.of(parameter.id(), || {
                Ok(Squares { square: Tensor::zeros_like(parameter.value())?, velocity: None })
            })?;
            if self.momentum == 0.0 {
                return rms_prop_step(parameter.value_mut(), &mut state.square, gradient, rate, mix, self.eps);
            }
            let velocity = match &mut state.velocity {
                Some(velocity) => velocity,
                none => none.insert(Tensor::zeros_like(parameter.value())?),
            };
            rms_prop_momentum_step(
                parameter.value_mut(),
                &mut state.square,
                velocity,
                gradient,
                rate,
                mix,
                self.eps,
                self.momentum,
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_close, descend};

    #[test]
    fn steps_by_hand() {
        // Gradient 1: v is 0.75, then 0.9375.
        let mut plain = RmsProp::new(0.1);
        (plain.alpha, plain.eps) = (0.25, 0.0);
        let (first, second) = (0.1 / 0.75f64.sqrt(), 0.1 / 0.9375f64.sqrt());
        let path = descend(&mut plain, 1.0, 2, |w| w.sum());
        assert_close("rms_prop", &path, &[1.0 - first, 1.0 - first - second], 1e-14);
        let mut momentum = RmsProp::new(0.1);
        (momentum.alpha, momentum.eps, momentum.momentum) = (0.25, 0.0, 0.5);
        let path = descend(&mut momentum, 1.0, 2, |w| w.sum());
        assert_close("rms_prop", &path, &[1.0 - first, 1.0 - 1.5 * first - second], 1e-14);
    }
}
