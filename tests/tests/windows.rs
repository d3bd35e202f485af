//! Indices that are affine in axes: convolution, pooling, shifts, finite differences; called as a user would.

use tensor_rt::prelude::*;
use tensor_rt::{ErrorKind, gradcheck};
use tests::device::Read;

tensor_fn! {
    fn conv1d(x: &Tensor[N, C, L], k: &Tensor[O, C, W], stride: usize, pad: usize) -> Tensor[N, O, P = (L + 2 * pad - W) / stride + 1] {
        sum[C, W](pad_with(x[N, C, P * stride + W - pad], 0.0) * k)
    }

    fn max_pool1d(x: &Tensor[N, C, L], window: usize, stride: usize) -> Tensor[N, C, P = (L - window) / stride + 1] {
        max[W = window](x[N, C, P * stride + W])
    }

    fn dilated(x: &Tensor[L], k: &Tensor[W], step: i64, dil: i64, start: i64, places: usize) -> Tensor[P = places] {
        sum[W](x[P * step + W * dil + start] * k)
    }

    fn padded(x: &Tensor[H, W], step: i64, start: i64, by: float) -> Tensor[P = size(H), Q = size(W)] {
        pad_with(x[P * step + start, Q - P], by) * x[P, Q]
    }

    fn laplacian(x: &Tensor[H, W]) -> Tensor[H, W] {
        pad_with(x[H - 1, W], x) + pad_with(x[H + 1, W], x) + pad_with(x[H, W - 1], x) + pad_with(x[H, W + 1], x) - 4.0 * x
    }

    fn local_softmax(x: &Tensor[N, L], window: usize) -> Tensor[N, P = L - window + 1, W = window] {
        let e = exp(x[N, P + W] - max[W](x[N, P + W]));
        e / sum[W](e)
    }

    fn reversed(x: &Tensor[.., L]) -> Tensor[.., L] { x[.., size(L) - 1 - L] }

    fn shift(x: &Tensor<i64>[N], by: i64) -> Tensor<i64>[N] { pad_with(x[N - by], -1) }

    fn lookup(table: &Tensor[V], ids: &Tensor<i64>[N]) -> Tensor[N] { pad_with(table[ids], 0.5) }

    fn every_second_twice(y: &mut Tensor[L], x: &Tensor[N]) { y[2 * N + 1] += 2.0 * x; }
}

type Array<D> = Tensor<D, NoGrad, f64>;

fn array<D: Device, const RANK: usize>(device: &D, shape: [usize; RANK], values: &[f64]) -> Array<D> {
    Tensor::from_vec(device, values.to_vec(), shape).unwrap()
}

/// Numbers without a pattern.
fn numbers<D: Device, const RANK: usize>(device: &D, shape: [usize; RANK]) -> Array<D> {
    let count = shape.iter().product();
    let values: Vec<f64> = (0..count).map(|i| (1.0 + i as f64 * 0.7).sin()).collect();
    array(device, shape, &values)
}

/// The same values behind dense, transposed, reversed and sliced memory.
fn arrangements<D: Device>(x: &Array<D>) -> Vec<Array<D>> {
    let axes: Vec<usize> = (0..x.rank()).rev().collect();
    let transposed = x.permute(axes.clone()).unwrap().contiguous().unwrap().permute(axes).unwrap();
    let last = x.rank() - 1;
    let flipped = x.flip(last).unwrap().contiguous().unwrap().flip(last).unwrap();
    vec![x.clone(), transposed, flipped]
}

fn values<D: Device>(x: Array<D>) -> Vec<f64> {
    x.read().unwrap()
}

fn a_strided_padded_convolution_has_its_exact_gradients<D: Device>(device: &D) {
    let (x, k) = (array(device, [1, 1, 5], &[1.0, 2.0, 3.0, 4.0, 5.0]), array(device, [1, 1, 3], &[1.0, 10.0, 100.0]));
    let g = array(device, [1, 1, 3], &[1.0, 2.0, 3.0]);
    for x in arrangements(&x) {
        for k in arrangements(&k) {
            assert_eq!(values(conv1d(&x, &k, 2, 1).unwrap()), [210.0, 432.0, 54.0]);
            let (x, k) = (x.clone().requires_grad(), k.clone().requires_grad());
            let gradients = conv1d(&x, &k, 2, 1).unwrap().backward_with(&g).unwrap();
            assert_eq!(values(gradients.get(&x).unwrap()), [10.0, 102.0, 20.0, 203.0, 30.0]);
            assert_eq!(values(gradients.get(&k).unwrap()), [16.0, 22.0, 10.0]);
        }
    }
}

