//! Normalisations: centred, scaled to variance 1, then an affine map per channel.
//!
//! Invariants: the variance is the mean of centred squares, never `E[x^2] - E[x]^2`; `eps` stands under the root, in
//! forward and backward. A mean far from 0 is rounded by more than small deviations are long; what the rounding left in
//! the deviations (`c`, 0 in exact arithmetic, so without a gradient) is taken out in the pass that squares them.

use tensor_rt::prelude::*;

tensor_fn! {
    /// Layer norm over the last axis: `y = (x - mean) / sqrt(var + eps) gamma + beta`, with the population variance.
    ///
    /// Gradient, with `n` the normalised `x`, `r = 1 / sqrt(var + eps)` and `h = dy gamma`:
    /// `dx = r (h - mean(h) - n mean(h n))`, `dgamma = sum(dy n)`, `dbeta = sum(dy)` over the leading axes.
    /// # Errors
    /// Fails if `gamma` or `beta` is not as long as a row, or memory runs out.
    pub fn layer_norm(x: &Tensor[.., C], gamma: &Tensor[C], beta: &Tensor[C], eps: float) -> Tensor[.., C] {
        let d = x - mean[C](x);
        let c = detach(mean[C](d));
        (d - c) * rsqrt(mean[C](d * d) - c * c + eps) * gamma + beta
    }

    /// Root-mean-square norm over the last axis: `y = x / sqrt(mean(x^2) + eps) gamma`.
    ///
    /// Gradient, with `r = 1 / sqrt(mean(x^2) + eps)`, `n = r x` and `h = dy gamma`: `dx = r (h - n mean(h n))`,
    /// `dgamma = sum(dy n)` over the leading axes.
    /// # Errors
    /// Fails if `gamma` is not as long as a row, or memory runs out.
    pub fn rms_norm(x: &Tensor[.., C], gamma: &Tensor[C], eps: float) -> Tensor[.., C] {
        x * rsqrt(mean[C](x * x) + eps) * gamma
    }

    /// Group norm: the channels `C` of one group `G` are centred and scaled together; `gamma` and `beta` per channel.
    /// `x` is `[N, G, C, ..]`: split the channels with `reshape` before, which copies nothing.
    ///
    /// Gradient: as [`layer_norm`], with the means over `C` and the trailing axes.
    /// # Errors
    /// Fails if `gamma` or `beta` is not `[G, C]`, or memory runs out.
    pub fn group_norm(x: &Tensor[N, G, C, ..], gamma: &Tensor[G, C], beta: &Tensor[G, C], eps: float) -> Tensor[N, G, C, ..] {
        let d = x - mean[C, ..](x);
        let c = detach(mean[C, ..](d));
        (d - c) * rsqrt(mean[C, ..](d * d) - c * c + eps) * gamma + beta
    }

    /// Instance norm: each channel of each sample is centred and scaled over its trailing axes.
    ///
    /// Gradient: as [`layer_norm`], with the means over the trailing axes.
    /// # Errors
    /// Fails if `gamma` or `beta` has not one element for each channel, or memory runs out.
    pub fn instance_norm(x: &Tensor[N, C, ..], gamma: &Tensor[C], beta: &Tensor[C], eps: float) -> Tensor[N, C, ..] {
        let d = x - mean[..](x);
        let c = detach(mean[..](d));
        (d - c) * rsqrt(mean[..](d * d) - c * c + eps) * gamma + beta
    }

    /// Batch norm for training: each channel is centred and scaled over the batch and the trailing axes. Returns the
    /// result, the mean and the population variance of each channel.
    ///
    /// Gradient: as [`layer_norm`], with the means over all axes but `C`.
    /// # Errors
    /// Fails if `gamma` or `beta` has not one element for each channel, or memory runs out.
    pub fn batch_norm(x: &Tensor[N, C, ..], gamma: &Tensor[C], beta: &Tensor[C], eps: float) -> (Tensor[N, C, ..], Tensor[C], Tensor[C]) {
        let m = mean[N, ..](x);
        let d = x - m;
        let c = detach(mean[N, ..](d));
        let v = mean[N, ..](d * d) - c * c;
        ((d - c) * rsqrt(v + eps) * gamma + beta, m, v)
    }

    /// Batch norm for evaluation: `y = (x - mean[c]) / sqrt(var[c] + eps) gamma + beta` with running statistics, which
    /// have no gradient.
    ///
    /// Gradient: `dx = dy gamma / sqrt(var + eps)`; `dgamma` and `dbeta` as in training.
    /// # Errors
    /// Fails if a parameter has not one element for each channel, or memory runs out.
    pub fn batch_norm_running(
        x: &Tensor[N, C, ..],
        gamma: &Tensor[C],
        beta: &Tensor[C],
        running_mean: &Tensor<NoGrad>[C],
        running_var: &Tensor<NoGrad>[C],
        eps: float,
    ) -> Tensor[N, C, ..] {
        (x - running_mean) * rsqrt(running_var + eps) * gamma + beta
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Traced, array, assert_close, check_gradients, gradient};

    #[test]
    fn layer_norm_by_hand() {
        let x = array([4], &[1.0, 1.0, 3.0, 3.0]);
        let (gamma, beta) = (array([4], &[1.0, 2.0, 1.0, 1.0]), array([4], &[0.0, 0.0, 0.0, 5.0]));
        assert_close("layer_norm", &layer_norm(&x, &gamma, &beta, 0.0).unwrap(), &[-1.0, -2.0, 1.0, 6.0], 1e-15);
        let dx = gradient(&x, &array([4], &[1.0, 0.0, 0.0, 0.0]), |x| layer_norm(x, &gamma, &beta, 0.0));
        assert_close("layer_norm", &dx, &[0.5, -0.5, 0.0, 0.0], 1e-15);
    }

    #[test]
    fn layer_norm_of_a_zero_row_has_a_finite_gradient() {
        let (x, one, zero) = (array([4], &[0.0; 4]), array([4], &[1.0; 4]), array([4], &[0.0; 4]));
        let dx = gradient(&x, &array([4], &[1.0, 0.0, 0.0, 0.0]), |x| layer_norm(x, &one, &zero, 1e-5));
        assert_close("layer_norm", &dx, &[237.17082451, -79.05694150, -79.05694150, -79.05694150], 1e-6);
    }

    #[test]
    fn layer_norm_keeps_its_digits_far_from_zero() {
        let one = Tensor::ones(&Cpu, [16]).unwrap();
        let zero = Tensor::zeros(&Cpu, [16]).unwrap();
        for (mean, expected) in [(0.0, -1.341641), (100.0, -1.341528), (1000.0, -1.341508), (10000.0, -1.331333)] {
            let row: Vec<f32> = (0..16).map(|i| (mean + f64::from(i) * 1e-3) as f32).collect();
            let y = layer_norm(&Tensor::from_vec(&Cpu, row, [16]).unwrap(), &one, &zero, 1e-5).unwrap();
            let first = y.to_vec().unwrap()[0];
            assert!((f64::from(first) - expected).abs() < 1e-5, "mean {mean}: {first}, expected {expected}");
        }
    }

    #[test]
    fn rms_norm_by_hand() {
        let x = array([2, 2], &[3.0, -1.0, 0.0, 0.0]);
        let y = rms_norm(&x, &array([2], &[1.0, 2.0]), 4.0).unwrap();
        assert_close("rms_norm", &y, &[1.0, -2.0 / 3.0, 0.0, 0.0], 1e-15);
    }

    #[test]
    fn a_batch_norm_returns_its_statistics() {
        let x = array([2, 2, 1], &[1.0, 10.0, 3.0, 10.0]);
        let (gamma, beta) = (array([2], &[2.0, 1.0]), array([2], &[0.0, 7.0]));
        let (y, mean, var) = batch_norm(&x, &gamma, &beta, 0.0625).unwrap();
        let scale = 2.0 / 1.0625f64.sqrt();
        assert_close("batch_norm", &y, &[-scale, 7.0, scale, 7.0], 1e-15);
        assert_close("mean", &mean, &[2.0, 10.0], 0.0);
        assert_close("var", &var, &[1.0, 0.0], 0.0);
        let running = batch_norm_running(&x, &gamma, &beta, &mean, &var, 0.0625).unwrap();
        assert_close("batch_norm_running", &running, &[-scale, 7.0, scale, 7.0], 1e-15);
    }

    #[test]
    fn group_and_instance_norm_by_hand() {
        let x = array([1, 1, 2, 2], &[1.0, 3.0, 1.0, 3.0]);
        let (gamma, beta) = (array([1, 2], &[1.0, 3.0]), array([1, 2], &[0.0, 1.0]));
        assert_close("group_norm", &group_norm(&x, &gamma, &beta, 0.0).unwrap(), &[-1.0, 1.0, -2.0, 4.0], 1e-15);
        let x = array([1, 2, 2], &[1.0, 3.0, 10.0, 30.0]);
        let (gamma, beta) = (array([2], &[1.0, 3.0]), array([2], &[0.0, 1.0]));
        assert_close("instance_norm", &instance_norm(&x, &gamma, &beta, 0.0).unwrap(), &[-1.0, 1.0, -2.0, 4.0], 1e-15);
    }

    #[test]
    fn gradients_match_finite_differences() {
        let x = array([2, 3, 2], &[0.5, -1.0, 2.0, 0.25, -0.5, 1.5, 3.0, -2.0, 0.0, 1.0, -1.5, 0.75]);
        let (two, three) = (array([2], &[0.5, 2.0]), array([3], &[1.0, -0.5, 0.25]));
        check_gradients("layer_norm", &[&x, &two, &two], |inputs: &[Traced]| {
            layer_norm(&inputs[0], &inputs[1], &inputs[2], 0.1)
        });
        check_gradients("rms_norm", &[&x, &two], |inputs: &[Traced]| rms_norm(&inputs[0], &inputs[1], 0.1));
        check_gradients("instance_norm", &[&x, &three, &three], |inputs: &[Traced]| {
            instance_norm(&inputs[0], &inputs[1], &inputs[2], 0.1)
        });
        let groups = array([3, 2], &[0.5, 2.0, 1.0, -0.5, 0.25, 1.5]);
        let wide = x.reshape([1, 3, 2, 2]).unwrap();
        check_gradients("group_norm", &[&wide, &groups, &groups], |inputs: &[Traced]| {
            group_norm(&inputs[0], &inputs[1], &inputs[2], 0.1)
        });
        for output in 0..3 {
            check_gradients("batch_norm", &[&x, &three, &three], |inputs: &[Traced]| {
                let (y, mean, var) = batch_norm(&inputs[0], &inputs[1], &inputs[2], 0.1)?;
                // Every output in turn, with the others in the graph.
                match output {
                    0 => Ok(y),
                    1 => y.sum()? * mean,
                    _ => y.sum()? * var,
                }
            });
        }
        check_gradients("batch_norm_running", &[&x, &three, &three], |inputs: &[Traced]| {
            let (mean, var) = (array([3], &[0.5, 0.0, -0.5]), array([3], &[1.0, 2.0, 0.5]));
            batch_norm_running(&inputs[0], &inputs[1], &inputs[2], &mean, &var, 0.1)
        });
    }
}
