//! Reductions along the last axis beyond sum, mean and extrema, and running sums.
//!
//! Invariants: variances are means of centred squares; where a root has an infinite slope (a zero row), the gradient is 0.

use tensor_rt::element::Compute;
use tensor_rt::prelude::*;

tensor_fn! {
    /// Population variance along the last axis: `y = mean((x - mean(x))^2)`.
    ///
    /// Gradient: `dx = 2 dy (x - mean(x)) / C`.
    /// # Errors
    /// Fails if memory runs out.
    pub fn variance(x: &Tensor[.., C]) -> Tensor[..] {
        var[C](x)
    }

    /// Population standard deviation along the last axis: the root of [`variance`].
    ///
    /// Gradient: `dx = dy (x - mean(x)) / (C y)`, 0 where `y = 0` (PyTorch: NaN).
    /// # Errors
    /// Fails if memory runs out.
    pub fn standard_deviation(x: &Tensor[.., C]) -> Tensor[..] {
        let v = var[C](x);
        if v == 0.0 { 0.0 } else { sqrt(v) }
    }

    /// Euclidean norm along the last axis: `y = sqrt(sum(x^2))`.
    ///
    /// Gradient: `dx = dy x / y`, 0 for a zero row.
    /// # Errors
    /// Fails if memory runs out.
    pub fn norm(x: &Tensor[.., C]) -> Tensor[..] {
        let s = sum[C](x * x);
        if s == 0.0 { 0.0 } else { sqrt(s) }
    }

    /// Product along the last axis; 1 if it is empty.
    ///
    /// Gradient: `dx[c] = dy` times the product of the other elements, with zeros as without.
    /// # Errors
    /// Fails if memory runs out.
    pub fn product(x: &Tensor[.., C]) -> Tensor[..] {
        prod[C](x)
    }

    /// Cosine of the angle between rows: `y = sum(x z) / (max(|x|, eps) max(|z|, eps))`.
    ///
    /// Gradient: `dx = dy (z / |z| - y x / |x|) / |x|`, likewise `dz`; a norm below `eps` counts as a constant.
    /// # Errors
    /// Fails if the shapes differ, or memory runs out.
    pub fn cosine_similarity(x: &Tensor[.., D], z: &Tensor[.., D], eps: float) -> Tensor[..] {
        sum[D](x * z) / (max(sqrt(sum[D](x * x)), eps) * max(sqrt(sum[D](z * z)), eps))
    }

    /// Running sum along the last axis: `y[n] = sum_{m <= n} x[m]`, added up in `f64`. Written by hand: as a sum of a select
    /// it would take time quadratic in the axis.
    ///
    /// Gradient: `dx[m] = sum_{n >= m} dy[n]`.
    /// # Errors
    /// Fails if memory runs out.
    #[cpu(running_sum)]
    #[cuda(file = "cumsum.cu", entry = "cumsum", grid = (size(..) + 255) / 256, block = 256)]
    #[backward(running_sum_from_the_end)]
    pub fn cumsum(x: &Tensor[.., N]) -> Tensor[.., N];
}

fn running_sum<T: Float>(x: TensorView<'_, T>, mut y: TensorViewMut<'_, T>) -> Result<()> {
    let size = x.shape()[x.shape().len() - 1];
    for (x, y) in x.as_slice().chunks(size).zip(y.as_mut_slice().chunks_mut(size)) {
        let mut total = 0.0;
        for (x, y) in x.iter().zip(y) {
            total += x.widen().to_f64();
            *y = T::narrow(Compute::from_f64(total));
        }
    }
    Ok(())
}

