//! Kernels from text to numbers: `tensor_fn!` functions called like any other, with values and gradients known exactly.
//!
//! Every case runs in `f32` and `f64`, on contiguous and on permuted storage.

use tensor_rt::prelude::*;
use tensor_rt::{ErrorKind, tensor_fn};
use tests::device::{Read, failure};

tensor_fn! {
    /// GELU, tanh form.
    fn gelu(x: &Tensor[..]) -> Tensor[..] {
        0.5 * x * (1.0 + tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)))
    }

    /// y <- y + a x
    fn axpy(y: &mut Tensor[N], x: &Tensor[N], a: float) {
        y += a * x;
    }

    fn softmax(x: &Tensor[.., C]) -> Tensor[.., C] {
        let e = exp(x - max[C](x));
        e / sum[C](e)
    }

    fn layer_norm(x: &Tensor[.., C], gamma: &Tensor[C], beta: &Tensor[C], eps: float) -> Tensor[.., C] {
        let d = x - mean[C](x);
        d * rsqrt(mean[C](d * d) + eps) * gamma + beta
    }

    fn linear(x: &Tensor[.., I], w: &Tensor[O, I], b: &Tensor[O]) -> Tensor[.., O] {
        sum[I](x * w) + b
    }

    fn cross_entropy(logits: &Tensor[N, C], target: &Tensor<i64>[N]) -> Tensor[] {
        let m = max[C](logits);
        mean[N](m + ln(sum[C](exp(logits - m))) - logits[N, target])
    }

    fn cross_entropy_kept(logits: &Tensor[N, C], target: &Tensor<i64>[N], ignored: i64) -> Tensor[] {
        let m = max[C](logits);
        let kept = target != ignored;
        let loss = if kept { m + ln(sum[C](exp(logits - m))) - logits[N, target] } else { 0.0 };
        let count = sum[N](if kept { 1.0 } else { 0.0 });
        if count > 0.0 { sum[N](loss) / count } else { 0.0 }
    }

    fn embedding(table: &Tensor[V, C], ids: &Tensor<i64>[..]) -> Tensor[.., C] {
        table[ids, C]
    }

    fn causal_scores(q: &Tensor[B, T, K], k: &Tensor[B, S, K]) -> Tensor[B, T, S] {
        if S <= T { sum[K](q * k) / sqrt(size(K)) } else { -inf }
    }

    fn causal_attention(q: &Tensor[B, T, K], k: &Tensor[B, S, K], v: &Tensor[B, S, V]) -> Tensor[B, T, V] {
        let scores = if S <= T { sum[K](q * k) } else { -inf };
        let e = exp(scores - max[S](scores));
        sum[S](e / sum[S](e) * v)
    }

    fn gram(x: &Tensor[N, K]) -> Tensor[N, M = N] { sum[K](x[N, K] * x[M, K]) }

    fn with_transposed(x: &Tensor[I, J]) -> Tensor[I, J] { x[I, J] + 2 * x[J, I] }

    fn one_hot(ids: &Tensor<i64>[N], classes: usize) -> Tensor<f32>[N, C = classes] {
        if C == ids { 1.0 } else { 0.0 }
    }

    /// Two outputs: the residual stream and its normalised copy.
    fn add_rms_norm(x: &Tensor[.., C], r: &Tensor[.., C], gamma: &Tensor[C], eps: float) -> (Tensor[.., C], Tensor[.., C]) {
        let h = x + r;
        (h, h * rsqrt(mean[C](h * h) + eps) * gamma)
    }

    fn argmax_rows(x: &Tensor[N, C]) -> Tensor<i64>[N] { argmax[C](x) }

    fn double_sum(x: &Tensor[N], y: &Tensor[C]) -> Tensor[] { sum[N, C](2.0 * x + y) }

    fn max_rows(x: &Tensor[N, C]) -> Tensor[N] { max[C](x) }

    fn guarded_root(x: &Tensor[N]) -> Tensor[N] { if x > 0.0 { sqrt(x) } else { 0.0 } }

    fn sinc(x: &Tensor[N]) -> Tensor[N] { if x != 0.0 { sin(x) / x } else { 1.0 } }

    fn prod_rows(x: &Tensor[N, C]) -> Tensor[N] { prod[C](x) }

    fn scaled_matmul(a: &Tensor[M, K], b: &Tensor[K, N], s: &Tensor[N]) -> Tensor[M, N] { sum[K](a * b * s) }

    fn pow(x: &Tensor[N], y: &Tensor[N]) -> Tensor[N] { powf(x, y) }

    fn variance(x: &Tensor[N, C]) -> Tensor[N] { var[C](x) }

    fn cumsum(x: &Tensor[S]) -> Tensor[T = size(S)] { sum[S](if S <= T { x } else { 0.0 }) }

    fn swap(a: &mut Tensor[N], b: &mut Tensor[N]) {
        let old = a;
        a = b;
        b = old;
    }

    fn softmax_rows_in_place(x: &mut Tensor[N, C]) {
        let e = exp(x - max[C](x));
        x = e / sum[C](e);
    }

    fn ramp(count: usize, step: f32) -> Tensor<f32>[N = count] { step * N }

    fn divided(x: &Tensor<i32>[N], y: &Tensor<i32>[N]) -> Tensor<i32>[N] { x / y }

    fn divided_where_possible(x: &Tensor<i32>[N], y: &Tensor<i32>[N]) -> Tensor<i32>[N] {
        if y != 0 { x / y + x % y } else { -1 }
    }

    fn counts(x: &Tensor<u8>[N, C]) -> Tensor<i64>[N] { sum[C](x) }

    fn converted(x: &Tensor<f64>[N]) -> (Tensor<i32>[N], Tensor<u8>[N], Tensor<bool>[N], Tensor<f32>[N], Tensor<f16>[N]) {
        (x as i32, x as u8, x != 0, x as f32, x as f16)
    }

    fn masked(x: &Tensor[N, C], mask: &Tensor<bool>[N, C]) -> Tensor[N, C] {
        if mask && any[C](mask) { x } else { 0.0 }
    }

    fn summed(x: &Tensor[..]) -> Tensor[] { sum[..](x) }

    fn last_row_first(x: &Tensor[N, C]) -> Tensor[N, C] { x[size(N) - 1 - N, C] }

    fn awkward(out: &Tensor[N], idx: &Tensor[N], i: &Tensor[N], n: float, len: float, grad: &Tensor[N], dx: &Tensor[N],
        tmp: &Tensor[N], tid: &Tensor[N], self_: &Tensor[N], stream: float, device: float, register: float, ret: float,
        block: &Tensor[N], call: &Tensor[N], outputs: &Tensor[N]) -> Tensor[N] {
        let float = out + idx + i + n + len;
        let v0 = grad * dx * tmp * tid * self_;
        float * v0 + stream * device + register * ret + block / call + outputs
    }
}

