//! Convolutions: correlations of an image with a small kernel at every place, as neural networks define them.
//!
//! Axes: `N` images, `C` channels of the input, `O` channels of the output; `L` or `H, W` the image, `P` or `P, Q` the
//! places, `W` or `R, S` the kernel. `stride` is the distance of two places, `padding` the number of zeros around the image
//! on each side, `dilation` the distance of two elements of the kernel; each is the same along both axes of an image.
//!
//! Invariants: the gradients are gathers, so they are the same bits for any number of threads; a kernel that does not fit
//! into the padded image is `NegativeSize`.

use tensor_rt::prelude::*;

tensor_fn! {
    // The places of a kernel with `room` to move; truncated division would give one place to a kernel that does not fit.
    fn places(room, stride) { room / stride + 1 + 2 * min(room, 0) }

    /// Convolution of sequences: `y[n, o, p] = b[o] + sum_{c, w} x[n, c, p stride + w dilation - padding] k[o, c, w]`.
    ///
    /// Shapes `[N, C, L], [O, C, W], [O] -> [N, O, P]` with `P = (L + 2 padding - dilation (W - 1) - 1) / stride + 1`.
    ///
    /// Gradient: `dx[n, c, l]` is the sum of `dy[n, o, p] k[o, c, w]` over the places that read `l`,
    /// `dk[o, c, w] = sum_{n, p} dy[n, o, p] x[n, c, p stride + w dilation - padding]`, `db = sum_{n, p} dy`.
    /// # Errors
    /// Fails if the kernel does not fit, `stride` is 0, an axis has two sizes, or memory runs out.
    pub fn conv1d(
        x: &Tensor[N, C, L],
        k: &Tensor[O, C, W],
        b: &Tensor[O],
        stride: usize,
        padding: usize,
        dilation: usize,
    ) -> Tensor[N, O, P = places(L + 2 * padding - dilation * (W - 1) - 1, stride)] {
        sum[C, W](pad_with(x[N, C, P * stride + W * dilation - padding], 0.0) * k) + b
    }

    /// Convolution of images:
    /// `y[n, o, p, q] = b[o] + sum_{c, r, s} x[n, c, p stride + r dilation - padding, q stride + s dilation - padding]
    /// k[o, c, r, s]`.
    ///
    /// Shapes `[N, C, H, W], [O, C, R, S], [O] -> [N, O, P, Q]` with `P` of `H` and `R`, and `Q` of `W` and `S`, as in
    /// [`conv1d`]; so are the gradients.
    /// # Errors
    /// Fails if the kernel does not fit, `stride` is 0, an axis has two sizes, or memory runs out.
    pub fn conv2d(
        x: &Tensor[N, C, H, W],
        k: &Tensor[O, C, R, S],
        b: &Tensor[O],
        stride: usize,
        padding: usize,
        dilation: usize,
    ) -> Tensor[
        N,
        O,
        P = places(H + 2 * padding - dilation * (R - 1) - 1, stride),
        Q = places(W + 2 * padding - dilation * (S - 1) - 1, stride)
    ] {
        let image = pad_with(x[N, C, P * stride + R * dilation - padding, Q * stride + S * dilation - padding], 0.0);
        sum[C, R, S](image * k) + b
    }

    /// [`conv2d`] of groups of channels, each with kernels of its own:
    /// `y[n, g, o, p, q] = b[g, o] + sum_{c, r, s} x[n, g, c, p stride + r dilation - padding, ..] k[g, o, c, r, s]`.
    ///
    /// Shapes `[N, G, C, H, W], [G, O, C, R, S], [G, O] -> [N, G, O, P, Q]`: where PyTorch takes `groups`, here they are
    /// an axis; `reshape` splits and joins channels without a copy.
    /// # Errors
    /// Fails if the kernel does not fit, `stride` is 0, an axis has two sizes, or memory runs out.
    pub fn grouped_conv2d(
        x: &Tensor[N, G, C, H, W],
        k: &Tensor[G, O, C, R, S],
        b: &Tensor[G, O],
        stride: usize,
        padding: usize,
        dilation: usize,
    ) -> Tensor[
        N,
        G,
        O,
        P = places(H + 2 * padding - dilation * (R - 1) - 1, stride),
        Q = places(W + 2 * padding - dilation * (S - 1) - 1, stride)
    ] {
        let image = pad_with(x[N, G, C, P * stride + R * dilation - padding, Q * stride + S * dilation - padding], 0.0);
        sum[C, R, S](image * k) + b
    }

    /// Each channel of an image with a kernel of its own:
    /// `y[n, c, p, q] = sum_{r, s} x[n, c, p stride + r dilation - padding, q stride + s dilation - padding] k[c, r, s]`.
    ///
    /// Shapes `[N, C, H, W], [C, R, S] -> [N, C, P, Q]`; sizes and gradients as in [`conv2d`].
    /// # Errors
    /// Fails if the kernel does not fit, `stride` is 0, an axis has two sizes, or memory runs out.
    pub fn depthwise_conv2d(
        x: &Tensor[N, C, H, W],
        k: &Tensor[C, R, S],
        stride: usize,
        padding: usize,
        dilation: usize,
    ) -> Tensor[
        N,
        C,
        P = places(H + 2 * padding - dilation * (R - 1) - 1, stride),
        Q = places(W + 2 * padding - dilation * (S - 1) - 1, stride)
    ] {
        let image = pad_with(x[N, C, P * stride + R * dilation - padding, Q * stride + S * dilation - padding], 0.0);
        sum[R, S](image * k)
    }
}

