//! Kernels of several tensors of one shape, element by element. They do not broadcast: use `broadcast_to` before, which
//! copies nothing.

use tensor_rt::prelude::*;

tensor_fn! {
    /// `a` where the mask holds, else `b`.
    ///
    /// Gradient: `da = dy` where the mask holds, else exactly 0; `db` the other way round.
    /// # Errors
    /// Fails if two shapes differ, or memory runs out.
    pub fn where_mask(mask: &Tensor<bool>[..], a: &Tensor[..], b: &Tensor[..]) -> Tensor[..] {
        if mask { a } else { b }
    }

    /// `value` where the mask holds, else `x`.
    ///
    /// Gradient: `dx = 0` where the mask holds, else `dy`.
    /// # Errors
    /// Fails if the shapes differ, or memory runs out.
    pub fn masked_fill(x: &Tensor[..], mask: &Tensor<bool>[..], value: float) -> Tensor[..] {
        if mask { value } else { x }
    }

    /// `x` limited to `low ..= high`; NaN stays NaN.
    ///
    /// Gradient: `dx = dy` strictly between the bounds and at NaN, else 0 (PyTorch: `dy` at a bound).
    /// # Errors
    /// Fails if memory runs out.
    pub fn clamp(x: &Tensor[..], low: float, high: float) -> Tensor[..] {
        clamp(x, low, high)
    }

    /// The smaller of two elements; NaN if one is.
    ///
    /// Gradient: `dy` to the smaller, half to each if they are equal.
    /// # Errors
    /// Fails if the shapes differ, or memory runs out.
    pub fn minimum(x: &Tensor[..], z: &Tensor[..]) -> Tensor[..] {
        min(x, z)
    }

    /// The larger of two elements; NaN if one is.
    ///
    /// Gradient: `dy` to the larger, half to each if they are equal.
    /// # Errors
    /// Fails if the shapes differ, or memory runs out.
    pub fn maximum(x: &Tensor[..], z: &Tensor[..]) -> Tensor[..] {
        max(x, z)
    }

    /// Power: `y = x^z`; `0^0` is 1.
    ///
    /// Gradient: `dx = dy z x^(z - 1)`, 0 where `z = 0`; `dz = dy y ln(x)`, 0 where `x = 0` and `z >= 0`.
    /// # Errors
    /// Fails if the shapes differ, or memory runs out.
    pub fn power(x: &Tensor[..], z: &Tensor[..]) -> Tensor[..] {
        powf(x, z)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Traced, array, assert_close, check_gradients, gradient};

    const NAN: f64 = f64::NAN;
    const INF: f64 = f64::INFINITY;

    fn mask(values: &[bool]) -> Tensor<Cpu, NoGrad, bool> {
        Tensor::from_vec(&Cpu, values.to_vec(), [values.len()]).unwrap()
    }

    #[test]
    fn the_untaken_side_of_a_mask_adds_nothing() {
        let (a, b) = (array([3], &[1.0, NAN, INF]), array([3], &[NAN, 2.0, 3.0]));
        let mask = mask(&[true, false, false]);
        assert_close("where_mask", &where_mask(&mask, &a, &b).unwrap(), &[1.0, 2.0, 3.0], 0.0);
        let g = array([3], &[10.0, 20.0, 30.0]);
        assert_close("da", &gradient(&a, &g, |a| where_mask(&mask, a, &b)), &[10.0, 0.0, 0.0], 0.0);
        assert_close("db", &gradient(&b, &g, |b| where_mask(&mask, &a, b)), &[0.0, 20.0, 30.0], 0.0);
        assert_close("masked_fill", &masked_fill(&b, &mask, -INF).unwrap(), &[-INF, 2.0, 3.0], 0.0);
        let dx = gradient(&b, &g, |b| masked_fill(b, &mask, -INF));
        assert_close("masked_fill", &dx, &[0.0, 20.0, 30.0], 0.0);
    }

    #[test]
    fn clamp_keeps_nan_and_has_no_gradient_at_its_bounds() {
        let x = array([5], &[NAN, -1.0, 0.0, 0.5, 2.0]);
        assert_close("clamp", &clamp(&x, 0.0, 1.0).unwrap(), &[NAN, 0.0, 0.0, 0.5, 1.0], 0.0);
        let dx = gradient(&x, &array([5], &[1.0; 5]), |x| clamp(x, 0.0, 1.0));
        assert_close("clamp", &dx, &[1.0, 0.0, 0.0, 1.0, 0.0], 0.0);
    }

    #[test]
    fn equal_elements_share_the_gradient() {
        let (x, z) = (array([3], &[1.0, 2.0, 5.0]), array([3], &[1.0, 3.0, 4.0]));
        let g = array([3], &[2.0, 2.0, 2.0]);
        assert_close("maximum", &maximum(&x, &z).unwrap(), &[1.0, 3.0, 5.0], 0.0);
        assert_close("minimum", &minimum(&x, &z).unwrap(), &[1.0, 2.0, 4.0], 0.0);
        assert_close("maximum", &gradient(&x, &g, |x| maximum(x, &z)), &[1.0, 0.0, 2.0], 0.0);
        assert_close("minimum", &gradient(&z, &g, |z| minimum(&x, z)), &[1.0, 0.0, 2.0], 0.0);
        let nan = maximum(&array([2], &[NAN, 1.0]), &array([2], &[1.0, NAN])).unwrap();
        assert_close("maximum", &nan, &[NAN, NAN], 0.0);
    }

    #[test]
    fn power_of_zero_has_a_defined_gradient() {
        let (x, z) = (array([3], &[0.0, 0.0, 2.0]), array([3], &[0.0, 2.0, 3.0]));
        assert_close("power", &power(&x, &z).unwrap(), &[1.0, 0.0, 8.0], 1e-15);
        let g = array([3], &[1.0; 3]);
        assert_close("dx", &gradient(&x, &g, |x| power(x, &z)), &[0.0, 0.0, 12.0], 1e-14);
        assert_close("dz", &gradient(&z, &g, |z| power(&x, z)), &[0.0, 0.0, 8.0 * 2f64.ln()], 1e-14);
    }

    #[test]
    fn shapes_do_not_broadcast() {
        let error = maximum(&array([3, 1], &[0.0; 3]), &array([3], &[0.0; 3])).unwrap_err();
        assert!(error.to_string().starts_with("maximum: "), "{error}");
    }

    #[test]
    fn gradients_match_finite_differences() {
        let (x, z) = (array([2, 2], &[0.5, 1.5, 2.0, 0.25]), array([2, 2], &[0.75, 1.0, -1.0, 2.0]));
        let mask = Tensor::from_vec(&Cpu, vec![true, false, false, true], [2, 2]).unwrap();
        check_gradients("where_mask", &[&x, &z], |inputs: &[Traced]| where_mask(&mask, &inputs[0], &inputs[1]));
        check_gradients("masked_fill", &[&x], |inputs: &[Traced]| masked_fill(&inputs[0], &mask, 3.0));
        check_gradients("clamp", &[&x], |inputs: &[Traced]| clamp(&inputs[0], 0.3, 1.7));
        check_gradients("minimum", &[&x, &z], |inputs: &[Traced]| minimum(&inputs[0], &inputs[1]));
        check_gradients("maximum", &[&x, &z], |inputs: &[Traced]| maximum(&inputs[0], &inputs[1]));
        check_gradients("power", &[&x, &z], |inputs: &[Traced]| power(&inputs[0], &inputs[1]));
    }
}
