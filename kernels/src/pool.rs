//! Pooling: a maximum or a mean over a window at every place.
//!
//! `window` is the size of the window, `stride` the distance of two places, `padding` the number of elements around the
//! input on each side, which never win a maximum and count as zeros in a mean; each is the same along both axes of an
//! image. A window that does not fit into the padded input is `NegativeSize`.

use tensor_rt::prelude::*;

tensor_fn! {
    // The places of a window with `room` to move; truncated division would give one place to a window that does not fit.
    fn places(room, stride) { room / stride + 1 + 2 * min(room, 0) }

    /// Largest element of each window of a sequence: `y[.., p] = max_w x[.., p stride + w - padding]`.
    ///
    /// Shapes `[.., L] -> [.., P]` with `P = (L + 2 padding - window) / stride + 1`. A window of padding alone is `-inf`.
    ///
    /// Gradient: `dx[.., l]` is the sum of `dy[.., p]` over the windows in which `x[.., l]` is the largest; equal largest
    /// elements of a window share evenly (in PyTorch the first one takes all).
    /// # Errors
    /// Fails if the window does not fit or is empty, `stride` is 0, or memory runs out.
    pub fn max_pool1d(x: &Tensor[.., L], window: usize, stride: usize, padding: usize)
        -> Tensor[.., P = places(L + 2 * padding - window, stride)] {
        max[W = window](pad_with(x[.., P * stride + W - padding], -inf))
    }

    /// Mean of each window of a sequence: `y[.., p] = mean_w x[.., p stride + w - padding]`, padding counted as zeros.
    ///
    /// Shapes `[.., L] -> [.., P]` with `P = (L + 2 padding - window) / stride + 1`.
    ///
    /// Gradient: `dx[.., l]` is the sum of `dy[.., p] / window` over the windows that cover `l`.
    /// # Errors
    /// Fails if the window does not fit, `stride` is 0, or memory runs out.
    pub fn avg_pool1d(x: &Tensor[.., L], window: usize, stride: usize, padding: usize)
        -> Tensor[.., P = places(L + 2 * padding - window, stride)] {
        mean[W = window](pad_with(x[.., P * stride + W - padding], 0.0))
    }

    /// Largest element of each square window of an image:
    /// `y[.., p, q] = max_{r, s} x[.., p stride + r - padding, q stride + s - padding]`.
    ///
    /// Shapes `[.., H, W] -> [.., P, Q]` with `P = (H + 2 padding - window) / stride + 1`, and `Q` of `W`. A window of
    /// padding alone is `-inf`.
    ///
    /// Gradient: as [`max_pool1d`]; equal largest elements share evenly (in PyTorch the first one takes all).
    /// # Errors
    /// Fails if the window does not fit or is empty, `stride` is 0, or memory runs out.
    pub fn max_pool2d(x: &Tensor[.., H, W], window: usize, stride: usize, padding: usize)
        -> Tensor[.., P = places(H + 2 * padding - window, stride), Q = places(W + 2 * padding - window, stride)] {
        max[R = window, S = window](pad_with(x[.., P * stride + R - padding, Q * stride + S - padding], -inf))
    }

    /// Mean of each square window of an image, padding counted as zeros:
    /// `y[.., p, q] = mean_{r, s} x[.., p stride + r - padding, q stride + s - padding]`.
    ///
    /// Shapes `[.., H, W] -> [.., P, Q]` with `P = (H + 2 padding - window) / stride + 1`, and `Q` of `W`.
    ///
    /// Gradient: `dx` is the sum of `dy / window^2` over the windows that cover the element.
    /// # Errors
    /// Fails if the window does not fit, `stride` is 0, or memory runs out.
    pub fn avg_pool2d(x: &Tensor[.., H, W], window: usize, stride: usize, padding: usize)
        -> Tensor[.., P = places(H + 2 * padding - window, stride), Q = places(W + 2 * padding - window, stride)] {
        mean[R = window, S = window](pad_with(x[.., P * stride + R - padding, Q * stride + S - padding], 0.0))
    }
}

