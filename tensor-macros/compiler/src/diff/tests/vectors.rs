//! Exact values and gradients; the numbers were checked against PyTorch.

use super::{agree, derive, values};
use crate::interp::{Array, Fault, Value};

/// A kernel at given arguments: (source, arrays, scalars, cotangents, outputs, gradients of the float arrays in order).
pub(super) struct Vector {
    pub name: &'static str,
    source: &'static str,
    arrays: Vec<Array>,
    scalars: Vec<Value>,
    cotangents: Vec<Array>,
    outputs: Vec<Vec<f64>>,
    gradients: Vec<Vec<f64>>,
}

impl Vector {
    /// The first difference from what is expected.
    pub(super) fn check(&self) -> Result<(), String> {
        let derived = derive(self.source);
        let forward = derived.forward(&self.arrays, &self.scalars);
        for (position, expected) in self.outputs.iter().enumerate() {
            let found = values(&forward, position);
            if !agree(&found, expected) {
                return Err(format!("{}: output {position} is {found:?}, expected {expected:?}", self.name));
            }
        }
        let backward = derived.backward(&self.arrays, &self.scalars, &self.cotangents);
        if !forward.faults.is_empty() || !backward.faults.is_empty() {
            return Err(format!("{}: {:?} {:?}", self.name, forward.faults, backward.faults));
        }
        let found: Vec<Vec<f64>> = backward.arrays.iter().flatten().map(Array::to_floats).collect();
        match found.len() == self.gradients.len() && found.iter().zip(&self.gradients).all(|(a, b)| agree(a, b)) {
            true => Ok(()),
            false => Err(format!("{}: gradients are {found:?}, expected {:?}", self.name, self.gradients)),
        }
    }
}

fn floats(shape: &[usize], values: &[f64]) -> Array {
    Array::floats(shape, values)
}

fn vector(
    name: &'static str,
    source: &'static str,
    arrays: Vec<Array>,
    cotangents: Vec<Array>,
    outputs: &[&[f64]],
    gradients: &[&[f64]],
) -> Vector {
    let owned = |rows: &[&[f64]]| rows.iter().map(|row| row.to_vec()).collect();
    Vector { name, source, arrays, scalars: vec![], cotangents, outputs: owned(outputs), gradients: owned(gradients) }
}

const SOFTMAX: &str = "fn softmax(x: &Tensor[N, C]) -> Tensor[N, C] { let e = exp(x - max[C](x)); e / sum[C](e) }";
const LAYER_NORM: &str =
    "fn layer_norm(x: &Tensor[.., C], gamma: &Tensor[C], beta: &Tensor[C], eps: float) -> Tensor[.., C] {
    let d = x - mean[C](x);
    d * rsqrt(mean[C](d * d) + eps) * gamma + beta
}";
const IGNORE: &str = "fn cross_entropy(logits: &Tensor[N, C], target: &Tensor<i64>[N]) -> Tensor[] {
    let m = max[C](logits);
    let kept = sum[N](if target != -100 { 1.0 } else { 0.0 });
    let total = sum[N](if target != -100 { m + ln(sum[C](exp(logits - m))) - logits[N, target] } else { 0.0 });
    if kept > 0.0 { total / kept } else { 0.0 }
}";
const POOL: &str =
    "fn max_pool1d(x: &Tensor[L], window: usize, stride: usize) -> Tensor[P = (L - window) / stride + 1] {
    max[W = window](x[P * stride + W])
}";
const CONV: &str = "fn conv1d(x: &Tensor[L], k: &Tensor[W], stride: usize, pad: usize) -> Tensor[P = (L + 2 * pad - W) / stride + 1] {
    sum[W]((if P * stride + W - pad >= 0 && P * stride + W - pad < size(L) { x[P * stride + W - pad] } else { 0.0 }) * k)
}";
const CAUSAL: &str = "fn attention(q: &Tensor[T, K], k: &Tensor[S, K], v: &Tensor[S, V]) -> Tensor[T, V] {
    let scores = if S <= T { sum[K](q * k) } else { -inf };
    let e = exp(scores - max[S](scores));
    let p = e / sum[S](e);
    sum[S](p * v)
}";