/// An element that test data can be written in.
trait Sample: Float {
    /// Relative error that rounding of a few operations explains.
    const TOLERANCE: f64;
    fn of(value: f64) -> Self;
    fn back(self) -> f64;
}

impl Sample for f32 {
    const TOLERANCE: f64 = 2e-6;
    fn of(value: f64) -> Self {
        value as f32
    }
    fn back(self) -> f64 {
        self.into()
    }
}

impl Sample for f64 {
    const TOLERANCE: f64 = 1e-13;
    fn of(value: f64) -> Self {
        value
    }
    fn back(self) -> f64 {
        self
    }
}

/// How a tensor lies in memory, and on which device.
enum Storage<D> {
    Contiguous(D),
    Permuted(D),
}

impl<D: Device> Storage<D> {
    fn device(&self) -> &D {
        match self {
            Storage::Contiguous(device) | Storage::Permuted(device) => device,
        }
    }

    fn tensor<T: Element>(&self, data: Vec<T>, shape: &[usize]) -> Tensor<D, NoGrad, T> {
        let tensor = Tensor::from_vec(self.device(), data, shape).unwrap();
        match self {
            Storage::Contiguous(_) => tensor,
            Storage::Permuted(_) => {
                let reversed: Vec<usize> = (0..shape.len()).rev().collect();
                let tensor = tensor.permute(reversed.clone()).unwrap().contiguous().unwrap();
                tensor.permute(reversed).unwrap()
            }
        }
    }

    fn floats<T: Sample>(&self, data: &[f64], shape: &[usize]) -> Tensor<D, NoGrad, T> {
        self.tensor(data.iter().map(|&value| T::of(value)).collect(), shape)
    }
}

#[track_caller]
fn assert_close<D: Device, G: GradMode, T: Sample>(found: &Tensor<D, G, T>, expected: &[f64]) {
    let values: Vec<f64> = found.read().unwrap().into_iter().map(Sample::back).collect();
    assert_eq!(values.len(), expected.len(), "{values:?}");
    for (&value, &want) in values.iter().zip(expected) {
        let close = value == want
            || (value.is_nan() && want.is_nan())
            || (value - want).abs() <= T::TOLERANCE * want.abs().max(1.0);
        assert!(close, "{values:?} is not {expected:?}");
    }
}

/// Runs a generic case for both elements and both kinds of storage.
macro_rules! for_each_kind {
    ($device:ident, $case:ident) => {
        for storage in [Storage::Contiguous($device.clone()), Storage::Permuted($device.clone())] {
            $case::<D, f32>(&storage);
            $case::<D, f64>(&storage);
        }
    };
}

fn gelu_has_its_values_and_slope<D: Device>(device: &D) {
    fn case<D: Device, T: Sample>(storage: &Storage<D>) {
        let x = storage.floats::<T>(&[-1.0, 0.0, 1.0, 30.0], &[2, 2]).requires_grad();
        let y = gelu(&x).unwrap();
        assert_close(&y, &[-0.158808009391723, 0.0, 0.841191990608277, 30.0]);
        let gradients = y.backward_with(&storage.floats::<T>(&[1.0, 1.0, 1.0, 2.0], &[2, 2])).unwrap();
        assert_close(&gradients.get(&x).unwrap(), &[-0.0829640838457826, 0.5, 1.08296408384578, 2.0]);
    }
    for_each_kind!(device, case);
}