fn running_sum_from_the_end<D: Device, T: Float>(
    _x: &Tensor<D, NoGrad, T>,
    _y: &Tensor<D, NoGrad, T>,
    dy: &Tensor<D, NoGrad, T>,
) -> Result<Tensor<D, NoGrad, T>> {
    cumsum(&dy.flip(-1)?)?.flip(-1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Traced, array, assert_close, check_gradients, gradient};

    #[test]
    fn variance_by_hand() {
        let x = array([2, 3], &[1.0, 2.0, 3.0, 5.0, 5.0, 5.0]);
        assert_close("variance", &variance(&x).unwrap(), &[2.0 / 3.0, 0.0], 1e-15);
        assert_close("standard_deviation", &standard_deviation(&x).unwrap(), &[(2.0f64 / 3.0).sqrt(), 0.0], 1e-15);
        let dx = gradient(&x, &array([2], &[1.0, 1.0]), |x| standard_deviation(x));
        let slope = 1.0 / (3.0 * (2.0f64 / 3.0).sqrt());
        assert_close("standard_deviation", &dx, &[-slope, 0.0, slope, 0.0, 0.0, 0.0], 1e-15);
    }

    #[test]
    fn variance_far_from_zero_keeps_its_digits() {
        let x = Tensor::new(&Cpu, [1e4, 1e4 + 1.0, 1e4 + 2.0]).unwrap();
        let v = variance(&x).unwrap().item().unwrap();
        assert!((v - 2.0 / 3.0).abs() < 1e-6, "{v}");
    }

    #[test]
    fn norm_of_a_zero_row_has_no_gradient() {
        let x = array([2, 3], &[0.0, 0.0, 0.0, 1.0, 2.0, 2.0]);
        assert_close("norm", &norm(&x).unwrap(), &[0.0, 3.0], 1e-15);
        let dx = gradient(&x, &array([2], &[1.0, 1.0]), |x| norm(x));
        assert_close("norm", &dx, &[0.0, 0.0, 0.0, 1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0], 1e-15);
    }

    #[test]
    fn products_with_zeros_have_gradients() {
        let x = array([3, 3], &[2.0, 0.0, 3.0, 0.0, 0.0, 5.0, 2.0, 3.0, 4.0]);
        assert_close("product", &product(&x).unwrap(), &[0.0, 0.0, 24.0], 0.0);
        let dx = gradient(&x, &array([3], &[1.0; 3]), |x| product(x));
        assert_close("product", &dx, &[0.0, 6.0, 0.0, 0.0, 0.0, 0.0, 12.0, 8.0, 6.0], 1e-14);
        assert_close("product", &product(&array([2, 0], &[])).unwrap(), &[1.0, 1.0], 0.0);
    }

    #[test]
    fn cosine_similarity_by_hand() {
        let (x, z) = (array([3, 2], &[3.0, 4.0, 1.0, 0.0, 0.0, 0.0]), array([3, 2], &[4.0, 3.0, 0.0, 2.0, 1.0, 1.0]));
        assert_close("cosine_similarity", &cosine_similarity(&x, &z, 1e-8).unwrap(), &[0.96, 0.0, 0.0], 1e-15);
        let dx = gradient(&x, &array([3], &[0.0, 0.0, 1.0]), |x| cosine_similarity(x, &z, 0.5));
        let slope = 1.0 / (0.5 * 2f64.sqrt());
        assert_close("cosine_similarity", &dx, &[0.0, 0.0, 0.0, 0.0, slope, slope], 1e-14);
    }

    tensor_fn! {
        /// The plain form of `cumsum`.
        fn cumsum_by_select(x: &Tensor[.., T]) -> Tensor[.., T] {
            sum[S = T](if S <= T { x[.., S] } else { 0.0 })
        }
    }

    #[test]
    fn cumsum_agrees_with_its_plain_form() {
        for shape in [[1, 1], [3, 7], [5, 129], [4, 0], [0, 4]] {
            let x = Tensor::<Cpu>::randn_of::<f64>(&Cpu, shape, 1).unwrap();
            for x in [x.clone(), x.flip(1).unwrap()] {
                let expected = cumsum_by_select(&x).unwrap().to_vec().unwrap();
                // At most 129 additions, each off by half a unit in the last place.
                assert_close("cumsum", &cumsum(&x).unwrap(), &expected, 3e-14);
            }
        }
    }

    #[test]
    fn cumsum_of_many_ones_is_exact() {
        let ones = Tensor::ones(&Cpu, [20_000_000]).unwrap();
        assert_eq!(cumsum(&ones).unwrap().get([19_999_999]).unwrap(), 2e7);
    }

    #[test]
    fn cumsum_and_its_reverse() {
        let x = array([3], &[1.0, 2.0, 3.0]);
        assert_close("cumsum", &cumsum(&x).unwrap(), &[1.0, 3.0, 6.0], 0.0);
        let dx = gradient(&x, &array([3], &[1.0, 10.0, 100.0]), |x| cumsum(x));
        assert_close("cumsum", &dx, &[111.0, 110.0, 100.0], 0.0);
    }

    #[test]
    fn gradients_match_finite_differences() {
        let x = array([2, 2, 3], &[0.5, -1.0, 2.0, 0.25, -0.5, 1.5, 3.0, -2.0, 0.0, 1.0, -1.5, 0.75]);
        check_gradients("variance", &[&x], |inputs: &[Traced]| variance(&inputs[0]));
        check_gradients("standard_deviation", &[&x], |inputs: &[Traced]| standard_deviation(&inputs[0]));
        check_gradients("norm", &[&x], |inputs: &[Traced]| norm(&inputs[0]));
        check_gradients("product", &[&x], |inputs: &[Traced]| product(&inputs[0]));
        check_gradients("cumsum", &[&x], |inputs: &[Traced]| cumsum(&inputs[0]));
        check_gradients("cosine_similarity", &[&x], |inputs: &[Traced]| {
            cosine_similarity(&inputs[0].select(0, 0)?, &inputs[0].select(0, 1)?, 1e-8)
        });
    }
}