#[cfg(test)]
mod tests {
    use tensor_rt::ErrorKind;

    use super::*;
    use crate::testing::{Array, Traced, array, assert_close, check_gradients, gradient};

    /// Distinct numbers in no order, so that no maximum is near a tie.
    fn distinct<const RANK: usize>(shape: [usize; RANK]) -> Array {
        let count: usize = shape.iter().product();
        let values: Vec<f64> = (0..count).map(|i| ((i * 7 + 3) % 61) as f64 * 0.25 - 5.0).collect();
        array(shape, &values)
    }

    #[test]
    fn equal_maxima_of_overlapping_windows_share() {
        let x = array([7], &[1.0, 5.0, 2.0, 5.0, 5.0, 0.0, 5.0]);
        assert_close("max_pool1d", &max_pool1d(&x, 3, 2, 0).unwrap(), &[5.0; 3], 0.0);
        let dx = gradient(&x, &array([3], &[1.0, 2.0, 4.0]), |x| max_pool1d(x, 3, 2, 0));
        assert_close("dx", &dx, &[0.0, 1.0, 0.0, 1.0, 3.0, 0.0, 2.0], 0.0);
    }

    #[test]
    fn padding_never_wins_and_counts_as_zero() {
        let x = array([3], &[-3.0, -1.0, -2.0]);
        assert_close("max_pool1d", &max_pool1d(&x, 2, 2, 1).unwrap(), &[-3.0, -1.0], 0.0);
        assert_close("avg_pool1d", &avg_pool1d(&x, 2, 2, 1).unwrap(), &[-1.5, -1.5], 0.0);
        assert_close("only padding", &max_pool1d(&x, 1, 3, 1).unwrap(), &[f64::NEG_INFINITY, -2.0], 0.0);
    }

    #[test]
    fn images_by_hand() {
        let x = array([2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        assert_close("max_pool2d", &max_pool2d(&x, 2, 1, 0).unwrap(), &[5.0, 6.0], 0.0);
        assert_close("avg_pool2d", &avg_pool2d(&x, 2, 1, 0).unwrap(), &[3.0, 4.0], 0.0);
        assert_close("avg_pool2d", &avg_pool2d(&x, 2, 2, 1).unwrap(), &[0.25, 1.25, 1.0, 2.75], 0.0);
    }

    #[test]
    fn windows_without_a_place_are_errors() {
        let x = distinct([2, 3]);
        for stride in [1, 2, 7] {
            assert_eq!(max_pool1d(&x, 4, stride, 0).unwrap_err().kind(), ErrorKind::NegativeSize);
            assert_eq!(avg_pool2d(&x, 3, stride, 0).unwrap_err().kind(), ErrorKind::NegativeSize);
        }
        assert_eq!(max_pool1d(&x, 0, 1, 0).unwrap_err().kind(), ErrorKind::EmptyReduction);
        assert_eq!(avg_pool1d(&x, 2, 0, 0).unwrap_err().kind(), ErrorKind::DivisionByZero);
    }

    #[test]
    fn gradients_match_finite_differences() {
        let (x, image) = (distinct([2, 3, 7]), distinct([2, 4, 5]));
        for (window, stride, padding) in [(2, 1, 0), (3, 2, 1), (2, 3, 0), (3, 1, 1), (1, 1, 0)] {
            let label = format!("window {window}, stride {stride}, padding {padding}");
            check_gradients(&format!("max_pool1d, {label}"), &[&x], |inputs: &[Traced]| {
                max_pool1d(&inputs[0], window, stride, padding)
            });
            check_gradients(&format!("avg_pool1d, {label}"), &[&x], |inputs: &[Traced]| {
                avg_pool1d(&inputs[0], window, stride, padding)
            });
            check_gradients(&format!("max_pool2d, {label}"), &[&image], |inputs: &[Traced]| {
                max_pool2d(&inputs[0], window, stride, padding)
            });
            check_gradients(&format!("avg_pool2d, {label}"), &[&image], |inputs: &[Traced]| {
                avg_pool2d(&inputs[0], window, stride, padding)
            });
        }
    }
}