#[cfg(test)]
mod tests {
    use tensor_rt::ErrorKind;

    use super::*;
    use crate::testing::{Array, Traced, array, assert_close, check_gradients, gradient};

    /// Numbers without a pattern that a kernel could share.
    fn numbers<const RANK: usize>(shape: [usize; RANK]) -> Array {
        let count = shape.iter().product();
        let values: Vec<f64> = (0..count).map(|i| (1.0 + i as f64 * 0.7).sin()).collect();
        array(shape, &values)
    }

    #[test]
    fn a_sequence_by_hand() {
        let (x, k) = (array([1, 1, 5], &[1.0, 2.0, 3.0, 4.0, 5.0]), array([1, 1, 3], &[1.0, 10.0, 100.0]));
        let b = array([1], &[0.0]);
        assert_close("conv1d", &conv1d(&x, &k, &b, 2, 1, 1).unwrap(), &[210.0, 432.0, 54.0], 0.0);
        assert_close("conv1d", &conv1d(&x, &k, &b, 1, 0, 2).unwrap(), &[531.0], 0.0);
        let g = array([1, 1, 3], &[1.0, 2.0, 3.0]);
        let dx = gradient(&x, &g, |x| conv1d(x, &k.clone().requires_grad(), &b.clone().requires_grad(), 2, 1, 1));
        assert_close("dx", &dx, &[10.0, 102.0, 20.0, 203.0, 30.0], 0.0);
        let dk = gradient(&k, &g, |k| conv1d(&x.clone().requires_grad(), k, &b.clone().requires_grad(), 2, 1, 1));
        assert_close("dk", &dk, &[16.0, 22.0, 10.0], 0.0);
        let db = gradient(&b, &g, |b| conv1d(&x.clone().requires_grad(), &k.clone().requires_grad(), b, 2, 1, 1));
        assert_close("db", &db, &[6.0], 0.0);
    }