fn axpy_edits_in_place<D: Device>(device: &D) {
    fn case<D: Device, T: Sample>(storage: &Storage<D>) {
        let mut y = storage.floats::<T>(&[1.0, 2.0, 3.0], &[3]);
        let before = y.clone();
        axpy(&mut y, &storage.floats::<T>(&[10.0, 20.0, 30.0], &[3]), 0.5).unwrap();
        assert_close(&y, &[6.0, 12.0, 18.0]);
        assert_close(&before, &[1.0, 2.0, 3.0]);
    }
    for_each_kind!(device, case);
}

fn axpy_edits_a_view<D: Device>(device: &D) {
    let mut y = Tensor::zeros(device, [2, 3]).unwrap();
    let x = Tensor::new(device, [1.0, 2.0]).unwrap();
    let mut view = y.view_mut().unwrap();
    axpy(&mut view.select(1, 1).unwrap(), &x, 2.0).unwrap();
    assert_eq!(y.read().unwrap(), [0.0, 2.0, 0.0, 0.0, 4.0, 0.0]);
}

fn softmax_and_its_gradient_are_eighths<D: Device>(device: &D) {
    fn case<D: Device, T: Sample>(storage: &Storage<D>) {
        let x = storage.floats::<T>(&[0.0, 2f64.ln(), 5f64.ln()], &[1, 3]).requires_grad();
        let y = softmax(&x).unwrap();
        assert_close(&y, &[0.125, 0.25, 0.625]);
        let gradients = y.backward_with(&storage.floats::<T>(&[8.0, 0.0, 0.0], &[1, 3])).unwrap();
        assert_close(&gradients.get(&x).unwrap(), &[0.875, -0.25, -0.625]);
        assert_close(&softmax(&storage.floats::<T>(&[1000.0; 6], &[2, 3])).unwrap(), &[1.0 / 3.0; 6]);
    }
    for_each_kind!(device, case);
}

fn layer_norm_has_three_gradients<D: Device>(device: &D) {
    fn case<D: Device, T: Sample>(storage: &Storage<D>) {
        let x = storage.floats::<T>(&[1.0, 1.0, 3.0, 3.0], &[1, 4]).requires_grad();
        let gamma = storage.floats::<T>(&[1.0, 2.0, 1.0, 1.0], &[4]).requires_grad();
        let beta = storage.floats::<T>(&[0.0, 0.0, 0.0, 5.0], &[4]).requires_grad();
        let y = layer_norm(&x, &gamma, &beta, 0.0).unwrap();
        assert_close(&y, &[-1.0, -2.0, 1.0, 6.0]);
        let gradients = y.backward_with(&storage.floats::<T>(&[1.0, 0.0, 0.0, 0.0], &[1, 4])).unwrap();
        assert_close(&gradients.get(&x).unwrap(), &[0.5, -0.5, 0.0, 0.0]);
        assert_close(&gradients.get(&gamma).unwrap(), &[-1.0, 0.0, 0.0, 0.0]);
        assert_close(&gradients.get(&beta).unwrap(), &[1.0, 0.0, 0.0, 0.0]);
    }
    for_each_kind!(device, case);
}

fn linear_has_three_gradients<D: Device>(device: &D) {
    fn case<D: Device, T: Sample>(storage: &Storage<D>) {
        let x = storage.floats::<T>(&[1.0, 2.0, 3.0, 4.0], &[2, 2]).requires_grad();
        let w = storage.floats::<T>(&[1.0, 0.0, -1.0, 2.0, 5.0, 7.0], &[3, 2]).requires_grad();
        let b = storage.floats::<T>(&[0.5, 1.0, 0.0], &[3]).requires_grad();
        let y = linear(&x, &w, &b).unwrap();
        assert_close(&y, &[1.5, 4.0, 19.0, 3.5, 6.0, 43.0]);
        let g = storage.floats::<T>(&[1.0, 10.0, 0.0, 0.0, 1.0, 2.0], &[2, 3]);
        let gradients = y.backward_with(&g).unwrap();
        assert_close(&gradients.get(&x).unwrap(), &[-9.0, 20.0, 9.0, 16.0]);
        assert_close(&gradients.get(&w).unwrap(), &[1.0, 2.0, 13.0, 24.0, 6.0, 8.0]);
        assert_close(&gradients.get(&b).unwrap(), &[1.0, 11.0, 2.0]);
    }
    for_each_kind!(device, case);
}

fn only_the_tracked_inputs_have_gradients<D: Device>(device: &D) {
    let x = Tensor::new(device, [[1.0, 2.0]]).unwrap();
    let w = Tensor::new(device, [[3.0, 4.0]]).unwrap().requires_grad();
    let b = Tensor::new(device, [0.0]).unwrap();
    let y = linear(&x, &w, &b).unwrap();
    let gradients = y.backward_with(&Tensor::ones(device, [1, 1]).unwrap()).unwrap();
    assert_eq!(gradients.len(), 1);
    assert_close(&gradients.get(&w).unwrap(), &[1.0, 2.0]);
}

