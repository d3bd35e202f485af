//! Softmax and its logarithm, over the last axis or over the channels of `[N, C, ..]`.
//!
//! Invariants: the maximum of the row is subtracted before `exp`, so no finite input overflows; a row that is all
//! `-inf` (fully masked) has probabilities 0 and a zero gradient, where PyTorch gives NaN. The maximum is `detach`ed:
//! its gradient is 0 for every input.

use tensor_rt::prelude::*;

tensor_fn! {
    /// Softmax over the last axis: `y[i, c] = exp(x[i, c] - max_i) / sum_i`; zeros if a row is all `-inf`.
    ///
    /// Gradient: `dx = y (dy - sum(dy y))`.
    /// # Errors
    /// Fails if memory runs out.
    pub fn softmax(x: &Tensor[.., C]) -> Tensor[.., C] {
        let e = exp(x - shift(detach(max[C](x))));
        let s = sum[C](e);
        if s == 0.0 { 0.0 } else { e * recip(s) }
    }

    fn shift(m) { if m == -inf { 0.0 } else { m } }
}

tensor_fn! {
    /// Softmax over the second axis: `y[n, c, i] = exp(x[n, c, i] - max_ni) / sum_ni`; zeros if all are `-inf`.
    ///
    /// Gradient: `dx = y (dy - sum_c(dy y))`.
    /// # Errors
    /// Fails if memory runs out.
    pub fn softmax_channels(x: &Tensor[N, C, ..]) -> Tensor[N, C, ..] {
        let e = exp(x - shift(detach(max[C](x))));
        let s = sum[C](e);
        if s == 0.0 { 0.0 } else { e * recip(s) }
    }

    fn shift(m) { if m == -inf { 0.0 } else { m } }
}

tensor_fn! {
    /// Logarithm of the softmax over the last axis: `y = x - logsumexp(x)`; `-inf` if a row is all `-inf`.
    ///
    /// Gradient: `dx = dy - softmax(x) sum(dy)`, 0 for a row that is all `-inf`.
    /// # Errors
    /// Fails if memory runs out.
    pub fn log_softmax(x: &Tensor[.., C]) -> Tensor[.., C] {
        let d = x - shift(detach(max[C](x)));
        let s = sum[C](exp(d));
        if s == 0.0 { -inf } else { d - ln(s) }
    }

    fn shift(m) { if m == -inf { 0.0 } else { m } }
}

tensor_fn! {
    /// Logarithm of the softmax over the second axis: `y = x - logsumexp_c(x)`; `-inf` if all are `-inf`.
    ///
    /// Gradient: `dx = dy - softmax(x) sum_c(dy)`, 0 where all are `-inf`.
    /// # Errors
    /// Fails if memory runs out.
    pub fn log_softmax_channels(x: &Tensor[N, C, ..]) -> Tensor[N, C, ..] {
        let d = x - shift(detach(max[C](x)));
        let s = sum[C](exp(d));
        if s == 0.0 { -inf } else { d - ln(s) }
    }

    fn shift(m) { if m == -inf { 0.0 } else { m } }
}

