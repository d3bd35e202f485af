//! Layers: parameters with a kernel.
//!
//! A layer's `forward` is generic over the mode of its parameters: `forward::<Grad, _>` trains, `forward::<NoGrad, _>`
//! evaluates and keeps no graph. Invariant: a layer's parameters are the ones it was made with, listed in one order.

use tensor_rt::prelude::*;

use crate::contraction::linear;

/// `y = x w^T + b` on the last axis.
pub struct Linear<D: Device, T: Float = f32> {
    /// `[outputs, inputs]`.
    pub weight: Param<D, T>,
    /// `[outputs]`.
    pub bias: Param<D, T>,
}

impl<D: Device> Linear<D> {
    /// Weights from a normal distribution with variance `2 / inputs` (He and others, 2015), which keeps the variance of
    /// activations that halve it; biases 0. The same seed gives the same weights on every device.
    ///
    /// # Errors
    /// Fails if memory runs out.
    pub fn new(device: &D, inputs: usize, outputs: usize, seed: u64) -> Result<Self> {
        let deviation = (2.0 / inputs.max(1) as f64).sqrt();
        let weight = (Tensor::randn(device, [outputs, inputs], seed)? * deviation)?;
        Ok(Linear { weight: Param::new(weight), bias: Param::new(Tensor::zeros(device, [outputs])?) })
    }
}

impl<D: Device, T: Float> Linear<D, T> {
    /// Applies the layer; the parameters take part with mode `M`.
    ///
    /// # Errors
    /// Fails if the last axis of `x` is not as long as the layer has inputs, or memory runs out.
    pub fn forward<M: GradMode, X: GradMode + Join<M>>(
        &self,
        x: &Tensor<D, X, T>,
    ) -> Result<Tensor<D, <X as Join<M>>::Out, T>> {
        linear(x, &self.weight.get::<M>(), &self.bias.get::<M>())
    }

    /// The weight and the bias, for an optimizer.
    pub fn parameters(&mut self) -> [&mut Param<D, T>; 2] {
        [&mut self.weight, &mut self.bias]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loss::mse;
    use crate::optimizer::{Optimizer, Sgd};

    #[test]
    fn a_layer_starts_with_the_variance_of_its_width() {
        let layer = Linear::new(&Cpu, 400, 200, 7).unwrap();
        let weights = layer.weight.value().to_vec().unwrap();
        let square = weights.iter().map(|w| f64::from(w * w)).sum::<f64>() / weights.len() as f64;
        // The deviation of the mean of 80,000 squares is half a percent of it.
        assert!((square * 200.0 - 1.0).abs() < 0.02, "{square}");
        assert!(layer.bias.value().to_vec().unwrap().iter().all(|&b| b == 0.0));
        let again = Linear::new(&Cpu, 400, 200, 7).unwrap();
        assert_eq!(again.weight.value().to_vec().unwrap(), weights);
        let other = Linear::new(&Cpu, 400, 200, 8).unwrap();
        assert_ne!(other.weight.value().to_vec().unwrap(), weights);
    }

    #[test]
    fn a_layer_learns_a_linear_map() {
        let mut layer = Linear::new(&Cpu, 2, 1, 1).unwrap();
        let x = Tensor::new(&Cpu, [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [-1.0, 1.0]]).unwrap();
        // y = 2 a - b + 0.5
        let target = Tensor::new(&Cpu, [[2.5], [-0.5], [1.5], [-2.5]]).unwrap();
        let mut sgd = Sgd::new(0.3);
        for _ in 0..200 {
            let loss = mse(&layer.forward::<Grad, _>(&x).unwrap(), &target).unwrap();
            let updated = sgd.step(&mut layer.parameters(), &loss.backward().unwrap()).unwrap();
            assert_eq!(updated, 2);
        }
        let found = layer.forward::<NoGrad, _>(&x).unwrap();
        let error = mse(&found, &target).unwrap().item().unwrap();
        assert!(error < 1e-8, "{error}");
    }
}