fn cross_entropy_selects_the_target<D: Device>(device: &D) {
    fn case<D: Device, T: Sample>(storage: &Storage<D>) {
        let logits = storage.floats::<T>(&[0.0, 3f64.ln(), 5.0, 7.0], &[2, 2]).requires_grad();
        let target = storage.tensor(vec![1i64, 0], &[2]);
        let loss = cross_entropy(&logits, &target).unwrap();
        let second = 2.0 + (1.0 + (-2f64).exp()).ln();
        assert_close(&loss, &[((4f64 / 3.0).ln() + second) / 2.0]);
        let gradients = loss.backward().unwrap();
        let p = 1.0 / (1.0 + 2f64.exp());
        assert_close(&gradients.get(&logits).unwrap(), &[0.125, -0.125, (p - 1.0) / 2.0, (1.0 - p) / 2.0]);
    }
    for_each_kind!(device, case);
}

fn an_ignored_row_is_neither_read_nor_counted<D: Device>(device: &D) {
    fn case<D: Device, T: Sample>(storage: &Storage<D>) {
        let logits = storage.floats::<T>(&[0.0, 3f64.ln(), 5.0, 7.0], &[2, 2]).requires_grad();
        let loss = cross_entropy_kept(&logits, &storage.tensor(vec![1i64, -100], &[2]), -100).unwrap();
        assert_close(&loss, &[(4f64 / 3.0).ln()]);
        assert_close(&loss.backward().unwrap().get(&logits).unwrap(), &[0.25, -0.25, 0.0, 0.0]);

        let loss = cross_entropy_kept(&logits, &storage.tensor(vec![-100i64, -100], &[2]), -100).unwrap();
        assert_close(&loss, &[0.0]);
        assert_close(&loss.backward().unwrap().get(&logits).unwrap(), &[0.0; 4]);

        let error = failure(storage.device(), cross_entropy_kept(&logits, &storage.tensor(vec![1i64, 2], &[2]), -100));
        assert_eq!(error.kind(), ErrorKind::IndexOutOfRange, "{error}");
    }
    for_each_kind!(device, case);
}

fn embedding_scatters_its_gradient<D: Device>(device: &D) {
    fn case<D: Device, T: Sample>(storage: &Storage<D>) {
        let table: Vec<f64> = (0..10).map(f64::from).collect();
        let table = storage.floats::<T>(&table, &[5, 2]).requires_grad();
        let ids = storage.tensor(vec![1i64, 1, 3, 0], &[4]);
        let y = embedding(&table, &ids).unwrap();
        assert_close(&y, &[2.0, 3.0, 2.0, 3.0, 6.0, 7.0, 0.0, 1.0]);
        let g = storage.floats::<T>(&[1.0, 2.0, 10.0, 20.0, 100.0, 200.0, 1000.0, 2000.0], &[4, 2]);
        let gradients = y.backward_with(&g).unwrap();
        let expected = [1000.0, 2000.0, 11.0, 22.0, 0.0, 0.0, 100.0, 200.0, 0.0, 0.0];
        assert_close(&gradients.get(&table).unwrap(), &expected);
    }
    for_each_kind!(device, case);
}

fn an_index_out_of_range_is_an_error<D: Device>(device: &D) {
    let table = Tensor::zeros(device, [5, 2]).unwrap();
    for bad in [5i64, -1] {
        let ids = Tensor::from_vec(device, vec![0, bad], [2]).unwrap();
        let error = failure(device, embedding(&table, &ids));
        assert_eq!(error.kind(), ErrorKind::IndexOutOfRange);
        let text = error.to_string();
        assert!(text.contains("embedding") && text.contains("table") && text.contains(&bad.to_string()), "{text}");
    }
}

fn causal_scores_mask_the_future<D: Device>(device: &D) {
    fn case<D: Device, T: Sample>(storage: &Storage<D>) {
        let q = storage.floats::<T>(&[1.0, 2.0, 3.0, 4.0], &[1, 1, 4]);
        let k = storage.floats::<T>(&[1.0, 1.0, 1.0, 1.0, 2.0, 0.0, 0.0, 0.0], &[1, 2, 4]);
        assert_close(&causal_scores(&q, &k).unwrap(), &[5.0, f64::NEG_INFINITY]);

        let q = storage.floats::<T>(&[1.0, 2.0], &[1, 2, 1]).requires_grad();
        let k = storage.floats::<T>(&[3.0, 5.0], &[1, 2, 1]).requires_grad();
        let y = causal_scores(&q, &k).unwrap();
        assert_close(&y, &[3.0, f64::NEG_INFINITY, 6.0, 10.0]);
        let gradients = y.backward_with(&storage.floats::<T>(&[1.0, 10.0, 100.0, 1000.0], &[1, 2, 2])).unwrap();
        assert_close(&gradients.get(&q).unwrap(), &[3.0, 5300.0]);
        assert_close(&gradients.get(&k).unwrap(), &[201.0, 2000.0]);
    }
    for_each_kind!(device, case);
}

