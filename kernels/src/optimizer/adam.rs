//! Adam, with weight decay in the gradient ([`Adam`]) or apart from it ([`AdamW`]).

use tensor_rt::prelude::*;

use super::{Optimizer, States, each};

tensor_fn! {
    /// One step of Adam, decay in the gradient: with `d = g + decay p`, `m <- m + mix1 (d - m)`,
    /// `v <- v + mix2 (d^2 - v)`, `p <- p - rate m unbias1 / (sqrt(v unbias2) + eps)`. `mix` is `1 - beta`, `unbias` is
    /// `1 / (1 - beta^step)`.
    ///
    /// # Errors
    /// Fails if the shapes differ.
    pub fn adam_step(
        p: &mut Tensor[..],
        m: &mut Tensor[..],
        v: &mut Tensor[..],
        g: &Tensor[..],
        rate: float,
        mix1: float,
        mix2: float,
        unbias1: float,
        unbias2: float,
        eps: float,
        decay: float,
    ) {
        let d = g + decay * p;
        m += mix1 * (d - m);
        v += mix2 * (d * d - v);
        p -= rate * (m * unbias1) / (sqrt(v * unbias2) + eps);
    }

    /// One step of AdamW: `p <- p (1 - rate decay)`, then as [`adam_step`] without decay.
    ///
    /// # Errors
    /// Fails if the shapes differ.
    pub fn adamw_step(
        p: &mut Tensor[..],
        m: &mut Tensor[..],
        v: &mut Tensor[..],
        g: &Tensor[..],
        rate: float,
        mix1: float,
        mix2: float,
        unbias1: float,
        unbias2: float,
        eps: float,
        decay: float,
    ) {
        m += mix1 * (g - m);
        v += mix2 * (g * g - v);
        p = p * (1.0 - rate * decay) - rate * (m * unbias1) / (sqrt(v * unbias2) + eps);
    }
}

/// Running means of one parameter.
struct Moments<D: Device, T: Float> {
    first: Tensor<D, NoGrad, T>,
    second: Tensor<D, NoGrad, T>,
    steps: i32,
}

impl<D: Device, T: Float> Moments<D, T> {
    fn zeros(parameter: &Param<D, T>) -> Result<Self> {
        let zeros = || Tensor::zeros_like(parameter.value());
        Ok(Moments { first: zeros()?, second: zeros()?, steps: 0 })
    }
}

/// Adam; `weight_decay` is added to the gradient (L2), so it is divided by the running root mean square like it. For
/// decay apart from the gradient take [`AdamW`].
pub struct Adam<D: Device, T: Float = f32> {
    /// Step size.
    pub learning_rate: f64,
    /// Shares of the first and the second moment that stay.
    pub betas: (f64, f64),
    /// Added to the root of the second moment.
    pub eps: f64,
    /// Added to the gradient: this much of the parameter.
    pub weight_decay: f64,
    moments: States<Moments<D, T>>,
}

impl<D: Device, T: Float> Adam<D, T> {
    /// Betas 0.9 and 0.999, eps 1e-8, no decay; set the public fields for others.
    pub fn new(learning_rate: f64) -> Self {
        Adam { learning_rate, betas: (0.9, 0.999), eps: 1e-8, weight_decay: 0.0, moments: States::new() }
    }
}

/// Adam with decoupled weight decay: each step first shrinks the parameter by `learning_rate weight_decay` of itself.
pub struct AdamW<D: Device, T: Float = f32> {
    /// Step size.
    pub learning_rate: f64,
    /// Shares of the first and the second moment that stay.
    pub betas: (f64, f64),
    /// Added to the root of the second moment.
    pub eps: f64,
    /// Share of the parameter, times the step size, that each step takes away.
    pub weight_decay: f64,
    moments: States<Moments<D, T>>,
}

impl<D: Device, T: Float> AdamW<D, T> {
    /// Betas 0.9 and 0.999, eps 1e-8, decay 0.01; set the public fields for others.
    pub fn new(learning_rate: f64) -> Self {
        AdamW { learning_rate, betas: (0.9, 0.999), eps: 1e-8, weight_decay: 0.01, moments: States::new() }
    }
}

impl<D: Device, T: Float> Optimizer<D, T> for Adam<D, T> {
    fn step(&mut self, parameters: &mut [&mut Param<D, T>], gradients: &Gradients) -> Result<usize> {
        let (beta1, beta2) = self.betas;
        each(parameters, gradients, |parameter, gradient| {
            let moments = self.moments.of(parameter.id(), || Moments::zeros(parameter))?;
            moments.steps += 1;
            let (unbias1, unbias2) = (unbias(beta1, moments.steps), unbias(beta2, moments.steps));
            adam_step(
                parameter.value_mut(),
                &mut moments.first,
                &mut moments.second,
                gradient,
                self.learning_rate,
                1.0 - beta1,
                1.0 - beta2,
                unbias1,
                unbias2,
                self.eps,
                self.weight_decay,
            )
        })
    }
}

impl<D: Device, T: Float> Optimizer<D, T> for AdamW<D, T> {
    fn step(&mut self, parameters: &mut [&mut Param<D, T>], gradients: &Gradients) -> Result<usize> {
        let (beta1, beta2) = self.betas;
        each(parameters, gradients, |parameter, gradient| {
            let moments = self.moments.of(parameter.id(), || Moments::zeros(parameter))?;
            moments.steps += 1;
            let (unbias1, unbias2) = (unbias(beta1, moments.steps), unbias(beta2, moments.steps));
            adamw_step(
                parameter.value_mut(),
                &mut moments.first,
                &mut moments.second,
                gradient,
                self.learning_rate,
                1.0 - beta1,
                1.0 - beta2,
                unbias1,
                unbias2,
                self.eps,
                self.weight_decay,
            )
        })
    }
}

/// The factor that makes a running mean which started at 0 an unbiased one.
fn unbias(beta: f64, steps: i32) -> f64 {
    1.0 / (1.0 - beta.powi(steps))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_close, descend};

    #[test]
    fn decay_is_apart_from_the_gradient_in_adamw_only() {
        // Loss w / 2, gradient 0.5.
        let mut adamw = AdamW::new(0.1);
        let path = descend(&mut adamw, 2.0, 1, |w| (w * 0.5)?.sum());
        assert_close("adamw", &path, &[1.898], 1e-8);
        let mut adam = Adam::new(0.1);
        adam.weight_decay = 0.01;
        let path = descend(&mut adam, 2.0, 1, |w| (w * 0.5)?.sum());
        assert_close("adam", &path, &[1.9], 1e-8);
    }

    #[test]
    fn a_constant_gradient_moves_by_the_rate_each_step() {
        let path = descend(&mut Adam::new(0.1), 1.0, 3, |w| (w * 7.0)?.sum());
        assert_close("adam", &path, &[0.9, 0.8, 0.7], 1e-8);
    }
}