/// All vectors.
pub(super) fn vectors() -> Vec<Vector> {
    let ln = f64::ln;
    let mut layer_norm = vector(
        "layer norm",
        LAYER_NORM,
        vec![floats(&[1, 4], &[1., 1., 3., 3.]), floats(&[4], &[1., 2., 1., 1.]), floats(&[4], &[0., 0., 0., 5.])],
        vec![floats(&[1, 4], &[1., 0., 0., 0.])],
        &[&[-1., -2., 1., 6.]],
        &[&[0.5, -0.5, 0., 0.], &[-1., 0., 0., 0.], &[1., 0., 0., 0.]],
    );
    layer_norm.scalars = vec![Value::Float(0.0)];
    let mut pool = vector(
        "max pool, overlapping windows with ties",
        POOL,
        vec![floats(&[7], &[1., 5., 2., 5., 5., 0., 5.])],
        vec![floats(&[3], &[1., 2., 4.])],
        &[&[5., 5., 5.]],
        &[&[0., 1., 0., 1., 3., 0., 2.]],
    );
    pool.scalars = vec![Value::Int(3), Value::Int(2)];
    let mut conv = vector(
        "conv1d stride 2 pad 1",
        CONV,
        vec![floats(&[5], &[1., 2., 3., 4., 5.]), floats(&[3], &[1., 10., 100.])],
        vec![floats(&[3], &[1., 2., 3.])],
        &[&[210., 432., 54.]],
        &[&[10., 102., 20., 203., 30.], &[16., 22., 10.]],
    );
    conv.scalars = vec![Value::Int(2), Value::Int(1)];
    vec![
        vector(
            "a summed axis that an addend lacks",
            "fn total(x: &Tensor[N], y: &Tensor[C]) -> Tensor[] { sum[N, C](2.0 * x + y) }",
            vec![floats(&[3], &[1., 2., 3.]), floats(&[4], &[10., 20., 30., 40.])],
            vec![floats(&[], &[1.])],
            &[&[348.]],
            &[&[8.; 3], &[3.; 4]],
        ),
        vector(
            "max with ties",
            "fn largest(x: &Tensor[N, C]) -> Tensor[N] { max[C](x) }",
            vec![floats(&[2, 4], &[1., 3., 3., 0., 2., 2., 2., 2.])],
            vec![floats(&[2], &[1., 4.])],
            &[&[3., 2.]],
            &[&[0., 0.5, 0.5, 0., 1., 1., 1., 1.]],
        ),
        vector(
            "sqrt guard",
            "fn root(x: &Tensor[N]) -> Tensor[N] { if x > 0.0 { sqrt(x) } else { 0.0 } }",
            vec![floats(&[3], &[0., 4., -1.])],
            vec![floats(&[3], &[1.; 3])],
            &[&[0., 2., 0.]],
            &[&[0., 0.25, 0.]],
        ),
        vector(
            "sinc guard",
            "fn sinc(x: &Tensor[N]) -> Tensor[N] { if x != 0.0 { sin(x) / x } else { 1.0 } }",
            vec![floats(&[1], &[0.])],
            vec![floats(&[1], &[1.])],
            &[&[1.]],
            &[&[0.]],
        ),
        vector(
            "sqrt of a value clamped away from 0",
            "fn root(x: &Tensor[N]) -> Tensor[N] { sqrt(max(x, 0.0)) }",
            vec![floats(&[3], &[0., 4., -1.])],
            vec![floats(&[3], &[1.; 3])],
            &[&[0., 2., 0.]],
            &[&[0., 0.25, 0.]],
        ),
        vector(
            "two guarded uses of one root",
            "fn root(x: &Tensor[N], y: &Tensor[N]) -> Tensor[N] {
                let s = sqrt(x);
                (if y > 0.0 { s } else { 0.0 }) + (if y > 1.0 { 2.0 * s } else { 0.0 })
            }",
            vec![floats(&[3], &[0., 4., 4.]), floats(&[3], &[-1., 0.5, 2.])],
            vec![floats(&[3], &[1.; 3])],
            &[&[0., 2., 6.]],
            &[&[0., 0.25, 0.75]],
        ),
        vector(
            "softmax",
            SOFTMAX,
            vec![floats(&[1, 3], &[0., ln(2.), ln(5.)])],
            vec![floats(&[1, 3], &[8., 0., 0.])],
            &[&[0.125, 0.25, 0.625]],
            &[&[7. / 8., -0.25, -5. / 8.]],
        ),
        vector(
            "softmax of large equal values",
            SOFTMAX,
            vec![floats(&[1, 3], &[1000.; 3])],
            vec![floats(&[1, 3], &[1., 0., 0.])],
            &[&[1. / 3.; 3]],
            &[&[2. / 9., -1. / 9., -1. / 9.]],
        ),
        layer_norm,
        vector(
            "gram",
            "fn gram(x: &Tensor[N, K]) -> Tensor[N, M = N] { sum[K](x[N, K] * x[M, K]) }",
            vec![floats(&[2, 2], &[1., 2., 3., 4.])],
            vec![floats(&[2, 2], &[1., 10., 0., 0.])],
            &[&[5., 11., 11., 25.]],
            &[&[32., 44., 10., 20.]],
        ),
        vector(
            "swapped names",
            "fn mix(x: &Tensor[I, J = I]) -> Tensor[I, J] { x[I, J] + 2.0 * x[J, I] }",
            vec![floats(&[2, 2], &[1., 2., 3., 4.])],
            vec![floats(&[2, 2], &[1., 10., 100., 1000.])],
            &[&[3., 8., 7., 12.]],
            &[&[3., 210., 120., 3000.]],
        ),
        conv,
        vector(
            "cross entropy with an ignored row",
            IGNORE,
            vec![floats(&[2, 2], &[0., ln(3.), 5., 7.]), Array::ints(&[2], &[1, -100])],
            vec![floats(&[], &[1.])],
            &[&[ln(4. / 3.)]],
            &[&[0.25, -0.25, 0., 0.]],
        ),
        vector(
            "cross entropy with all rows ignored",
            IGNORE,
            vec![floats(&[2, 2], &[0., ln(3.), 5., 7.]), Array::ints(&[2], &[-100, -100])],
            vec![floats(&[], &[1.])],
            &[&[0.]],
            &[&[0.; 4]],
        ),
        vector(
            "embedding",
            "fn embedding(table: &Tensor[V, C], ids: &Tensor<i64>[N]) -> Tensor[N, C] { table[ids, C] }",
            vec![floats(&[5, 2], &[0., 1., 2., 3., 4., 5., 6., 7., 8., 9.]), Array::ints(&[4], &[1, 1, 3, 0])],
            vec![floats(&[4, 2], &[1., 2., 10., 20., 100., 200., 1000., 2000.])],
            &[&[2., 3., 2., 3., 6., 7., 0., 1.]],
            &[&[1000., 2000., 11., 22., 0., 0., 100., 200., 0., 0.]],
        ),
        pool,
        vector(
            "causal attention",
            CAUSAL,
            vec![floats(&[2, 1], &[0., ln(3.)]), floats(&[2, 1], &[1., 0.]), floats(&[2, 1], &[4., 8.])],
            vec![floats(&[2, 1], &[1., 1.])],
            &[&[4., 5.]],
            &[&[0., -0.75], &[-0.75 * ln(3.), 0.75 * ln(3.)], &[1.75, 0.25]],
        ),
        vector(
            "prod with zeros",
            "fn product(x: &Tensor[N, C]) -> Tensor[N] { prod[C](x) }",
            vec![floats(&[3, 3], &[2., 0., 3., 0., 0., 5., 2., 3., 4.])],
            vec![floats(&[3], &[1.; 3])],
            &[&[0., 0., 24.]],
            &[&[0., 6., 0., 0., 0., 0., 12., 8., 6.]],
        ),
        vector(
            "a product with scaled columns",
            "fn scaled(a: &Tensor[M, K], b: &Tensor[K, N], s: &Tensor[N]) -> Tensor[M, N] { sum[K](a * b * s) }",
            vec![floats(&[2, 2], &[1., 2., 3., 4.]), floats(&[2, 2], &[5., 6., 7., 8.]), floats(&[2], &[1., 10.])],
            vec![floats(&[2, 2], &[1., 0., 0., 2.])],
            &[&[19., 220., 43., 500.]],
            &[&[5., 7., 120., 160.], &[1., 60., 2., 80.], &[19., 100.]],
        ),
        vector(
            "pow at 0",
            "fn power(x: &Tensor[N], y: &Tensor[N]) -> Tensor[N] { powf(x, y) }",
            vec![floats(&[3], &[0., 0., 2.]), floats(&[3], &[0., 2., 3.])],
            vec![floats(&[3], &[1.; 3])],
            &[&[1., 0., 8.]],
            &[&[0., 0., 12.], &[0., 0., 8. * ln(2.)]],
        ),
        vector(
            "variance",
            "fn variance(x: &Tensor[N]) -> Tensor[] { var[N](x) }",
            vec![floats(&[3], &[1e4, 1e4 + 1., 1e4 + 2.])],
            vec![floats(&[], &[1.])],
            &[&[2. / 3.]],
            &[&[-2. / 3., 0., 2. / 3.]],
        ),
        vector(
            "cumulative sum",
            "fn cumsum(x: &Tensor[S]) -> Tensor[T = S] { sum[S](if S <= T { x } else { 0.0 }) }",
            vec![floats(&[3], &[1., 2., 3.])],
            vec![floats(&[3], &[1., 10., 100.])],
            &[&[1., 3., 6.]],
            &[&[111., 110., 100.]],
        ),
        vector(
            "ties between two tensors",
            "fn larger(x: &Tensor[N], y: &Tensor[N]) -> Tensor[N] { max(x, y) - min(x, 2.0 * y) }",
            vec![floats(&[3], &[1., 2., 2.]), floats(&[3], &[1., 1., 4.])],
            vec![floats(&[3], &[1., 10., 100.])],
            &[&[0., 0., 2.]],
            &[&[-0.5, 5., -100.], &[0.5, -10., 100.]],
        ),
        vector(
            "a constant wins ties",
            "fn clamped(x: &Tensor[N]) -> Tensor[N] { clamp(x, 0.0, 1.0) + 10.0 * relu(x) + 100.0 * abs(x) }",
            vec![floats(&[5], &[-1., 0., 0.5, 1., 2.])],
            vec![floats(&[5], &[1.; 5])],
            &[&[100., 0., 55.5, 111., 221.]],
            &[&[-100., 0., 111., 110., 110.]],
        ),
        vector(
            "logsumexp of nothing but -inf, and of one finite value",
            "fn lse(x: &Tensor[N, C]) -> Tensor[N] { logsumexp[C](x) }",
            vec![floats(&[2, 2], &[1., 1., f64::NEG_INFINITY, 2.])],
            vec![floats(&[2], &[1.; 2])],
            &[&[1. + ln(2.), 2.]],
            &[&[0.5, 0.5, 0., 1.]],
        ),
        vector(
            "softmax of masked rows",
            "fn masked(x: &Tensor[N, C], keep: &Tensor<bool>[N, C]) -> Tensor[N, C] {
                let scores = if keep { x } else { -inf };
                let m = max[C](scores);
                let m = if m == -inf { 0.0 } else { m };
                let e = exp(scores - m);
                let s = sum[C](e);
                if s == 0.0 { 0.0 } else { e / s }
            }",
            vec![floats(&[2, 2], &[0., ln(3.), 1., 2.]), Array::bools(&[2, 2], &[true, true, false, false])],
            vec![floats(&[2, 2], &[1., 0., 1., 5.])],
            &[&[0.25, 0.75, 0., 0.]],
            &[&[3. / 16., -3. / 16., 0., 0.]],
        ),
        vector(
            "the maximum of a row with NaN",
            "fn largest(x: &Tensor[N, C]) -> Tensor[N] { max[C](x) }",
            vec![floats(&[2, 2], &[1., f64::NAN, 1., 2.])],
            vec![floats(&[2], &[1.; 2])],
            &[&[f64::NAN, 2.]],
            &[&[0., 0., 0., 1.]],
        ),
        vector(
            "a diagonal",
            "fn diagonal(x: &Tensor[N, M = N]) -> Tensor[N] { x[N, N] }",
            vec![floats(&[2, 2], &[1., 2., 3., 4.])],
            vec![floats(&[2], &[10., 20.])],
            &[&[1., 4.]],
            &[&[10., 0., 0., 20.]],
        ),
        vector(
            "a row of a matrix",
            "fn second(x: &Tensor[N, C]) -> Tensor[C] { x[1, C] }",
            vec![floats(&[2, 2], &[1., 2., 3., 4.])],
            vec![floats(&[2], &[10., 20.])],
            &[&[3., 4.]],
            &[&[0., 0., 10., 20.]],
        ),
        vector(
            "a shift that softmax does not see",
            "fn shifted(x: &Tensor[N, C], y: &Tensor[N]) -> Tensor[N, C] {
                let e = exp(x + y - max[C](x + y));
                e / sum[C](e)
            }",
            vec![floats(&[1, 2], &[0., ln(3.)]), floats(&[1], &[5.])],
            vec![floats(&[1, 2], &[16., 0.])],
            &[&[0.25, 0.75]],
            &[&[3., -3.], &[0.]],
        ),
        vector(
            "a row that is masked altogether, divided by its size 0",
            "fn part(x: &Tensor[N, C], keep: &Tensor<bool>[N, C], n: &Tensor[N]) -> Tensor[N] {
                sum[C](if keep { x / n } else { 0.0 })
            }",
            vec![
                floats(&[2, 2], &[1., 2., 3., 4.]),
                Array::bools(&[2, 2], &[true, false, false, false]),
                floats(&[2], &[2., 0.]),
            ],
            vec![floats(&[2], &[1., 1.])],
            &[&[0.5, 0.]],
            &[&[0.5, 0., 0., 0.], &[-0.25, 0.]],
        ),
        vector(
            "segments of which one is missing",
            "fn segments(x: &Tensor[N], ids: &Tensor<i64>[N], like: &Tensor[V]) -> Tensor[V] {
                sum[N](if ids == V { x } else { 0.0 }) * like
            }",
            vec![floats(&[4], &[1., 2., 3., 4.]), Array::ints(&[4], &[1, -1, 1, 2]), floats(&[2], &[10., 20.])],
            vec![floats(&[2], &[1., 2.])],
            &[&[0., 80.]],
            &[&[40., 0., 40., 0.], &[0., 8.]],
        ),
        vector(
            "a part of a matrix",
            "fn part(x: &Tensor[M, J], y: &Tensor[N]) -> Tensor[N] { x[N, 1] * y }",
            vec![floats(&[3, 2], &[1., 2., 3., 4., 5., 6.]), floats(&[2], &[10., 20.])],
            vec![floats(&[2], &[1., 2.])],
            &[&[20., 80.]],
            &[&[0., 10., 0., 40., 0., 0.], &[2., 8.]],
        ),
        vector(
            "a detached factor",
            "fn half(x: &Tensor[N]) -> Tensor[N] { detach(x) * x }",
            vec![floats(&[2], &[3., -4.])],
            vec![floats(&[2], &[1., 10.])],
            &[&[9., 16.]],
            &[&[3., -40.]],
        ),
        vector(
            "xlogy at 0",
            "fn kernel(x: &Tensor[N], y: &Tensor[N]) -> Tensor[N] { xlogy(x, y) }",
            vec![floats(&[3], &[0., 0., 2.]), floats(&[3], &[0., 3., 4.])],
            vec![floats(&[3], &[1.; 3])],
            &[&[0., 0., 2. * ln(4.)]],
            &[&[0., ln(3.), ln(4.)], &[0., 0., 0.5]],
        ),
        vector(
            "a user's zero meets infinity",
            "fn nothing(x: &Tensor[N]) -> Tensor[N] { x * 0.0 }",
            vec![floats(&[2], &[1., 2.])],
            vec![floats(&[2], &[1., f64::INFINITY])],
            &[&[0., 0.]],
            &[&[0., f64::NAN]],
        ),
    ]
}

#[test]
fn values_and_gradients() {
    let failures: Vec<String> = vectors().iter().filter_map(|vector| vector.check().err()).collect();
    assert!(failures.is_empty(), "{failures:#?}");
}

#[test]
fn a_row_out_of_range_is_a_fault() {
    let derived = derive(IGNORE);
    let arrays = [floats(&[2, 2], &[0.; 4]), Array::ints(&[2], &[1, 2])];
    let forward = derived.forward(&arrays, &[]);
    assert!(
        matches!(forward.faults[..], [Fault::Index { dimension: 1, index: 2, size: 2, .. }]),
        "{:?}",
        forward.faults
    );
}

#[test]
fn an_empty_row_of_an_empty_result_is_no_fault() {
    let derived = derive(SOFTMAX);
    let arrays = [floats(&[3, 0], &[])];
    assert!(derived.forward(&arrays, &[]).faults.is_empty());
    assert!(derived.backward(&arrays, &[], &[floats(&[3, 0], &[])]).faults.is_empty());
}