fn causal_attention_has_three_gradients<D: Device>(device: &D) {
    fn case<D: Device, T: Sample>(storage: &Storage<D>) {
        let ln3 = 3f64.ln();
        let q = storage.floats::<T>(&[0.0, ln3], &[1, 2, 1]).requires_grad();
        let k = storage.floats::<T>(&[1.0, 0.0], &[1, 2, 1]).requires_grad();
        let v = storage.floats::<T>(&[4.0, 8.0], &[1, 2, 1]).requires_grad();
        let y = causal_attention(&q, &k, &v).unwrap();
        assert_close(&y, &[4.0, 5.0]);
        let gradients = y.backward_with(&storage.floats::<T>(&[1.0, 1.0], &[1, 2, 1])).unwrap();
        assert_close(&gradients.get(&q).unwrap(), &[0.0, -0.75]);
        assert_close(&gradients.get(&k).unwrap(), &[-0.75 * ln3, 0.75 * ln3]);
        assert_close(&gradients.get(&v).unwrap(), &[1.75, 0.25]);
    }
    for_each_kind!(device, case);
}

fn gram_and_its_gradient_swap_names<D: Device>(device: &D) {
    fn case<D: Device, T: Sample>(storage: &Storage<D>) {
        let x = storage.floats::<T>(&[1.0, 2.0, 3.0, 4.0], &[2, 2]).requires_grad();
        let y = gram(&x).unwrap();
        assert_close(&y, &[5.0, 11.0, 11.0, 25.0]);
        let gradients = y.backward_with(&storage.floats::<T>(&[1.0, 10.0, 0.0, 0.0], &[2, 2])).unwrap();
        assert_close(&gradients.get(&x).unwrap(), &[32.0, 44.0, 10.0, 20.0]);

        let y = with_transposed(&x).unwrap();
        assert_close(&y, &[3.0, 8.0, 7.0, 12.0]);
        let gradients = y.backward_with(&storage.floats::<T>(&[1.0, 10.0, 100.0, 1000.0], &[2, 2])).unwrap();
        assert_close(&gradients.get(&x).unwrap(), &[3.0, 210.0, 120.0, 3000.0]);
    }
    for_each_kind!(device, case);
}