fn each_operand_may_be_tracked_alone<D: Device>(device: &D) {
    let (x, k, g) = (numbers(device, [2, 2, 5]), numbers(device, [3, 2, 2]), numbers(device, [2, 3, 2]));
    let (both_x, both_k) = (x.clone().requires_grad(), k.clone().requires_grad());
    let both = conv1d(&both_x, &both_k, 3, 0).unwrap().backward_with(&g).unwrap();
    let alone = x.clone().requires_grad();
    let gradients = conv1d(&alone, &k, 3, 0).unwrap().backward_with(&g).unwrap();
    assert_eq!(values(gradients.get(&alone).unwrap()), values(both.get(&both_x).unwrap()));
    let alone = k.clone().requires_grad();
    let gradients = conv1d(&x, &alone, 3, 0).unwrap().backward_with(&g).unwrap();
    assert_eq!(values(gradients.get(&alone).unwrap()), values(both.get(&both_k).unwrap()));
}

fn overlapping_windows_share_ties<D: Device>(device: &D) {
    let x = array(device, [1, 1, 7], &[1.0, 5.0, 2.0, 5.0, 5.0, 0.0, 5.0]);
    for x in arrangements(&x) {
        let x = x.requires_grad();
        let y = max_pool1d(&x, 3, 2).unwrap();
        assert_eq!(values(y.detach()), [5.0; 3]);
        let gradients = y.backward_with(&array(device, [1, 1, 3], &[1.0, 2.0, 4.0])).unwrap();
        assert_eq!(values(gradients.get(&x).unwrap()), [0.0, 1.0, 0.0, 1.0, 3.0, 0.0, 2.0]);
    }
}

fn values_agree_with_a_loop<D: Device>(device: &D) {
    for length in 1..9usize {
        let (x, k) = (numbers(device, [2, 3, length]), numbers(device, [2, 3, 3]));
        for (stride, pad) in [(1, 1), (1, 2), (2, 1), (3, 1), (2, 3)] {
            let (xs, ks) = (x.read().unwrap(), k.read().unwrap());
            let places = (length + 2 * pad - 3) / stride + 1;
            let mut expected = vec![];
            for (n, o, p) in (0..2).flat_map(|n| (0..2).flat_map(move |o| (0..places).map(move |p| (n, o, p)))) {
                let mut sum = 0.0;
                for (c, w) in (0..3).flat_map(|c| (0..3).map(move |w| (c, w))) {
                    let at = (p * stride + w).wrapping_sub(pad);
                    sum += if at < length { xs[(n * 3 + c) * length + at] * ks[(o * 3 + c) * 3 + w] } else { 0.0 };
                }
                expected.push(sum);
            }
            for x in arrangements(&x) {
                let found = values(conv1d(&x, &k, stride, pad).unwrap());
                // Another order of nine additions.
                assert!(found.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-13), "{length} {stride} {pad}");
            }
        }
    }
}

fn gradients_match_finite_differences<D: Device>(device: &D) {
    let weighted = |y: Tensor<D, Grad, f64>| {
        let weights = numbers(device, [y.len()]).reshape(y.shape())?;
        (y * weights)?.sum()
    };
    let (x, k, image) = (numbers(device, [7]), numbers(device, [3]), numbers(device, [4, 5]));
    for (step, dil, start, places) in
        [(1, 1, 0, 5), (2, 1, 0, 3), (3, 2, 1, 1), (2, 0, 0, 4), (-1, 1, 4, 5), (-2, -1, 6, 3)]
    {
        for x in arrangements(&x) {
            gradcheck(|inputs| weighted(dilated(&inputs[0], &inputs[1], step, dil, start, places)?), &[x, k.clone()])
                .unwrap_or_else(|error| panic!("{step} {dil} {start}: {error}"));
        }
    }
    for image in arrangements(&image) {
        for (step, start) in [(1, -1), (2, 0), (-1, 3), (3, -2)] {
            gradcheck(|inputs| weighted(padded(&inputs[0], step, start, 0.75)?), std::slice::from_ref(&image))
                .unwrap_or_else(|error| panic!("{step} {start}: {error}"));
        }
        gradcheck(|inputs| weighted(laplacian(&inputs[0])?), std::slice::from_ref(&image)).unwrap();
        gradcheck(|inputs| weighted(local_softmax(&inputs[0], 3)?), std::slice::from_ref(&image)).unwrap();
        gradcheck(|inputs| weighted(reversed(&inputs[0])?), std::slice::from_ref(&image)).unwrap();
    }
}

