//! Dropout.

use tensor_rt::prelude::*;

tensor_fn! {
    /// Dropout: each element is 0 with the probability `p`, else divided by `1 - p`, so that the mean stays. `p = 0` keeps
    /// everything, `p = 1` (or more) nothing. The elements that stay are those whose `uniform(seed)` is at least `p`: the
    /// same ones for the same seed and shape. Call it while training alone.
    ///
    /// Gradient: `dx = dy / (1 - p)` where the element stayed, else exactly 0; the mask is computed again, not kept.
    /// # Errors
    /// Fails if memory runs out.
    pub fn dropout(x: &Tensor[..], p: float, seed: u64) -> Tensor[..] {
        if uniform(seed) >= p { x / (1.0 - p) } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Traced, array, assert_close, check_gradients, gradient};

    const NAN: f64 = f64::NAN;

    #[test]
    fn what_stays_is_scaled_and_the_mean_is_kept() {
        let y = dropout(&Tensor::ones(&Cpu, [1000]).unwrap(), 0.5, 1).unwrap().to_vec().unwrap();
        assert!(y.iter().all(|&y| y == 0.0 || y == 2.0));
        let mean = y.iter().sum::<f32>() / 1000.0;
        // Three standard errors of a mean of 1000: 3 / sqrt(1000).
        assert!((0.9..1.1).contains(&mean), "{mean}");
        assert_eq!(dropout(&Tensor::ones(&Cpu, [1000]).unwrap(), 0.5, 1).unwrap().to_vec().unwrap(), y);
        assert_ne!(dropout(&Tensor::ones(&Cpu, [1000]).unwrap(), 0.5, 2).unwrap().to_vec().unwrap(), y);
    }

    #[test]
    fn certain_probabilities_are_exact() {
        let (x, g) = (array([4], &[1.0, -2.0, NAN, 3.0]), array([4], &[1.0, 2.0, 3.0, 4.0]));
        assert_close("p = 0", &dropout(&x, 0.0, 7).unwrap(), &[1.0, -2.0, NAN, 3.0], 0.0);
        assert_close("p = 0", &gradient(&x, &g, |x| dropout(x, 0.0, 7)), &[1.0, 2.0, 3.0, 4.0], 0.0);
        assert_close("p = 1", &dropout(&x, 1.0, 7).unwrap(), &[0.0; 4], 0.0);
        assert_close("p = 1", &gradient(&x, &g, |x| dropout(x, 1.0, 7)), &[0.0; 4], 0.0);
    }

    #[test]
    fn forward_and_backward_drop_the_same_elements() {
        let ones = array([40, 50], &[1.0; 2000]);
        let y = dropout(&ones, 0.25, 11).unwrap().to_vec().unwrap();
        assert_eq!(gradient(&ones, &ones, |x| dropout(x, 0.25, 11)).to_vec().unwrap(), y);
    }

    #[test]
    fn gradients_match_finite_differences() {
        let x = array([2, 3], &[0.5, -1.0, 2.0, 1.5, 0.25, -0.75]);
        check_gradients("dropout", &[&x], |inputs: &[Traced]| dropout(&inputs[0], 0.5, 3));
    }
}