fn one_hot_names_its_axis<D: Device>(device: &D) {
    let ids = Tensor::from_vec(device, vec![2i64, 0, 7], [3]).unwrap();
    let y = one_hot(&ids, 3).unwrap();
    assert_eq!(y.read().unwrap(), [0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    assert_eq!(one_hot(&ids, 0).unwrap().shape()[..], [3, 0]);
}

fn two_outputs_send_two_gradients<D: Device>(device: &D) {
    fn case<D: Device, T: Sample>(storage: &Storage<D>) {
        let x = storage.floats::<T>(&[1.0, -1.0], &[1, 2]).requires_grad();
        let r = storage.floats::<T>(&[2.0, -2.0], &[1, 2]);
        let gamma = storage.floats::<T>(&[1.0, 2.0], &[2]).requires_grad();
        let (h, y) = add_rms_norm(&x, &r, &gamma, 0.0).unwrap();
        assert_close(&h, &[3.0, -3.0]);
        assert_close(&y, &[1.0, -2.0]);
        // Only one of the two is used: the other's cotangent is zero.
        let gradients = y.backward_with(&storage.floats::<T>(&[3.0, 0.0], &[1, 2])).unwrap();
        assert_close(&gradients.get(&x).unwrap(), &[0.5, 0.5]);
        assert_close(&gradients.get(&gamma).unwrap(), &[3.0, 0.0]);
        let (h, y) = add_rms_norm(&x, &r, &gamma, 0.0).unwrap();
        let both =
            double_sum(&summed(&h).unwrap().unsqueeze(0).unwrap(), &summed(&y).unwrap().unsqueeze(0).unwrap()).unwrap();
        let gradients = both.backward().unwrap();
        assert_close(&gradients.get(&gamma).unwrap(), &[1.0, -1.0]);
        assert_close(&gradients.get(&x).unwrap(), &[2.5, 2.5]);
    }
    for_each_kind!(device, case);
}

fn argmax_takes_the_first_of_equals<D: Device>(device: &D) {
    fn case<D: Device, T: Sample>(storage: &Storage<D>) {
        let x = storage.floats::<T>(&[1.0, 3.0, 3.0, f64::NEG_INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY], &[2, 3]);
        assert_eq!(argmax_rows(&x).unwrap().read().unwrap(), [1, 0]);
    }
    for_each_kind!(device, case);
}

fn a_sum_over_an_axis_that_a_term_lacks_counts_it<D: Device>(device: &D) {
    fn case<D: Device, T: Sample>(storage: &Storage<D>) {
        let x = storage.floats::<T>(&[1.0, 2.0, 3.0], &[3]).requires_grad();
        let y = storage.floats::<T>(&[10.0, 20.0, 30.0, 40.0], &[4]).requires_grad();
        let total = double_sum(&x, &y).unwrap();
        assert_close(&total, &[348.0]);
        let gradients = total.backward().unwrap();
        assert_close(&gradients.get(&x).unwrap(), &[8.0; 3]);
        assert_close(&gradients.get(&y).unwrap(), &[3.0; 4]);
    }
    for_each_kind!(device, case);
}

fn ties_share_the_gradient_of_a_maximum<D: Device>(device: &D) {
    fn case<D: Device, T: Sample>(storage: &Storage<D>) {
        let x = storage.floats::<T>(&[1.0, 3.0, 3.0, 0.0, 2.0, 2.0, 2.0, 2.0], &[2, 4]).requires_grad();
        let y = max_rows(&x).unwrap();
        assert_close(&y, &[3.0, 2.0]);
        let gradients = y.backward_with(&storage.floats::<T>(&[1.0, 4.0], &[2])).unwrap();
        assert_close(&gradients.get(&x).unwrap(), &[0.0, 0.5, 0.5, 0.0, 1.0, 1.0, 1.0, 1.0]);
    }
    for_each_kind!(device, case);
}

fn the_untaken_branch_contributes_zero<D: Device>(device: &D) {
    fn case<D: Device, T: Sample>(storage: &Storage<D>) {
        let x = storage.floats::<T>(&[0.0, 4.0, -1.0], &[3]).requires_grad();
        let y = guarded_root(&x).unwrap();
        assert_close(&y, &[0.0, 2.0, 0.0]);
        let ones = storage.floats::<T>(&[1.0; 3], &[3]);
        assert_close(&y.backward_with(&ones).unwrap().get(&x).unwrap(), &[0.0, 0.25, 0.0]);

        let x = storage.floats::<T>(&[0.0], &[1]).requires_grad();
        let y = sinc(&x).unwrap();
        assert_close(&y, &[1.0]);
        let one = storage.floats::<T>(&[1.0], &[1]);
        assert_close(&y.backward_with(&one).unwrap().get(&x).unwrap(), &[0.0]);
    }
    for_each_kind!(device, case);
}

fn products_with_zeros_have_gradients<D: Device>(device: &D) {
    fn case<D: Device, T: Sample>(storage: &Storage<D>) {
        let x = storage.floats::<T>(&[2.0, 0.0, 3.0, 0.0, 0.0, 5.0, 2.0, 3.0, 4.0], &[3, 3]).requires_grad();
        let y = prod_rows(&x).unwrap();
        assert_close(&y, &[0.0, 0.0, 24.0]);
        let gradients = y.backward_with(&storage.floats::<T>(&[1.0; 3], &[3])).unwrap();
        assert_close(&gradients.get(&x).unwrap(), &[0.0, 6.0, 0.0, 0.0, 0.0, 0.0, 12.0, 8.0, 6.0]);
    }
    for_each_kind!(device, case);
}

fn a_factor_outside_the_contraction_has_a_gradient<D: Device>(device: &D) {
    fn case<D: Device, T: Sample>(storage: &Storage<D>) {
        let a = storage.floats::<T>(&[1.0, 2.0, 3.0, 4.0], &[2, 2]).requires_grad();
        let b = storage.floats::<T>(&[5.0, 6.0, 7.0, 8.0], &[2, 2]).requires_grad();
        let s = storage.floats::<T>(&[1.0, 10.0], &[2]).requires_grad();
        let y = scaled_matmul(&a, &b, &s).unwrap();
        assert_close(&y, &[19.0, 220.0, 43.0, 500.0]);
        let gradients = y.backward_with(&storage.floats::<T>(&[1.0, 0.0, 0.0, 2.0], &[2, 2])).unwrap();
        assert_close(&gradients.get(&a).unwrap(), &[5.0, 7.0, 120.0, 160.0]);
        assert_close(&gradients.get(&b).unwrap(), &[1.0, 60.0, 2.0, 80.0]);
        assert_close(&gradients.get(&s).unwrap(), &[19.0, 100.0]);
    }
    for_each_kind!(device, case);
}

fn powers_of_zero_have_finite_gradients<D: Device>(device: &D) {
    fn case<D: Device, T: Sample>(storage: &Storage<D>) {
        let x = storage.floats::<T>(&[0.0, 0.0, 2.0], &[3]).requires_grad();
        let y = storage.floats::<T>(&[0.0, 2.0, 3.0], &[3]).requires_grad();
        let z = pow(&x, &y).unwrap();
        assert_close(&z, &[1.0, 0.0, 8.0]);
        let gradients = z.backward_with(&storage.floats::<T>(&[1.0; 3], &[3])).unwrap();
        assert_close(&gradients.get(&x).unwrap(), &[0.0, 0.0, 12.0]);
        assert_close(&gradients.get(&y).unwrap(), &[0.0, 0.0, 8.0 * 2f64.ln()]);
    }
    for_each_kind!(device, case);
}

fn a_variance_far_from_zero_is_accurate<D: Device>(device: &D) {
    fn case<D: Device, T: Sample>(storage: &Storage<D>) {
        let x = storage.floats::<T>(&[1e4, 1e4 + 1.0, 1e4 + 2.0], &[1, 3]).requires_grad();
        let y = variance(&x).unwrap();
        assert_close(&y, &[2.0 / 3.0]);
        let gradients = y.backward_with(&storage.floats::<T>(&[1.0], &[1])).unwrap();
        assert_close(&gradients.get(&x).unwrap(), &[-2.0 / 3.0, 0.0, 2.0 / 3.0]);
    }
    for_each_kind!(device, case);
}

fn a_cumulative_sum_runs_backwards_in_its_gradient<D: Device>(device: &D) {
    fn case<D: Device, T: Sample>(storage: &Storage<D>) {
        let x = storage.floats::<T>(&[1.0, 2.0, 3.0], &[3]).requires_grad();
        let y = cumsum(&x).unwrap();
        assert_close(&y, &[1.0, 3.0, 6.0]);
        let gradients = y.backward_with(&storage.floats::<T>(&[1.0, 10.0, 100.0], &[3])).unwrap();
        assert_close(&gradients.get(&x).unwrap(), &[111.0, 110.0, 100.0]);
    }
    for_each_kind!(device, case);
}

fn two_edits_swap<D: Device>(device: &D) {
    fn case<D: Device, T: Sample>(storage: &Storage<D>) {
        let mut a = storage.floats::<T>(&[1.0, 2.0], &[2]);
        let mut b = storage.floats::<T>(&[3.0, 4.0], &[2]);
        swap(&mut a, &mut b).unwrap();
        assert_close(&a, &[3.0, 4.0]);
        assert_close(&b, &[1.0, 2.0]);
    }
    for_each_kind!(device, case);
}

fn a_row_is_edited_after_its_reductions<D: Device>(device: &D) {
    fn case<D: Device, T: Sample>(storage: &Storage<D>) {
        let mut x = storage.floats::<T>(&[0.0, 2f64.ln(), 5f64.ln(), 7.0, 7.0, 7.0], &[2, 3]);
        softmax_rows_in_place(&mut x).unwrap();
        assert_close(&x, &[0.125, 0.25, 0.625, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0]);
    }
    for_each_kind!(device, case);
}

fn a_kernel_without_tensors_takes_a_device<D: Device>(device: &D) {
    assert_eq!(ramp(device, 4, 0.5).unwrap().read().unwrap(), [0.0, 0.5, 1.0, 1.5]);
    assert!(ramp(device, 0, 0.5).unwrap().is_empty());
}

fn integer_division_by_zero_is_an_error_where_it_is_executed<D: Device>(device: &D) {
    let x = Tensor::from_vec(device, vec![7, -7, i32::MIN], [3]).unwrap();
    let y = Tensor::from_vec(device, vec![2, 2, 1], [3]).unwrap();
    assert_eq!(divided(&x, &y).unwrap().read().unwrap(), [3, -3, i32::MIN]);
    let zero = Tensor::from_vec(device, vec![2, 0, 1], [3]).unwrap();
    assert_eq!(failure(device, divided(&x, &zero)).kind(), ErrorKind::DivisionByZero);
    assert_eq!(divided_where_possible(&x, &zero).unwrap().read().unwrap(), [4, -1, i32::MIN]);
}

fn small_integers_are_summed_without_wrapping<D: Device>(device: &D) {
    let x = Tensor::from_vec(device, vec![200u8; 600], [2, 300]).unwrap();
    assert_eq!(counts(&x).unwrap().read().unwrap(), [60_000, 60_000]);
}

fn casts_are_rusts<D: Device>(device: &D) {
    let data = vec![-1.5, 300.0, f64::NAN, 0.0, 1e20, 0.1];
    let x = Tensor::from_vec(device, data.clone(), [6]).unwrap();
    let (ints, bytes, bools, singles, halves) = converted(&x).unwrap();
    assert_eq!(ints.read().unwrap(), data.iter().map(|&x| x as i32).collect::<Vec<_>>());
    assert_eq!(bytes.read().unwrap(), data.iter().map(|&x| x as u8).collect::<Vec<_>>());
    assert_eq!(bools.read().unwrap(), [true, true, true, false, true, true]);
    // The bits of a NaN are the device's own.
    let bits = |values: Vec<f32>| values.into_iter().map(|x| (!x.is_nan()).then(|| x.to_bits())).collect::<Vec<_>>();
    assert_eq!(bits(singles.read().unwrap()), bits(data.iter().map(|&x| x as f32).collect()));
    let bits = |values: Vec<f16>| values.into_iter().map(|x| (!x.is_nan()).then(|| x.to_bits())).collect::<Vec<_>>();
    assert_eq!(bits(halves.read().unwrap()), bits(data.iter().map(|&x| f16::from_f64(x)).collect()));
}

fn masks_select<D: Device>(device: &D) {
    fn case<D: Device, T: Sample>(storage: &Storage<D>) {
        let x = storage.floats::<T>(&[1.0, 2.0, f64::NAN, 4.0], &[2, 2]).requires_grad();
        let mask = storage.tensor(vec![true, false, false, false], &[2, 2]);
        let y = masked(&x, &mask).unwrap();
        assert_close(&y, &[1.0, 0.0, 0.0, 0.0]);
        let gradients = y.backward_with(&storage.floats::<T>(&[5.0, 6.0, 7.0, 8.0], &[2, 2])).unwrap();
        assert_close(&gradients.get(&x).unwrap(), &[5.0, 0.0, 0.0, 0.0]);
    }
    for_each_kind!(device, case);
}

fn an_affine_index_reads_backwards<D: Device>(device: &D) {
    fn case<D: Device, T: Sample>(storage: &Storage<D>) {
        let x = storage.floats::<T>(&[1.0, 2.0, 3.0, 4.0], &[2, 2]).requires_grad();
        let y = last_row_first(&x).unwrap();
        assert_close(&y, &[3.0, 4.0, 1.0, 2.0]);
        let gradients = y.backward_with(&storage.floats::<T>(&[1.0, 10.0, 100.0, 1000.0], &[2, 2])).unwrap();
        assert_close(&gradients.get(&x).unwrap(), &[100.0, 1000.0, 1.0, 10.0]);
    }
    for_each_kind!(device, case);
}

fn parameters_may_have_any_name<D: Device>(device: &D) {
    let one = Tensor::ones(device, [2]).unwrap();
    let y = awkward(&one, &one, &one, 1.0, 1.0, &one, &one, &one, &one, &one, 2.0, 3.0, 4.0, 5.0, &one, &one, &one)
        .unwrap();
    assert_eq!(y.read().unwrap(), [5.0 + 6.0 + 20.0 + 1.0 + 1.0; 2]);
}

fn empty_tensors_give_empty_results<D: Device>(device: &D) {
    let empty = Tensor::zeros(device, [0, 3]).unwrap().requires_grad();
    let y = softmax(&empty).unwrap();
    assert_eq!(y.shape()[..], [0, 3]);
    let gradients = y.backward_with(&Tensor::zeros(device, [0, 3]).unwrap()).unwrap();
    assert_eq!(gradients.get(&empty).unwrap().shape()[..], [0, 3]);
    assert!(softmax(&Tensor::zeros(device, [3, 0]).unwrap()).unwrap().is_empty());
    assert_eq!(max_rows(&Tensor::zeros(device, [3, 0]).unwrap()).unwrap_err().kind(), ErrorKind::EmptyReduction);
    assert_eq!(summed(&Tensor::zeros(device, [3, 0]).unwrap()).unwrap().item().unwrap(), 0.0);
}

fn any_number_of_dimensions_stands_for_the_dots<D: Device>(device: &D) {
    let scalar = Tensor::full(device, [], 1.0).unwrap();
    assert_eq!(gelu(&scalar).unwrap().rank(), 0);
    let cube = Tensor::ones(device, [2, 3, 4]).unwrap();
    assert_eq!(softmax(&cube).unwrap().shape()[..], [2, 3, 4]);
    assert_eq!(summed(&cube).unwrap().item().unwrap(), 24.0);
}

fn a_size_mismatch_names_axis_and_parameters<D: Device>(device: &D) {
    let x = Tensor::zeros(device, [2, 128]).unwrap();
    let gamma = Tensor::zeros(device, [64]).unwrap();
    let beta = Tensor::zeros(device, [128]).unwrap();
    let text = layer_norm(&x, &gamma, &beta, 1e-5).unwrap_err().to_string();
    assert!(text.starts_with("layer_norm: axis `C` is 128 in `x` and 64 in `gamma`"), "{text}");
}

#[test]
fn a_kernel_shows_its_source() {
    let source = softmax::source();
    assert!(source.ir.contains("exp(x[.., C] - max[C](x[.., C]))"), "{source}");
    assert!(source.schedule.contains("softmax forward: 1/3 (0)"), "{source}");
    assert!(source.rust.contains("let e = Compute::exp::<I>(x - max0);"), "{source}");
}

tests::on_each_device! {
    gelu_has_its_values_and_slope,
    axpy_edits_in_place,
    axpy_edits_a_view,
    softmax_and_its_gradient_are_eighths,
    layer_norm_has_three_gradients,
    linear_has_three_gradients,
    only_the_tracked_inputs_have_gradients,
    cross_entropy_selects_the_target,
    an_ignored_row_is_neither_read_nor_counted,
    embedding_scatters_its_gradient,
    an_index_out_of_range_is_an_error,
    causal_scores_mask_the_future,
    causal_attention_has_three_gradients,
    gram_and_its_gradient_swap_names,
    one_hot_names_its_axis,
    two_outputs_send_two_gradients,
    argmax_takes_the_first_of_equals,
    a_sum_over_an_axis_that_a_term_lacks_counts_it,
    ties_share_the_gradient_of_a_maximum,
    the_untaken_branch_contributes_zero,
    products_with_zeros_have_gradients,
    a_factor_outside_the_contraction_has_a_gradient,
    powers_of_zero_have_finite_gradients,
    a_variance_far_from_zero_is_accurate,
    a_cumulative_sum_runs_backwards_in_its_gradient,
    two_edits_swap,
    a_row_is_edited_after_its_reductions,
    a_kernel_without_tensors_takes_a_device,
    integer_division_by_zero_is_an_error_where_it_is_executed,
    small_integers_are_summed_without_wrapping,
    casts_are_rusts,
    masks_select,
    an_affine_index_reads_backwards,
    parameters_may_have_any_name,
    empty_tensors_give_empty_results,
    any_number_of_dimensions_stands_for_the_dots,
    a_size_mismatch_names_axis_and_parameters,
}