fn a_window_that_leaves_its_tensor_is_an_error_at_the_call<D: Device>(device: &D) {
    let (x, k) = (numbers(device, [7]), numbers(device, [3]));
    let line = line!() + 1;
    let error = dilated(&x, &k, 2, 1, 0, 4).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::IndexOutOfRange);
    let text = error.to_string();
    assert!(text.starts_with("dilated: index 8 is out of range for axis `L` of size 7 in `x`, at "), "{text}");
    assert!(text.contains(&format!("windows.rs:{line}:")), "{text}");
    let error = dilated(&x, &k, 1, 1, -1, 2).unwrap_err().to_string();
    assert!(error.starts_with("dilated: index -1 is out of range for axis `L` of size 7 in `x`"), "{error}");
    let error = dilated(&x, &k, i64::MAX, 1, 0, 3).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::IndexOutOfRange);
    // One place, or none, stays within whatever the step is.
    assert_eq!(dilated(&x, &k, i64::MAX, 1, 4, 1).unwrap().shape(), &[1]);
    assert_eq!(dilated(&x, &k, 1, 1, 100, 0).unwrap().shape(), &[0]);
    assert_eq!(values(dilated(&x, &numbers(device, [0]), 1, 1, 100, 2).unwrap()), [0.0; 2]);
}

fn a_window_that_does_not_fit_has_a_negative_size<D: Device>(device: &D) {
    let error = max_pool1d(&numbers(device, [1, 1, 2]), 5, 1).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NegativeSize);
    assert!(error.to_string().starts_with("max_pool1d: axis `P` "), "{error}");
    assert_eq!(max_pool1d(&numbers(device, [1, 1, 5]), 2, 0).unwrap_err().kind(), ErrorKind::DivisionByZero);
}

fn a_step_of_zero_has_no_gradient<D: Device>(device: &D) {
    let (x, k) = (numbers(device, [7]).requires_grad(), numbers(device, [3]));
    let y = dilated(&x, &k, 0, 1, 0, 2).unwrap();
    let error = y.backward_with(&numbers(device, [2])).map(|_| ()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::DivisionByZero, "{error}");
}

fn empty_and_single_sizes<D: Device>(device: &D) {
    for (shape, places) in [([0, 2, 5], 4), ([2, 0, 5], 4), ([1, 1, 1], 2)] {
        let (x, k) = (numbers(device, shape).requires_grad(), numbers(device, [2, shape[1], 1]).requires_grad());
        let y = conv1d(&x, &k, 2, 1).unwrap();
        assert_eq!(y.shape(), &[shape[0], 2, places]);
        let zeros = Tensor::zeros_like(&y.detach()).unwrap();
        let gradients = y.backward_with(&zeros).unwrap();
        assert_eq!(values(gradients.get(&k).unwrap()), vec![0.0; k.len()]);
        assert_eq!(gradients.get(&x).unwrap().shape(), x.shape());
    }
    assert_eq!(laplacian(&numbers(device, [0, 3])).unwrap().shape(), &[0, 3]);
    assert_eq!(values(laplacian(&array(device, [1, 1], &[3.0])).unwrap()), [0.0]);
}

fn integers_and_ids_are_padded_too<D: Device>(device: &D) {
    let x = Tensor::from_vec(device, vec![1i64, 2, 3], [3]).unwrap();
    assert_eq!(shift(&x, 1).unwrap().read().unwrap(), [-1, 1, 2]);
    assert_eq!(shift(&x, -2).unwrap().read().unwrap(), [3, -1, -1]);
    assert_eq!(shift(&x, i64::MAX).unwrap().read().unwrap(), [-1; 3]);
    let table = array(device, [2], &[10.0, 20.0]).requires_grad();
    let ids = Tensor::from_vec(device, vec![1i64, -1, 2, 1], [4]).unwrap();
    let y = lookup(&table, &ids).unwrap();
    assert_eq!(values(y.detach()), [20.0, 0.5, 0.5, 20.0]);
    let gradients = y.backward_with(&array(device, [4], &[1.0, 10.0, 100.0, 1000.0])).unwrap();
    assert_eq!(values(gradients.get(&table).unwrap()), [0.0, 1001.0]);
}

fn affine_edits_are_proven_too<D: Device>(device: &D) {
    let mut y = array(device, [5], &[0.0; 5]);
    every_second_twice(&mut y, &array(device, [2], &[1.0, 2.0])).unwrap();
    assert_eq!(values(y.clone()), [0.0, 2.0, 0.0, 4.0, 0.0]);
    let error = every_second_twice(&mut y, &array(device, [3], &[1.0; 3])).unwrap_err().to_string();
    assert!(error.starts_with("every_second_twice: index 5 is out of range for axis `L` of size 5 in `y`"), "{error}");
    assert_eq!(values(y), [0.0, 2.0, 0.0, 4.0, 0.0]);
}

tests::on_each_device! {
    a_strided_padded_convolution_has_its_exact_gradients,
    each_operand_may_be_tracked_alone,
    overlapping_windows_share_ties,
    values_agree_with_a_loop,
    gradients_match_finite_differences,
    a_window_that_leaves_its_tensor_is_an_error_at_the_call,
    a_window_that_does_not_fit_has_a_negative_size,
    a_step_of_zero_has_no_gradient,
    empty_and_single_sizes,
    integers_and_ids_are_padded_too,
    affine_edits_are_proven_too,
}