tensor_fn! {
    /// Logarithm of the sum of exponentials along the last axis; `-inf` if a row is all `-inf`.
    ///
    /// Gradient: `dx = dy softmax(x)`, 0 for a row that is all `-inf`.
    /// # Errors
    /// Fails if the last axis is empty and the result is not, or memory runs out.
    pub fn logsumexp(x: &Tensor[.., C]) -> Tensor[..] {
        let m = shift(detach(max[C](x)));
        let s = sum[C](exp(x - m));
        if s == 0.0 { -inf } else { m + ln(s) }
    }

    fn shift(m) { if m == -inf || m == inf { 0.0 } else { m } }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Traced, array, assert_close, check_gradients, gradient};

    const LN2: f64 = std::f64::consts::LN_2;

    #[test]
    fn softmax_of_logarithms_are_shares() {
        let x = array([3], &[0.0, LN2, 5f64.ln()]);
        assert_close("softmax", &softmax(&x).unwrap(), &[0.125, 0.25, 0.625], 1e-15);
        let dx = gradient(&x, &array([3], &[8.0, 0.0, 0.0]), |x| softmax(x));
        assert_close("softmax", &dx, &[0.875, -0.25, -0.625], 1e-14);
    }

    #[test]
    fn softmax_of_large_inputs_is_finite() {
        let x = Tensor::new(&Cpu, [7999.99, 8000.0, 2.0, 1.0]).unwrap();
        let y = softmax(&x).unwrap().to_vec().unwrap();
        // 7999.99 is rounded to a multiple of 2^-11.
        assert!((y[0] - 0.497_558_6).abs() < 1e-4 && (y[1] - 0.502_441_4).abs() < 1e-4, "{y:?}");
        assert_eq!(y[2..], [0.0, 0.0]);
        let x = Tensor::new(&Cpu, [1000.0, 1000.0, 1000.0]).unwrap();
        assert!(softmax(&x).unwrap().to_vec().unwrap().iter().all(|y| (y - 1.0 / 3.0).abs() < 1e-7));
    }

    #[test]
    fn a_fully_masked_row_is_zeros_with_zero_gradient() {
        const M: f64 = f64::NEG_INFINITY;
        let x = array([3, 2], &[M, M, 0.0, M, 1.0, 1.0]);
        assert_close("softmax", &softmax(&x).unwrap(), &[0.0, 0.0, 1.0, 0.0, 0.5, 0.5], 0.0);
        let dx = gradient(&x, &array([3, 2], &[1.0, 2.0, 3.0, 4.0, 1.0, 0.0]), |x| softmax(x));
        assert_close("softmax", &dx, &[0.0, 0.0, 0.0, 0.0, 0.25, -0.25], 0.0);
        assert_close("log_softmax", &log_softmax(&x).unwrap(), &[M, M, 0.0, M, -LN2, -LN2], 1e-15);
        assert_close("logsumexp", &logsumexp(&x).unwrap(), &[M, 0.0, 1.0 + LN2], 1e-15);
        let dx = gradient(&x, &array([3], &[1.0, 1.0, 1.0]), |x| logsumexp(x));
        assert_close("logsumexp", &dx, &[0.0, 0.0, 1.0, 0.0, 0.5, 0.5], 0.0);
    }

    #[test]
    fn logsumexp_of_infinity_is_infinite() {
        let x = array([2], &[f64::INFINITY, 0.0]);
        assert_close("logsumexp", &logsumexp(&x).unwrap(), &[f64::INFINITY], 0.0);
    }

    #[test]
    fn empty_rows_have_no_softmax_and_no_logsumexp() {
        assert_eq!(softmax(&array([3, 0], &[])).unwrap().shape(), &[3, 0]);
        assert_eq!(logsumexp(&array([0, 3], &[])).unwrap().shape(), &[0]);
        let error = logsumexp(&array([3, 0], &[])).unwrap_err();
        assert!(error.to_string().starts_with("logsumexp: "), "{error}");
    }

    #[test]
    fn channels_are_the_last_axis_of_the_transposed() {
        let x = array([1, 2, 2], &[0.0, LN2, LN2, 0.0]);
        let (a, b) = (1.0 / 3.0, 2.0 / 3.0);
        assert_close("softmax_channels", &softmax_channels(&x).unwrap(), &[a, b, b, a], 1e-15);
        let expected = [a.ln(), b.ln(), b.ln(), a.ln()];
        assert_close("log_softmax_channels", &log_softmax_channels(&x).unwrap(), &expected, 1e-15);
    }

    #[test]
    fn gradients_match_finite_differences() {
        let x = array([2, 3, 2], &[0.5, -1.0, 2.0, 0.25, -0.5, 1.5, 3.0, -2.0, 0.0, 1.0, -1.5, 0.75]);
        check_gradients("softmax", &[&x], |inputs: &[Traced]| softmax(&inputs[0]));
        check_gradients("softmax_channels", &[&x], |inputs: &[Traced]| softmax_channels(&inputs[0]));
        check_gradients("log_softmax", &[&x], |inputs: &[Traced]| log_softmax(&inputs[0]));
        check_gradients("log_softmax_channels", &[&x], |inputs: &[Traced]| log_softmax_channels(&inputs[0]));
        check_gradients("logsumexp", &[&x], |inputs: &[Traced]| logsumexp(&inputs[0]));
    }
}