    #[test]
    fn an_image_by_hand() {
        let (x, b) = (array([1, 1, 2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), array([1], &[0.5]));
        let k = array([1, 1, 2, 2], &[1.0, 10.0, 100.0, 1000.0]);
        assert_close("conv2d", &conv2d(&x, &k, &b, 1, 0, 1).unwrap(), &[5421.5, 6532.5], 0.0);
        let y = conv2d(&x, &k, &b, 2, 1, 1).unwrap();
        assert_eq!(y.shape(), &[1, 1, 2, 2]);
        assert_close("conv2d", &y, &[1000.5, 3200.5, 40.5, 65.5], 0.0);
    }

    #[test]
    fn groups_are_convolutions_side_by_side() {
        let (x, k, b) = (numbers([2, 2, 2, 4, 3]), numbers([2, 3, 2, 2, 2]), numbers([2, 3]));
        let y = grouped_conv2d(&x, &k, &b, 1, 1, 1).unwrap();
        for group in 0..2 {
            let [x, k, b] = [(&x, 1), (&k, 0), (&b, 0)].map(|(of, axis)| of.select(axis, group).unwrap());
            let alone = conv2d(&x, &k, &b, 1, 1, 1).unwrap();
            // Products of other shapes may add in another order.
            assert_close("group", &y.select(1, group).unwrap(), &alone.to_vec().unwrap(), 1e-14);
        }
        let k = k.select(1, 0).unwrap().select(1, 0).unwrap();
        let x = x.select(2, 0).unwrap();
        let y = depthwise_conv2d(&x, &k, 1, 0, 1).unwrap();
        let as_groups = grouped_conv2d(
            &x.reshape([2, 2, 1, 4, 3]).unwrap(),
            &k.reshape([2, 1, 1, 2, 2]).unwrap(),
            &array([2, 1], &[0.0; 2]),
            1,
            0,
            1,
        );
        assert_close("depthwise", &y, &as_groups.unwrap().to_vec().unwrap(), 1e-14);
    }

    #[test]
    fn a_kernel_that_does_not_fit_is_an_error() {
        let (x, b) = (numbers([1, 1, 2]), array([1], &[0.0]));
        for stride in [1, 2, 5] {
            let error = conv1d(&x, &numbers([1, 1, 3]), &b, stride, 0, 1).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::NegativeSize, "{error}");
        }
        let error = conv1d(&x, &numbers([1, 1, 2]), &b, 0, 0, 1).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::DivisionByZero, "{error}");
        assert_eq!(conv1d(&x, &numbers([1, 1, 3]), &b, 1, 1, 1).unwrap().shape(), &[1, 1, 2]);
    }

    #[test]
    fn gradients_match_finite_differences() {
        let (x, k, b) = (numbers([2, 2, 7]), numbers([3, 2, 3]), numbers([3]));
        let (image, kernel) = (numbers([2, 2, 4, 5]), numbers([3, 2, 2, 3]));
        for (stride, padding, dilation) in [(1, 0, 1), (1, 1, 1), (2, 1, 1), (3, 2, 2), (2, 0, 2)] {
            let label = format!("stride {stride}, padding {padding}, dilation {dilation}");
            check_gradients(&format!("conv1d, {label}"), &[&x, &k, &b], |inputs: &[Traced]| {
                conv1d(&inputs[0], &inputs[1], &inputs[2], stride, padding, dilation)
            });
            check_gradients(&format!("conv2d, {label}"), &[&image, &kernel, &b], |inputs: &[Traced]| {
                conv2d(&inputs[0], &inputs[1], &inputs[2], stride, padding, dilation)
            });
            check_gradients(&format!("depthwise, {label}"), &[&image, &numbers([2, 2, 3])], |inputs: &[Traced]| {
                depthwise_conv2d(&inputs[0], &inputs[1], stride, padding, dilation)
            });
        }
        let (x, k, b) = (numbers([1, 2, 2, 3, 3]), numbers([2, 2, 2, 2, 2]), numbers([2, 2]));
        check_gradients("grouped_conv2d", &[&x, &k, &b], |inputs: &[Traced]| {
            grouped_conv2d(&inputs[0], &inputs[1], &inputs[2], 2, 1, 1)
        });
    }

    #[test]
    fn empty_axes_give_empty_or_bias() {
        let b = array([2], &[3.0, 4.0]);
        let y = conv1d(&numbers([0, 1, 4]), &numbers([2, 1, 2]), &b, 1, 0, 1).unwrap();
        assert_eq!(y.shape(), &[0, 2, 3]);
        let y = conv1d(&numbers([1, 0, 3]), &numbers([2, 0, 2]), &b, 1, 0, 1).unwrap();
        assert_close("no channels", &y, &[3.0, 3.0, 4.0, 4.0], 0.0);
        check_gradients("no channels", &[&numbers([1, 0, 3]), &b], |inputs: &[Traced]| {
            conv1d(&inputs[0], &numbers([2, 0, 2]).requires_grad(), &inputs[1], 1, 0, 1)
        });
    }
}
