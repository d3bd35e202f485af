//! Losses of the difference between a prediction and its target.

use tensor_rt::prelude::*;

tensor_fn! {
    /// Mean of the squared difference.
    ///
    /// Gradient: `dx = 2 (x - target) dy / elements`, `dtarget = -dx`.
    /// # Errors
    /// Fails if the shapes differ, or memory runs out.
    pub fn mse(x: &Tensor[..], target: &Tensor[..]) -> Tensor[] {
        let d = x - target;
        mean[..](d * d)
    }

    /// Mean of the absolute difference.
    ///
    /// Gradient: `dx = sign(x - target) dy / elements` (0 where they are equal), `dtarget = -dx`.
    /// # Errors
    /// Fails if the shapes differ, or memory runs out.
    pub fn l1(x: &Tensor[..], target: &Tensor[..]) -> Tensor[] {
        mean[..](abs(x - target))
    }

    /// Mean of `d^2 / 2` where `|d| < delta`, else `delta (|d| - delta / 2)`, for `d = x - target`.
    ///
    /// Gradient: `dx = clamp(d, -delta, delta) dy / elements`, `dtarget = -dx`.
    /// # Errors
    /// Fails if the shapes differ, or memory runs out.
    pub fn huber(x: &Tensor[..], target: &Tensor[..], delta: float) -> Tensor[] {
        let d = abs(x - target);
        mean[..](if d < delta { 0.5 * d * d } else { delta * (d - 0.5 * delta) })
    }

    /// Mean of `d^2 / (2 beta)` where `|d| < beta`, else `|d| - beta / 2`, for `d = x - target`; with `beta = 0` it is
    /// [`l1`].
    ///
    /// Gradient: `dx = clamp(d / beta, -1, 1) dy / elements`, `dtarget = -dx`.
    /// # Errors
    /// Fails if the shapes differ, or memory runs out.
    pub fn smooth_l1(x: &Tensor[..], target: &Tensor[..], beta: float) -> Tensor[] {
        let d = abs(x - target);
        mean[..](if d < beta { 0.5 * d * d / beta } else { d - 0.5 * beta })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Traced, array, assert_close, check_gradients, gradient};

    #[test]
    fn values_by_hand() {
        let (x, target) = (array([4], &[1.0, -2.0, 0.5, 3.0]), array([4], &[1.0, 1.0, 0.0, 1.0]));
        assert_close("mse", &mse(&x, &target).unwrap(), &[13.25 / 4.0], 0.0);
        assert_close("l1", &l1(&x, &target).unwrap(), &[5.5 / 4.0], 0.0);
        assert_close("huber", &huber(&x, &target, 2.0).unwrap(), &[(4.0 + 0.125 + 2.0) / 4.0], 0.0);
        assert_close("smooth_l1", &smooth_l1(&x, &target, 2.0).unwrap(), &[(2.0 + 0.0625 + 1.0) / 4.0], 0.0);
        assert_close("smooth_l1", &smooth_l1(&x, &target, 0.0).unwrap(), &[5.5 / 4.0], 0.0);
    }

    #[test]
    fn equal_elements_have_no_gradient() {
        let (x, four) = (array([4], &[1.0, -2.0, 0.5, 3.0]), array([], &[4.0]));
        for loss in [l1, mse] {
            assert_close("zero", &gradient(&x, &four, |x| loss(x, &x.detach())), &[0.0; 4], 0.0);
        }
        let target = array([4], &[1.0, 1.0, 0.0, 1.0]);
        assert_close("l1", &gradient(&x, &four, |x| l1(x, &target)), &[0.0, -1.0, 1.0, 1.0], 0.0);
        assert_close("huber", &gradient(&x, &four, |x| huber(x, &target, 2.0)), &[0.0, -2.0, 0.5, 2.0], 1e-15);
    }

    #[test]
    fn losses_never_broadcast() {
        let (x, target) = (array([3, 1], &[1.0, 2.0, 3.0]), array([3], &[1.0, 2.0, 3.0]));
        for loss in [mse, l1] {
            let error = loss(&x, &target).unwrap_err().to_string();
            assert!(error.contains("[3, 1]") && error.contains("[3]"), "{error}");
        }
        assert!(huber(&x, &target, 1.0).is_err() && smooth_l1(&x, &target, 1.0).is_err());
    }

    #[test]
    fn gradients_match_finite_differences() {
        // No difference is 0 or at a bound.
        let x = array([2, 3], &[0.5, -1.0, 2.0, 0.25, -0.5, 1.5]);
        let z = array([2, 3], &[0.25, 1.0, 1.5, -1.25, -1.5, 3.5]);
        check_gradients("mse", &[&x, &z], |inputs: &[Traced]| mse(&inputs[0], &inputs[1]));
        check_gradients("l1", &[&x, &z], |inputs: &[Traced]| l1(&inputs[0], &inputs[1]));
        check_gradients("huber", &[&x, &z], |inputs: &[Traced]| huber(&inputs[0], &inputs[1], 0.8));
        check_gradients("smooth_l1", &[&x, &z], |inputs: &[Traced]| smooth_l1(&inputs[0], &inputs[1], 0.8));
    }
}
