//! Scaled dot-product attention in one definition: scores, a stable softmax over the keys, and the weighted values.
//!
//! Invariants: leading axes (`..`: batch, heads) are shared by all operands; a query that may see no key gives zeros and
//! a zero gradient. Memory: the scores, queries times keys, are written out.

use tensor_rt::prelude::*;

tensor_fn! {
    /// Attention: `y[t] = sum_s p[t, s] v[s]`, `p = softmax_s(q[t] . k[s] / sqrt(K))`.
    ///
    /// Gradient: `dv[s] = sum_t p dy[t]`; with `dp[t, s] = dy[t] . v[s]` and `ds = p (dp - sum_s(p dp)) / sqrt(K)`,
    /// `dq[t] = sum_s ds k[s]` and `dk[s] = sum_t ds q[t]`.
    /// # Errors
    /// Fails if an axis has two sizes, or memory runs out.
    pub fn attention(q: &Tensor[.., T, K], k: &Tensor[.., S, K], v: &Tensor[.., S, V]) -> Tensor[.., T, V] {
        let score = sum[K](q * k) / sqrt(size(K));
        let e = exp(score - detach(max[S](score)));
        sum[S](e / sum[S](e) * v)
    }

    /// Attention where the query at `t` sees the keys at `s <= t` only.
    ///
    /// Gradient: as [`attention`], with `p = 0` where `s > t`.
    /// # Errors
    /// Fails if an axis has two sizes, or memory runs out.
    pub fn causal_attention(q: &Tensor[.., T, K], k: &Tensor[.., S, K], v: &Tensor[.., S, V]) -> Tensor[.., T, V] {
        let score = if S <= T { sum[K](q * k) / sqrt(size(K)) } else { -inf };
        let e = exp(score - detach(max[S](score)));
        sum[S](e / sum[S](e) * v)
    }

    /// Attention where the query at `t` sees the keys with `mask[t, s]` only; zeros if it sees none.
    ///
    /// Gradient: as [`attention`], with `p = 0` where the mask is false.
    /// # Errors
    /// Fails if an axis has two sizes, or memory runs out.
    pub fn masked_attention(
        q: &Tensor[.., T, K],
        k: &Tensor[.., S, K],
        v: &Tensor[.., S, V],
        mask: &Tensor<bool>[.., T, S],
    ) -> Tensor[.., T, V] {
        let score = if mask { sum[K](q * k) / sqrt(size(K)) } else { -inf };
        let m = detach(max[S](score));
        let e = exp(score - if m == -inf { 0.0 } else { m });
        let s = sum[S](e);
        sum[S](if s == 0.0 { 0.0 } else { e / s } * v)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Traced, array, assert_close, check_gradients, gradient};

    const LN3: f64 = 1.0986122886681098;

    #[test]
    fn causal_attention_by_hand() {
        let (q, k, v) = (array([2, 1], &[0.0, LN3]), array([2, 1], &[1.0, 0.0]), array([2, 1], &[4.0, 8.0]));
        assert_close("causal_attention", &causal_attention(&q, &k, &v).unwrap(), &[4.0, 5.0], 1e-14);
        let one = array([2, 1], &[1.0, 1.0]);
        let close = |found, expected: [f64; 2]| assert_close("causal_attention", &found, &expected, 1e-14);
        close(gradient(&q, &one, |q| causal_attention(q, &k, &v)), [0.0, -0.75]);
        close(gradient(&k, &one, |k| causal_attention(&q, k, &v)), [-0.75 * LN3, 0.75 * LN3]);
        close(gradient(&v, &one, |v| causal_attention(&q, &k, v)), [1.75, 0.25]);
    }

    #[test]
    fn equal_scores_average_the_values() {
        let (q, k) = (array([1, 1, 2], &[0.0; 2]), array([1, 2, 2], &[1.0; 4]));
        let v = array([1, 2, 3], &[1.0, 2.0, 3.0, 5.0, 6.0, 7.0]);
        assert_close("attention", &attention(&q, &k, &v).unwrap(), &[3.0, 4.0, 5.0], 1e-14);
    }

    #[test]
    fn a_query_without_keys_gives_zeros_and_no_gradient() {
        let (q, k, v) = (array([2, 1], &[1.0, 1.0]), array([2, 1], &[1.0, 1.0]), array([2, 1], &[2.0, 4.0]));
        let mask = Tensor::from_vec(&Cpu, vec![false, false, true, true], [2, 2]).unwrap();
        assert_close("masked_attention", &masked_attention(&q, &k, &v, &mask).unwrap(), &[0.0, 3.0], 1e-14);
        let dq = gradient(&q, &array([2, 1], &[1.0, 1.0]), |q| masked_attention(q, &k, &v, &mask));
        assert_close("masked_attention", &dq, &[0.0, 0.0], 1e-14);
    }

    #[test]
    fn gradients_match_finite_differences() {
        let q = array([2, 2, 2], &[0.5, -1.0, 2.0, 0.25, -0.5, 1.5, 1.0, -2.0]);
        let k = array([2, 3, 2], &[0.5, -1.0, 2.0, 0.25, -0.5, 1.5, 3.0, -2.0, 0.0, 1.0, -1.5, 0.75]);
        let v = array([2, 3, 1], &[1.0, -1.0, 0.5, 2.0, -0.25, 0.75]);
        check_gradients("attention", &[&q, &k, &v], |inputs: &[Traced]| attention(&inputs[0], &inputs[1], &inputs[2]));
        check_gradients("causal_attention", &[&q, &k, &v], |inputs: &[Traced]| {
            causal_attention(&inputs[0], &inputs[1], &inputs[2])
        });
        let mask = vec![true, false, true, false, false, false, true, true, true, false, true, false];
        let mask = Tensor::from_vec(&Cpu, mask, [2, 2, 3]).unwrap();
        check_gradients("masked_attention", &[&q, &k, &v], |inputs: &[Traced]| {
            masked_attention(&inputs[0], &inputs[1], &inputs[2], &mask)
        });
    }
}
