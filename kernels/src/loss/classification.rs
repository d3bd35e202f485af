//! Losses of class scores and of probabilities.

use tensor_rt::prelude::*;

tensor_fn! {
    /// Cross entropy of class scores: the mean over rows of `logsumexp(logits[n]) - logits[n, target[n]]`.
    ///
    /// Gradient: `dlogits = (softmax(logits) - onehot(target)) dy / N`.
    /// # Errors
    /// Fails if a target is not a class, the rows differ in number, or memory runs out.
    pub fn cross_entropy(logits: &Tensor[N, C], target: &Tensor<i64>[N]) -> Tensor[] {
        let m = detach(max[C](logits));
        mean[N](m + ln(sum[C](exp(logits - m))) - logits[N, target])
    }

    /// Cross entropy with smoothed targets over the rows whose target is not `ignore_index`: the target class gets
    /// `1 - smoothing`, and `smoothing` is spread evenly over all classes. The mean is over the rows that count; 0 if
    /// there are none (PyTorch: NaN).
    ///
    /// Gradient: `dlogits = (softmax(logits) - smoothed target) dy / rows that count`, 0 in the other rows.
    /// # Errors
    /// Fails if a target is neither a class nor `ignore_index`, the rows differ in number, or memory runs out.
    pub fn cross_entropy_ignoring(logits: &Tensor[N, C], target: &Tensor<i64>[N], smoothing: float, ignore_index: i64) -> Tensor[] {
        let m = detach(max[C](logits));
        let d = logits - m;
        let l = ln(sum[C](exp(d)));
        let total = sum[N](if target == ignore_index {
            0.0
        } else {
            l - (1.0 - smoothing) * (logits[N, target] - m) - smoothing * mean[C](d)
        });
        let kept = sum[N](if target == ignore_index { 0.0 } else { 1.0 });
        if kept == 0.0 { 0.0 } else { total / kept }
    }

    /// [`cross_entropy_ignoring`] with a weight for each class: every term is multiplied by the weight of its class, and
    /// the sum is divided by the weights of the targets that count.
    ///
    /// Gradient: of `logits` only; class weights have none.
    /// # Errors
    /// Fails if a target is neither a class nor `ignore_index`, an axis has two sizes, or memory runs out.
    pub fn cross_entropy_weighted(
        logits: &Tensor[N, C],
        target: &Tensor<i64>[N],
        weight: &Tensor<NoGrad>[C],
        smoothing: float,
        ignore_index: i64,
    ) -> Tensor[] {
        let m = detach(max[C](logits));
        let d = logits - m;
        let l = ln(sum[C](exp(d)));
        let total = sum[N](if target == ignore_index {
            0.0
        } else {
            (1.0 - smoothing) * weight[target] * (l - (logits[N, target] - m)) + smoothing * mean[C](weight * (l - d))
        });
        let kept = sum[N](if target == ignore_index { 0.0 } else { weight[target] });
        if kept == 0.0 { 0.0 } else { total / kept }
    }

    /// Negative log likelihood: minus the mean over rows of `log_p[n, target[n]]`.
    ///
    /// Gradient: `dlog_p = -dy / N` at the targets, else 0.
    /// # Errors
    /// Fails if a target is not a class, the rows differ in number, or memory runs out.
    pub fn nll(log_p: &Tensor[N, C], target: &Tensor<i64>[N]) -> Tensor[] {
        -mean[N](log_p[N, target])
    }

    /// Binary cross entropy of scores: the mean of `ln(1 + e^x) - x target`, exact at both ends.
    ///
    /// Gradient: `dx = (sigmoid(x) - target) dy / elements`, `dtarget = -x dy / elements`.
    /// # Errors
    /// Fails if the shapes differ, or memory runs out.
    pub fn bce_with_logits(x: &Tensor[..], target: &Tensor[..]) -> Tensor[] {
        mean[..](softplus(x) - x * target)
    }

    /// Kullback-Leibler divergence per row, of a target distribution from predicted log probabilities:
    /// `sum(target (ln target - log_q)) / N`; `0 ln 0` is 0.
    ///
    /// Gradient: `dlog_q = -target dy / N`, `dtarget = (ln target + 1 - log_q) dy / N`.
    /// # Errors
    /// Fails if the shapes differ, or memory runs out.
    pub fn kl_div(log_q: &Tensor[N, ..], target: &Tensor[N, ..]) -> Tensor[] {
        sum[N, ..](xlogy(target, target) - target * log_q) / size(N)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Traced, array, assert_close, check_gradients, gradient};

    fn classes(values: &[i64]) -> Tensor<Cpu, NoGrad, i64> {
        Tensor::from_vec(&Cpu, values.to_vec(), [values.len()]).unwrap()
    }

    #[test]
    fn cross_entropy_by_hand() {
        let logits = array([2, 2], &[0.0, 3f64.ln(), 0.0, 0.0]);
        let target = classes(&[1, 0]);
        let expected = ((4.0 / 3.0f64).ln() + 2f64.ln()) / 2.0;
        assert_close("cross_entropy", &cross_entropy(&logits, &target).unwrap(), &[expected], 1e-15);
        let d = gradient(&logits, &array([], &[2.0]), |logits| cross_entropy(logits, &target));
        assert_close("cross_entropy", &d, &[0.25, -0.25, -0.5, 0.5], 1e-15);
    }

    #[test]
    fn ignored_rows_count_for_nothing() {
        let logits = array([2, 2], &[0.0, 3f64.ln(), 5.0, 7.0]);
        let one = array([], &[1.0]);
        let loss = |target: &_| cross_entropy_ignoring(&logits, target, 0.0, -100).unwrap();
        let slope = |target: &_| gradient(&logits, &one, |logits| cross_entropy_ignoring(logits, target, 0.0, -100));
        assert_close("loss", &loss(&classes(&[1, -100])), &[(4.0 / 3.0f64).ln()], 1e-15);
        assert_close("dlogits", &slope(&classes(&[1, -100])), &[0.25, -0.25, 0.0, 0.0], 1e-15);
        assert_close("loss", &loss(&classes(&[-100, -100])), &[0.0], 0.0);
        assert_close("dlogits", &slope(&classes(&[-100, -100])), &[0.0; 4], 0.0);
    }

    #[test]
    fn a_target_that_is_no_class_is_an_error_and_nothing_is_lost() {
        let logits = array([3, 3], &[0.0; 9]);
        for wrong in [3, -1] {
            let error = cross_entropy(&logits, &classes(&[0, 1, wrong])).unwrap_err().to_string();
            assert!(error.starts_with("cross_entropy: ") && error.contains(&wrong.to_string()), "{error}");
            assert!(cross_entropy_ignoring(&logits, &classes(&[0, 1, wrong]), 0.0, -100).is_err());
        }
        assert!(cross_entropy(&logits, &classes(&[0, 1, 2])).is_ok());
    }

    #[test]
    fn weights_smoothing_and_a_negative_ignore_index() {
        let logits = array([3, 2], &[2.0, 0.0, 0.0, 1.0, 3.0, -3.0]);
        let (target, weight) = (classes(&[0, 1, -1]), array([2], &[1.0, 16.0]));
        let loss = |smoothing| cross_entropy_weighted(&logits, &target, &weight, smoothing, -1).unwrap();
        assert_close("loss", &loss(0.0), &[0.3023009], 1e-7);
        assert_close("loss", &loss(0.1), &[0.3911391], 1e-7);
        let one = array([], &[1.0]);
        let d = gradient(&logits, &one, |logits| cross_entropy_weighted(logits, &target, &weight, 0.0, -1));
        let d = d.to_vec().unwrap();
        assert!((d[2] - 0.2531213).abs() < 1e-7 && (d[3] + 0.2531213).abs() < 1e-7 && d[4..] == [0.0; 2], "{d:?}");
    }

    #[test]
    fn bce_with_logits_is_exact_at_both_ends() {
        let x = array([5], &[100.0, -100.0, 0.0, 100.0, -100.0]);
        let target = array([5], &[1.0, 0.0, 1.0, 0.0, 1.0]);
        let loss = bce_with_logits(&x, &target).unwrap();
        assert_close("bce_with_logits", &loss, &[(2f64.ln() + 200.0) / 5.0], 1e-13);
        let dx = gradient(&x, &array([], &[5.0]), |x| bce_with_logits(x, &target));
        assert_close("bce_with_logits", &dx, &[0.0, 0.0, -0.5, 1.0, -1.0], 1e-15);
    }

    #[test]
    fn nll_and_kl_div_by_hand() {
        let log_p = array([2, 2], &[-1.0, -2.0, -3.0, -4.0]);
        assert_close("nll", &nll(&log_p, &classes(&[1, 0])).unwrap(), &[2.5], 0.0);
        let target = array([2, 2], &[0.0, 1.0, 0.5, 0.5]);
        let expected = (2.0 + 0.5f64.ln() + 3.5) / 2.0;
        assert_close("kl_div", &kl_div(&log_p, &target).unwrap(), &[expected], 1e-15);
    }

    #[test]
    fn gradients_match_finite_differences() {
        let x = array([3, 4], &[0.5, -1.0, 2.0, 0.25, -0.5, 1.5, 3.0, -2.0, 0.0, 1.0, -1.5, 0.75]);
        let z = array([3, 4], &[0.25, 0.5, 0.75, 0.5, 0.125, 0.875, 0.25, 0.5, 0.625, 0.375, 0.25, 0.5]);
        let target = classes(&[3, 1, 0]);
        let some = classes(&[3, -1, 0]);
        let weight = array([4], &[0.5, 1.0, 2.0, 4.0]);
        check_gradients("cross_entropy", &[&x], |inputs: &[Traced]| cross_entropy(&inputs[0], &target));
        check_gradients("cross_entropy_ignoring", &[&x], |inputs: &[Traced]| {
            cross_entropy_ignoring(&inputs[0], &some, 0.25, -1)
        });
        check_gradients("cross_entropy_weighted", &[&x], |inputs: &[Traced]| {
            cross_entropy_weighted(&inputs[0], &some, &weight, 0.25, -1)
        });
        check_gradients("nll", &[&x], |inputs: &[Traced]| nll(&inputs[0], &target));
        check_gradients("bce_with_logits", &[&x, &z], |inputs: &[Traced]| bce_with_logits(&inputs[0], &inputs[1]));
        check_gradients("kl_div", &[&x, &z], |inputs: &[Traced]| kl_div(&inputs[0], &inputs[1]));
    }
}
