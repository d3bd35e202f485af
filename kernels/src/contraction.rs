//! Sums of products: linear maps, matrix products, bilinear forms, and distances between all pairs of rows.

use tensor_rt::prelude::*;

tensor_fn! {
    /// Linear map of the last axis: `y[.., o] = sum_i x[.., i] w[o, i] + b[o]`.
    ///
    /// Gradient: `dx = sum_o dy w`, `dw[o, i] = sum dy x` and `db[o] = sum dy` over the leading axes.
    /// # Errors
    /// Fails if `x` and `w` disagree on `I`, `w` and `b` on `O`, or memory runs out.
    pub fn linear(x: &Tensor[.., I], w: &Tensor[O, I], b: &Tensor[O]) -> Tensor[.., O] {
        sum[I](x * w) + b
    }

    /// Matrix product; leading axes of `a` share one `b`: `y[.., m, n] = sum_k a[.., m, k] b[k, n]`.
    ///
    /// Gradient: `da = sum_n dy b`, `db[k, n] = sum a dy` over `m` and the leading axes.
    /// # Errors
    /// Fails if `a` and `b` disagree on `K`, or memory runs out.
    pub fn matmul(a: &Tensor[.., M, K], b: &Tensor[K, N]) -> Tensor[.., M, N] {
        sum[K](a * b)
    }

    /// Matrix products of two batches: `y[.., m, n] = sum_k a[.., m, k] b[.., k, n]`.
    ///
    /// Gradient: `da = sum_n dy b`, `db = sum_m a dy`.
    /// # Errors
    /// Fails if `a` and `b` disagree on `K` or a leading axis, or memory runs out.
    pub fn batched_matmul(a: &Tensor[.., M, K], b: &Tensor[.., K, N]) -> Tensor[.., M, N] {
        sum[K](a * b)
    }

    /// Bilinear form: `y[n, o] = sum_ij x[n, i] w[o, i, j] z[n, j] + b[o]`.
    ///
    /// Gradient: `dx = sum_oj dy w z`, `dz = sum_oi dy w x`, `dw = sum_n dy x z`, `db = sum_n dy`.
    /// # Errors
    /// Fails if an axis has two sizes, or memory runs out.
    pub fn bilinear(x: &Tensor[N, I], w: &Tensor[O, I, J], z: &Tensor[N, J], b: &Tensor[O]) -> Tensor[N, O] {
        sum[I, J](x * w * z) + b
    }

    /// Squared distances between all rows of `x` and all rows of `z`: `y[n, m] = sum_d (x[n, d] - z[m, d])^2`. The
    /// square is not expanded, so rows far from the origin keep their digits.
    ///
    /// Gradient: `dx[n] = 2 sum_m dy (x[n] - z[m])`, `dz[m] = -2 sum_n dy (x[n] - z[m])`.
    /// # Errors
    /// Fails if `x` and `z` disagree on `D`, or memory runs out.
    pub fn pairwise_distance_squared(x: &Tensor[N, D], z: &Tensor[M, D]) -> Tensor[N, M] {
        let d = x - z;
        sum[D](d * d)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Traced, array, assert_close, check_gradients};

    #[test]
    fn linear_by_hand() {
        let (w, b) = (array([2, 3], &[1.0, 0.0, 2.0, 0.0, 1.0, -1.0]), array([2], &[0.5, 0.0]));
        let x = array([2, 1, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        let y = linear(&x, &w, &b).unwrap();
        assert_eq!(y.shape(), &[2, 1, 2]);
        assert_close("linear", &y, &[7.5, -1.0, 16.5, -1.0], 0.0);
        let empty = linear(&array([2, 0], &[]), &array([2, 0], &[]), &b).unwrap();
        assert_close("linear", &empty, &[0.5, 0.0, 0.5, 0.0], 0.0);
        let error = linear(&x, &array([2, 2], &[0.0; 4]), &b).unwrap_err();
        assert!(error.to_string().starts_with("linear: axis `I` is 3 in `x` and 2 in `w`"), "{error}");
    }

    #[test]
    fn matrix_products_by_hand() {
        let a = array([2, 2, 2], &[1.0, 2.0, 3.0, 4.0, 1.0, 0.0, 0.0, 1.0]);
        let b = array([2, 2], &[5.0, 6.0, 7.0, 8.0]);
        let expected = [19.0, 22.0, 43.0, 50.0, 5.0, 6.0, 7.0, 8.0];
        assert_close("matmul", &matmul(&a, &b).unwrap(), &expected, 0.0);
        let both = b.broadcast_to([2, 2, 2]).unwrap();
        assert_close("batched_matmul", &batched_matmul(&a, &both).unwrap(), &expected, 0.0);
        assert_close("matmul", &matmul(&b.transpose(0, 1).unwrap(), &b).unwrap(), &[74.0, 86.0, 86.0, 100.0], 0.0);
    }

    #[test]
    fn bilinear_by_hand() {
        let (x, z) = (array([1, 2], &[1.0, 2.0]), array([1, 2], &[3.0, 4.0]));
        let w = array([1, 2, 2], &[1.0, 10.0, 100.0, 1000.0]);
        assert_close("bilinear", &bilinear(&x, &w, &z, &array([1], &[0.5])).unwrap(), &[8643.5], 0.0);
    }

    #[test]
    fn distances_keep_their_digits_far_from_the_origin() {
        let x = Tensor::new(&Cpu, [[4096.0, 4097.0]]).unwrap();
        let z = Tensor::new(&Cpu, [[4096.25, 4096.0], [4096.0, 4097.0]]).unwrap();
        assert_eq!(pairwise_distance_squared(&x, &z).unwrap().to_vec().unwrap(), [1.0625, 0.0]);
    }

    #[test]
    fn gradients_match_finite_differences() {
        let x = array([2, 2, 3], &[0.5, -1.0, 2.0, 0.25, -0.5, 1.5, 3.0, -2.0, 0.0, 1.0, -1.5, 0.75]);
        let (w, b) = (array([2, 3], &[1.0, -0.5, 0.25, 2.0, 0.75, -1.0]), array([2], &[0.5, -0.25]));
        let turned = w.transpose(0, 1).unwrap();
        check_gradients("linear", &[&x, &w, &b], |inputs: &[Traced]| linear(&inputs[0], &inputs[1], &inputs[2]));
        check_gradients("matmul", &[&x, &turned], |inputs: &[Traced]| matmul(&inputs[0], &inputs[1]));
        let batch = x.transpose(1, 2).unwrap();
        check_gradients("batched_matmul", &[&x, &batch], |inputs: &[Traced]| batched_matmul(&inputs[0], &inputs[1]));
        let z = array([2, 2], &[1.0, -0.5, 0.25, 2.0]);
        check_gradients("bilinear", &[&w, &x.transpose(1, 2).unwrap(), &z, &b], |inputs: &[Traced]| {
            bilinear(&inputs[0], &inputs[1], &inputs[2], &inputs[3])
        });
        check_gradients(
            "pairwise_distance_squared",
            &[&w, &z.broadcast_to([3, 2, 2]).unwrap()],
            |inputs: &[Traced]| pairwise_distance_squared(&inputs[0].transpose(0, 1)?, &inputs[1].select(0, 1)?),
        );
    }
}
