//! Stochastic gradient descent.

use tensor_rt::prelude::*;

use super::{Optimizer, States, each};

tensor_fn! {
    /// One step without momentum: `p <- p - rate (g + decay p)`.
    ///
    /// # Errors
    /// Fails if the shapes differ.
    pub fn sgd_step(p: &mut Tensor[..], g: &Tensor[..], rate: float, decay: float) {
        p -= rate * (g + decay * p);
    }

    /// One step with momentum: `v <- momentum v + d` with `d = g + decay p`, then `p <- p - rate v`, or
    /// `p <- p - rate (d + momentum v)` in Nesterov's form.
    ///
    /// # Errors
    /// Fails if the shapes differ.
    pub fn sgd_momentum_step(
        p: &mut Tensor[..],
        v: &mut Tensor[..],
        g: &Tensor[..],
        rate: float,
        momentum: float,
        decay: float,
        nesterov: bool,
    ) {
        let d = g + decay * p;
        v = momentum * v + d;
        p -= rate * if nesterov { d + momentum * v } else { v };
    }
}

/// Stochastic gradient descent with momentum, Nesterov's form of it, and weight decay added to the gradient.
pub struct Sgd<D: Device, T: Float = f32> {
    /// Step size.
    pub learning_rate: f64,
    /// Share of the velocity that stays; 0 for none.
    pub momentum: f64,
    /// Looks ahead along the velocity.
    pub nesterov: bool,
    /// Added to the gradient: this much of the parameter.
    pub weight_decay: f64,
    velocities: States<Tensor<D, NoGrad, T>>,
}

impl<D: Device, T: Float> Sgd<D, T> {
    /// Plain descent; set the public fields for more.
    pub fn new(learning_rate: f64) -> Self {
        Sgd { learning_rate, momentum: 0.0, nesterov: false, weight_decay: 0.0, velocities: States::new() }
    }
}

impl<D: Device, T: Float> Optimizer<D, T> for Sgd<D, T> {
    fn step(&mut self, parameters: &mut [&mut Param<D, T>], gradients: &Gradients) -> Result<usize> {
        each(parameters, gradients, |parameter, gradient| {
            let (rate, decay) = (self.learning_rate, self.weight_decay);
            if self.momentum == 0.0 {
                return sgd_step(parameter.value_mut(), gradient, rate, decay);
            }
            let velocity = self.velocities.of(parameter.id(), || Tensor::zeros_like(parameter.value()))?;
            sgd_momentum_step(parameter.value_mut(), velocity, gradient, rate, self.momentum, decay, self.nesterov)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{array, assert_close, descend};

    #[test]
    fn a_step_by_hand() {
        let mut p = array([2], &[1.0, -2.0]);
        sgd_step(&mut p, &array([2], &[0.5, 0.25]), 0.1, 0.0).unwrap();
        assert_close("sgd_step", &p, &[0.95, -2.025], 1e-15);
        sgd_step(&mut p, &array([2], &[0.0, 0.0]), 0.1, 0.5).unwrap();
        assert_close("sgd_step", &p, &[0.95 * 0.95, -2.025 * 0.95], 1e-15);
    }

    #[test]
    fn momentum_accumulates() {
        let mut sgd = Sgd::new(0.1);
        sgd.momentum = 0.9;
        // Loss w, gradient 1.
        let path = descend(&mut sgd, 1.0, 4, |w| w.sum());
        assert_close("sgd", &path, &[0.9, 0.71, 0.439, 0.0951], 1e-14);
    }

    #[test]
    fn nesterov_looks_ahead() {
        let mut sgd = Sgd::new(0.1);
        (sgd.momentum, sgd.nesterov) = (0.9, true);
        let path = descend(&mut sgd, 1.0, 2, |w| w.sum());
        assert_close("sgd", &path, &[0.81, 0.539], 1e-14);
    }

    #[test]
    fn gradients_do_not_pile_up() {
        let path = descend(&mut Sgd::new(0.1), 0.0, 2, |w| ((w - 1.0)? * (w - 1.0)?)?.sum());
        assert_close("sgd", &path, &[0.2, 0.36], 1e-14);
    }
}
