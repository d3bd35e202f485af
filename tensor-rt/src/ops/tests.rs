//! Values and gradients of operators and methods, contiguous and strided.

#![expect(clippy::cloned_ref_to_slice_refs, reason = "the inputs of a check are a list of tensors")]

use super::Keep;
use crate::autograd::gradcheck;
use crate::error::{ErrorKind, Result};
use crate::mode::{Grad, NoGrad};
use crate::tensor::Tensor;
use crate::{Cpu, Element, bf16, f16};

type Value = Tensor<Cpu, NoGrad, f64>;
type Tracked = Tensor<Cpu, Grad, f64>;

fn array<const RANK: usize>(shape: [usize; RANK], elements: &[f64]) -> Value {
    Tensor::from_vec(&Cpu, elements.to_vec(), shape).unwrap()
}

/// Different numbers of both signs, none near 0.
fn numbers<const RANK: usize>(shape: [usize; RANK], seed: usize) -> Value {
    let count = shape.iter().product();
    let element = |i: usize| {
        let phase = ((i * 7 + seed * 13 + 3) as f64 * 0.618_033_988_749_895).fract();
        if (i + seed).is_multiple_of(2) { 0.2 + phase } else { -0.2 - phase }
    };
    array(shape, &(0..count).map(element).collect::<Vec<_>>())
}

/// The same, above 0.
fn positive<const RANK: usize>(shape: [usize; RANK], seed: usize) -> Value {
    numbers(shape, seed).abs().unwrap()
}

#[track_caller]
fn assert_close<T: Element<Value: Into<f64>>>(found: &Tensor<Cpu, NoGrad, T>, shape: &[usize], expected: &[f64]) {
    assert_eq!(found.shape().sizes()[..], *shape);
    let elements = found.to_vec().unwrap();
    assert_eq!(elements.len(), expected.len());
    for (element, expected) in elements.into_iter().zip(expected) {
        let element: f64 = element.widen().into();
        let close = (element - expected).abs() <= 1e-6 + 1e-5 * expected.abs() || element == *expected;
        assert!(close || element.is_nan() && expected.is_nan(), "found {element}, expected {expected}");
    }
}

/// Checks the gradient at contiguous inputs and at the same values as transposed and reversed views.
#[track_caller]
fn check(f: impl Fn(&[Tracked]) -> Result<Tracked>, inputs: &[Value]) {
    gradcheck(&f, inputs).unwrap();
    let strided: Vec<Value> = inputs.iter().map(strided).collect();
    let same = |x: &[Value]| f(&x.iter().cloned().map(Tensor::requires_grad).collect::<Vec<_>>()).unwrap().detach();
    let (dense, views) = (same(inputs), same(&strided));
    assert_close(&views, &dense.shape().sizes(), &dense.to_vec().unwrap());
    let through = |x: &[Tracked]| f(&x.iter().map(strided_tracked).collect::<Result<Vec<_>>>()?);
    let moved: Vec<Value> = inputs.iter().map(|x| unstrided(x).unwrap()).collect();
    gradcheck(through, &moved).unwrap();
}

/// The same values with other strides.
fn strided(x: &Value) -> Value {
    let moved = unstrided(x).unwrap();
    if x.rank() == 0 { moved } else { moved.transpose(0, -1).unwrap().flip(0).unwrap() }
}

fn strided_tracked(x: &Tracked) -> Result<Tracked> {
    if x.rank() == 0 { Ok(x.clone()) } else { x.transpose(0, -1)?.flip(0) }
}

/// A dense tensor that becomes `x` by the views of `strided`.
fn unstrided(x: &Value) -> Result<Value> {
    if x.rank() == 0 { Ok(x.clone()) } else { x.flip(0)?.transpose(0, -1)?.contiguous() }
}

#[test]
fn operators_broadcast_and_take_numbers_on_both_sides() {
    let (x, y) = (array([2, 1], &[1.0, 2.0]), array([3], &[10.0, 20.0, 30.0]));
    assert_close(&(&x + &y).unwrap(), &[2, 3], &[11.0, 21.0, 31.0, 12.0, 22.0, 32.0]);
    assert_close(&(x.clone() - &y).unwrap(), &[2, 3], &[-9.0, -19.0, -29.0, -8.0, -18.0, -28.0]);
    assert_close(&(&x * y.clone()).unwrap(), &[2, 3], &[10.0, 20.0, 30.0, 20.0, 40.0, 60.0]);
    assert_close(&(y.clone() / x.clone()).unwrap(), &[2, 3], &[10.0, 20.0, 30.0, 5.0, 10.0, 15.0]);
    assert_close(&(&y % 7.0).unwrap(), &[3], &[3.0, 6.0, 2.0]);
    assert_close(&(100.0 % &y).unwrap(), &[3], &[0.0, 0.0, 10.0]);
    assert_close(&(2.0 * &x).unwrap(), &[2, 1], &[2.0, 4.0]);
    assert_close(&(&x * 2).unwrap(), &[2, 1], &[2.0, 4.0]);
    assert_close(&(1 - x.clone()).unwrap(), &[2, 1], &[0.0, -1.0]);
    assert_close(&(3.0 / x.clone()).unwrap(), &[2, 1], &[3.0, 1.5]);
    assert_close(&(-&x).unwrap(), &[2, 1], &[-1.0, -2.0]);
    assert_close(&(&x * &x + &x).unwrap(), &[2, 1], &[2.0, 6.0]);
    assert_close(&(&x - &x * &x).unwrap(), &[2, 1], &[0.0, -2.0]);
}

#[test]
fn operators_of_integers() {
    let x = Tensor::from_vec(&Cpu, vec![7i64, -7, 5], [3]).unwrap();
    assert_eq!((&x % 3).unwrap().to_vec().unwrap(), [1, -1, 2]);
    assert_eq!((&x / &x).unwrap().to_vec().unwrap(), [1, 1, 1]);
    assert_eq!((1 - &x).unwrap().to_vec().unwrap(), [-6, 8, -4]);
    assert_eq!((-x.clone()).unwrap().to_vec().unwrap(), [-7, 7, -5]);
    assert_eq!((x / 0).unwrap_err().kind(), ErrorKind::DivisionByZero);
}

#[test]
fn shapes_that_do_not_meet_are_an_error_with_both() {
    let (x, y) = (array([2, 3], &[0.0; 6]), array([2], &[0.0; 2]));
    let error = (&x + &y).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Broadcast);
    let (text, line) = (error.to_string(), line!() - 2);
    assert!(text.starts_with("add: shapes [2, 3] and [2] cannot be broadcast together"), "{text}");
    assert!(text.contains(&format!("tests.rs:{line}")), "{text}");
}

#[test]
fn operators_of_nothing_give_nothing() {
    let x = array([0, 3], &[]);
    assert_close(&(&x + &array([3], &[1.0; 3])).unwrap(), &[0, 3], &[]);
    assert_close(&(&x * 2.0).unwrap(), &[0, 3], &[]);
}

#[test]
fn gradients_of_operators() {
    let (x, y) = (numbers([2, 3], 1), numbers([2, 3], 2));
    check(|x| &x[0] + &x[1], &[x.clone(), y.clone()]);
    check(|x| &x[0] - &x[1], &[x.clone(), y.clone()]);
    check(|x| &x[0] * &x[1], &[x.clone(), y.clone()]);
    check(|x| &x[0] / &x[1], &[x.clone(), y.clone()]);
    check(|x| &x[0] % &x[1], &[x.clone(), y.clone()]);
    check(|x| 2.0 - &x[0], &[x.clone()]);
    check(|x| 2.0 / &x[0], &[x.clone()]);
    check(|x| &x[0] / 3.0, &[x.clone()]);
    check(|x| -&x[0], &[x.clone()]);
    // One side tracked.
    check(|x| &x[0] * &y, &[x.clone()]);
    check(|x| &y / &x[0], &[x.clone()]);
}

#[test]
fn case_b19_broadcast_gradients_have_the_operands_shapes() {
    let u = Tensor::new(&Cpu, [[1.0], [2.0]]).unwrap().requires_grad();
    let b = Tensor::new(&Cpu, [[10.0, 20.0, 30.0]]).unwrap().requires_grad();
    let loss = (&u + &b).unwrap().sum().unwrap();
    assert_eq!(loss.item().unwrap(), 129.0);
    let gradients = loss.backward().unwrap();
    assert_close(&gradients.get(&u).unwrap(), &[2, 1], &[3.0, 3.0]);
    assert_close(&gradients.get(&b).unwrap(), &[1, 3], &[2.0, 2.0, 2.0]);
    let gradients = (&u * &b).unwrap().sum().unwrap().backward().unwrap();
    assert_close(&gradients.get(&u).unwrap(), &[2, 1], &[60.0, 60.0]);
    assert_close(&gradients.get(&b).unwrap(), &[1, 3], &[3.0, 3.0, 3.0]);
}

#[test]
fn case_e37_two_uses_add_up() {
    let x = Tensor::new(&Cpu, [3.0]).unwrap().requires_grad();
    let loss = (&x * 2.0 + (&x * &x).unwrap()).unwrap().sum().unwrap();
    assert_eq!(loss.item().unwrap(), 15.0);
    assert_close(&loss.backward().unwrap().get(&x).unwrap(), &[1], &[8.0]);
}

#[test]
fn case_h19_gradients_are_not_left_over() {
    let mut w = crate::Param::new(Tensor::new(&Cpu, [0.0]).unwrap());
    for expected in [0.2, 0.36] {
        let error = (w.tracked() - 1.0).unwrap();
        let gradients = (&error * &error).unwrap().sum().unwrap().backward().unwrap();
        let step = (gradients.get(&w).unwrap() * 0.1).unwrap();
        *w.value_mut() -= step;
        assert_close(w.value(), &[1], &[expected]);
    }
}

#[test]
fn assignment_operators_edit_in_place() {
    let mut x = array([2, 2], &[1.0, 2.0, 3.0, 4.0]);
    let other = x.clone();
    x += &array([2], &[10.0, 20.0]);
    x *= 2.0;
    x -= array([2, 1], &[1.0, 2.0]);
    x /= 2;
    x %= 10.0;
    assert_close(&x, &[2, 2], &[0.5, 1.5, 2.0, 3.0]);
    assert_close(&other, &[2, 2], &[1.0, 2.0, 3.0, 4.0]);
    {
        let mut view = x.view_mut().unwrap();
        let mut row = view.select(0, 1).unwrap();
        row += 1.0;
        row *= &array([2], &[1.0, -1.0]);
    }
    assert_close(&x, &[2, 2], &[0.5, 1.5, 3.0, -4.0]);
    let mut counts = Tensor::from_vec(&Cpu, vec![1i64, 2], [2]).unwrap();
    counts += 5;
    counts *= &counts.clone();
    assert_eq!(counts.to_vec().unwrap(), [36, 49]);
}

#[test]
#[should_panic(expected = "cannot be broadcast together")]
fn assignment_of_another_shape_panics() {
    let mut x = array([2], &[1.0, 2.0]);
    x += &array([3], &[1.0; 3]);
}

#[test]
fn elementwise_gradients() {
    type Method = fn(&Tracked) -> Result<Tracked>;
    let everywhere: [Method; 19] = [
        Tensor::exp,
        Tensor::exp2,
        Tensor::expm1,
        Tensor::cbrt,
        Tensor::recip,
        Tensor::square,
        Tensor::abs,
        Tensor::sin,
        Tensor::cos,
        Tensor::tan,
        Tensor::atan,
        Tensor::sinh,
        Tensor::cosh,
        Tensor::tanh,
        Tensor::sigmoid,
        Tensor::softplus,
        Tensor::erf,
        Tensor::erfc,
        Tensor::relu,
    ];
    for method in everywhere {
        check(|x| method(&x[0]), &[numbers([2, 3], 4)]);
    }
    let above_zero: [Method; 6] = [Tensor::ln, Tensor::log2, Tensor::log10, Tensor::log1p, Tensor::sqrt, Tensor::rsqrt];
    for method in above_zero {
        check(|x| method(&x[0]), &[positive([2, 3], 5)]);
    }
    for method in [Tensor::asin, Tensor::acos] as [Method; 2] {
        check(|x| method(&x[0]), &[(numbers([2, 3], 6) * 0.7).unwrap()]);
    }
    check(|x| x[0].powi(3), &[numbers([2, 3], 7)]);
    check(|x| x[0].powf(2.5), &[positive([2, 3], 8)]);
    check(|x| x[0].clamp(-0.5, 0.5), &[numbers([2, 3], 9)]);
}

#[test]
fn elementwise_values() {
    let x = array([3], &[-1.5, 0.0, 2.5]);
    assert_close(&x.floor().unwrap(), &[3], &[-2.0, 0.0, 2.0]);
    assert_close(&x.ceil().unwrap(), &[3], &[-1.0, 0.0, 3.0]);
    assert_close(&x.round().unwrap(), &[3], &[-2.0, 0.0, 3.0]);
    assert_close(&x.trunc().unwrap(), &[3], &[-1.0, 0.0, 2.0]);
    assert_close(&x.sign().unwrap(), &[3], &[-1.0, 0.0, 1.0]);
    assert_close(&x.relu().unwrap(), &[3], &[0.0, 0.0, 2.5]);
    assert_eq!(array([2], &[f64::NAN, 1.0]).is_nan().unwrap().to_vec().unwrap(), [true, false]);
    assert_eq!(array([2], &[f64::INFINITY, 1.0]).is_finite().unwrap().to_vec().unwrap(), [false, true]);
}

#[test]
fn case_e13_nan_passes_relu_and_clamp() {
    let x = Tensor::new(&Cpu, [f32::NAN, -1.0, 2.0]).unwrap().requires_grad();
    assert_close(&x.clamp(0.0, 1.0).unwrap().detach(), &[3], &[f64::NAN, 0.0, 1.0]);
    let y = x.relu().unwrap();
    assert_close(&y.detach(), &[3], &[f64::NAN, 0.0, 2.0]);
    let dx = y.sum().unwrap().backward().unwrap().get(&x).unwrap().to_vec().unwrap();
    assert_eq!(dx[1..], [0.0, 1.0]);
}

#[test]
fn pairs_and_their_gradients() {
    let (x, y) = (numbers([2, 3], 1), numbers([2, 1], 2));
    check(|x| x[0].maximum(&x[1]), &[x.clone(), y.clone()]);
    check(|x| x[0].minimum(&x[1]), &[x.clone(), y.clone()]);
    check(|x| x[0].atan2(&x[1]), &[x.clone(), y.clone()]);
    check(|x| x[0].pow(&x[1]), &[positive([2, 3], 3), y.clone()]);
    check(|x| x[0].xlogy(&x[1]), &[x.clone(), positive([2, 1], 4)]);
    let mask = x.gt(0.0).unwrap();
    check(|x| mask.choose(&x[0], &x[1]), &[x.clone(), y.clone()]);
    check(|x| x[0].masked_fill(&mask, 7.0), &[x.clone()]);
    assert_close(&array([2], &[0.0, 0.0]).xlogy(&array([2], &[0.0, 2.0])).unwrap(), &[2], &[0.0, 0.0]);
}

#[test]
fn case_a11_masked_fill_of_a_repeated_tensor() {
    let x = Tensor::new(&Cpu, [[0.0], [1.0]]).unwrap().broadcast_to([2, 4]).unwrap();
    let mut mask = vec![false; 8];
    mask[1] = true;
    let filled = x.masked_fill(&Tensor::from_vec(&Cpu, mask, [2, 4]).unwrap(), 3.0).unwrap();
    assert_close(&filled, &[2, 4], &[0.0, 3.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0]);
}

#[test]
fn comparisons() {
    let x = array([3], &[1.0, f64::NAN, 3.0]);
    let truth = |mask: Result<Tensor<Cpu, NoGrad, bool>>| mask.unwrap().to_vec().unwrap();
    assert_eq!(truth(x.eq(1.0)), [true, false, false]);
    assert_eq!(truth(x.ne(1)), [false, true, true]);
    assert_eq!(truth(x.lt(&array([1], &[2.0]))), [true, false, false]);
    assert_eq!(truth(x.le(&x)), [true, false, true]);
    assert_eq!(truth(x.gt(2.0)), [false, false, true]);
    assert_eq!(truth(x.ge(&x)), [true, false, true]);
    assert_eq!(truth(x.clone().requires_grad().gt(2.0)), [false, false, true]);
    let i = Tensor::from_vec(&Cpu, vec![1i64, 2], [2]).unwrap();
    assert_eq!(truth(i.eq(2)), [false, true]);
    assert_eq!(truth(i.ge(&i)), [true, true]);
    let (p, q) = (x.gt(0.0).unwrap(), x.gt(2.0).unwrap());
    assert_eq!(truth(&p & &q), [false, false, true]);
    assert_eq!(truth(&p | &q), [true, false, true]);
    assert_eq!(truth(&p ^ &q), [true, false, false]);
    assert_eq!(truth(!&p), [false, true, false]);
}

#[test]
fn case_b11_comparison_of_nothing() {
    let x = array([2, 1, 1, 0], &[]);
    assert_eq!(x.eq(&x).unwrap().shape().sizes()[..], [2, 1, 1, 0]);
}

#[test]
fn reductions_over_axes() {
    let x = array([2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    for x in [x.clone(), strided(&x)] {
        assert_close(&x.sum().unwrap(), &[], &[21.0]);
        assert_close(&x.sum_over(0).unwrap(), &[3], &[5.0, 7.0, 9.0]);
        assert_close(&x.sum_over(-1).unwrap(), &[2], &[6.0, 15.0]);
        assert_close(&x.sum_over([0, 1]).unwrap(), &[], &[21.0]);
        assert_close(&x.sum_over(..).unwrap(), &[], &[21.0]);
        assert_close(&x.sum_over(Keep(1)).unwrap(), &[2, 1], &[6.0, 15.0]);
        assert_close(&x.sum_over(Keep(..)).unwrap(), &[1, 1], &[21.0]);
        assert_close(&x.sum_over([0; 0]).unwrap(), &[2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        assert_close(&x.mean().unwrap(), &[], &[3.5]);
        assert_close(&x.mean_over(0).unwrap(), &[3], &[2.5, 3.5, 4.5]);
        assert_close(&x.prod_over(1).unwrap(), &[2], &[6.0, 120.0]);
        assert_close(&x.max_over(0).unwrap(), &[3], &[4.0, 5.0, 6.0]);
        assert_close(&x.min().unwrap(), &[], &[1.0]);
        assert_close(&x.var().unwrap(), &[], &[35.0 / 12.0]);
        assert_close(&x.var_over(Keep(1)).unwrap(), &[2, 1], &[2.0 / 3.0, 2.0 / 3.0]);
        assert_close(&x.logsumexp_over(1).unwrap(), &[2], &[3.4076059, 6.4076059]);
        assert_eq!(x.argmax().unwrap().to_vec().unwrap(), [5]);
        assert_eq!(x.argmin_over(1).unwrap().to_vec().unwrap(), [0, 0]);
        assert_eq!(x.argmax_over(0).unwrap().to_vec().unwrap(), [1, 1, 1]);
        assert_eq!(x.gt(3.0).unwrap().any_over(1).unwrap().to_vec().unwrap(), [false, true]);
        assert_eq!(x.gt(0.0).unwrap().all().unwrap().to_vec().unwrap(), [true]);
    }
    assert_eq!(x.sum_over(2).unwrap_err().kind(), ErrorKind::AxisOutOfRange);
    assert_eq!(x.sum_over([0, -2]).unwrap_err().kind(), ErrorKind::DuplicateAxis);
}

#[test]
fn reductions_over_separate_axes_are_views() {
    let x = array([2, 2, 2, 2], &(0..16).map(f64::from).collect::<Vec<_>>());
    let (sums, report) = crate::accounting::measure(|| x.sum_over([0, 2]).unwrap());
    assert_close(&sums, &[2, 2], &[20.0, 24.0, 36.0, 40.0]);
    assert_eq!(report.total().copies, 0);
    assert_close(&x.sum_over([0, 2, 3]).unwrap(), &[2], &[44.0, 76.0]);
    assert_close(&x.permute([3, 1, 0, 2]).unwrap().sum_over([0, 2, 3]).unwrap(), &[2], &[44.0, 76.0]);
}

#[test]
fn gradients_of_reductions() {
    let x = numbers([2, 3, 2], 3);
    check(|x| x[0].sum(), &[x.clone()]);
    check(|x| x[0].sum_over(1), &[x.clone()]);
    check(|x| x[0].sum_over([0, 2]), &[x.clone()]);
    check(|x| x[0].mean(), &[x.clone()]);
    check(|x| x[0].mean_over(Keep([0, 1])), &[x.clone()]);
    check(|x| x[0].prod_over(-1), &[x.clone()]);
    check(|x| x[0].prod(), &[x.clone()]);
    check(|x| x[0].max(), &[x.clone()]);
    check(|x| x[0].max_over(1), &[x.clone()]);
    check(|x| x[0].min_over([0, 2]), &[x.clone()]);
    check(|x| x[0].var(), &[x.clone()]);
    check(|x| x[0].var_over(1), &[x.clone()]);
    check(|x| x[0].logsumexp(), &[x.clone()]);
    check(|x| x[0].logsumexp_over(0), &[x.clone()]);
    check(|x| x[0].softmax(1), &[x.clone()]);
    check(|x| x[0].log_softmax(-1), &[x]);
}

#[test]
fn case_e1_softmax_of_large_numbers() {
    let x = Tensor::new(&Cpu, [7999.99, 8000.0, 2.0, 1.0]).unwrap();
    assert_close(&x.softmax(0).unwrap(), &[4], &[0.4975586, 0.5024414, 0.0, 0.0]);
    assert_close(&Tensor::new(&Cpu, [1000.0, 1000.0]).unwrap().logsumexp().unwrap(), &[], &[1000.6931]);
}

#[test]
fn case_e3_masked_rows() {
    let inf = f32::INFINITY;
    for (row, value, slope) in [([-inf, -inf], f64::NEG_INFINITY, [0.0, 0.0]), ([-inf, 2.0], 2.0, [0.0, 1.0])] {
        let x = Tensor::new(&Cpu, row).unwrap().requires_grad();
        let y = x.logsumexp().unwrap();
        assert_close(&y.detach(), &[], &[value]);
        assert_close(&y.backward().unwrap().get(&x).unwrap(), &[2], &slope);
    }
    let x = Tensor::new(&Cpu, [-inf, -inf]).unwrap().requires_grad();
    let y = x.softmax(0).unwrap();
    assert_close(&y.detach(), &[2], &[0.0, 0.0]);
    assert_close(&y.max().unwrap().backward().unwrap().get(&x).unwrap(), &[2], &[0.0, 0.0]);
}

#[test]
fn case_e9_ties_share_the_gradient() {
    for (row, slope) in [(vec![1.0, 1.0], vec![0.5, 0.5]), (vec![1.0, 1.0, 0.0, 0.5], vec![0.5, 0.5, 0.0, 0.0])] {
        let x = Tensor::from_vec(&Cpu, row.clone(), [row.len()]).unwrap().requires_grad();
        assert_close(&x.max().unwrap().backward().unwrap().get(&x).unwrap(), &[row.len()], &slope);
    }
}

#[test]
fn case_e15_half_precision_mean_does_not_overflow() {
    let mean = |value: f32, count: usize| {
        let x = Tensor::full_of(&Cpu, [count], f16::narrow(value)).unwrap();
        x.mean().unwrap().item().unwrap().widen()
    };
    assert_eq!((mean(40000.0, 3), mean(1.0, 100_000)), (40000.0, 1.0));
    assert_eq!(Tensor::full_of(&Cpu, [300], bf16::narrow(1.0)).unwrap().sum().unwrap().item().unwrap().widen(), 300.0);
}

#[test]
fn case_e39_counts_do_not_wrap() {
    assert_eq!(Tensor::full_of(&Cpu, [5000], 1u8).unwrap().sum().unwrap().item().unwrap(), 5000);
    assert_eq!(Tensor::full_of(&Cpu, [5000], true).unwrap().sum().unwrap().item().unwrap(), 5000);
    assert_eq!(Tensor::full_of(&Cpu, [2, 3], 7i32).unwrap().sum_over(0).unwrap().to_vec().unwrap(), [14, 14, 14]);
}

#[test]
fn case_e41_reductions_of_nothing() {
    let x = array([0, 3], &[]);
    assert_close(&x.sum_over(0).unwrap(), &[3], &[0.0; 3]);
    assert_close(&x.mean_over(0).unwrap(), &[3], &[f64::NAN; 3]);
    assert_eq!(x.max_over(0).unwrap_err().kind(), ErrorKind::EmptyReduction);
    assert_close(&x.max_over(1).unwrap(), &[0], &[]);
    assert_eq!(x.argmax().unwrap_err().kind(), ErrorKind::EmptyReduction);
    assert_close(&x.prod().unwrap(), &[], &[1.0]);
}

#[test]
fn case_b5_argmin_of_a_transposed_tensor() {
    let x = Tensor::new(&Cpu, [[1.541, -0.2934], [-2.1788, 0.5684]]).unwrap();
    let y = (x.transpose(0, 1).unwrap() + 0.5).unwrap();
    assert_eq!(y.argmin().unwrap().item().unwrap(), 1);
    assert_eq!(x.transpose(0, 1).unwrap().argmin().unwrap().item().unwrap(), 1);
}

#[test]
fn matrix_products() {
    let (a, b) = (array([2, 2], &[1.0, 2.0, 3.0, 4.0]), array([2, 3], &[1.0, 0.0, 2.0, 0.0, 1.0, 3.0]));
    let v = array([2], &[1.0, 10.0]);
    assert_close(&a.matmul(&b).unwrap(), &[2, 3], &[1.0, 2.0, 8.0, 3.0, 4.0, 18.0]);
    assert_close(&a.matmul(&v).unwrap(), &[2], &[21.0, 43.0]);
    assert_close(&v.matmul(&b).unwrap(), &[3], &[1.0, 10.0, 32.0]);
    assert_close(&v.matmul(&v).unwrap(), &[], &[101.0]);
    let batch = Tensor::stack(&[&a, &a], 0).unwrap();
    assert_close(&batch.matmul(&v).unwrap(), &[2, 2], &[21.0, 43.0, 21.0, 43.0]);
    assert_close(&a.matmul(&batch).unwrap(), &[2, 2, 2], &[7.0, 10.0, 15.0, 22.0, 7.0, 10.0, 15.0, 22.0]);
    assert_eq!(b.matmul(&a).unwrap_err().kind(), ErrorKind::AxisMismatch);
    assert_eq!(a.matmul(&array([], &[1.0])).unwrap_err().kind(), ErrorKind::RankMismatch);
    assert_close(&array([2, 0], &[]).matmul(&array([0, 3], &[])).unwrap(), &[2, 3], &[0.0; 6]);
}

#[test]
fn case_b1_product_with_columns_of_a_view() {
    let w = Tensor::arange(&Cpu, 0.0, 8.0, 1.0).unwrap().reshape([2, 4]).unwrap().narrow(1, 2, 2).unwrap();
    assert_close(&w.matmul(&Tensor::new(&Cpu, [1.0, 10.0]).unwrap()).unwrap(), &[2], &[32.0, 76.0]);
}

#[test]
fn gradients_of_matrix_products() {
    check(|x| x[0].matmul(&x[1]), &[numbers([2, 3], 1), numbers([3, 4], 2)]);
    check(|x| x[0].matmul(&x[1]), &[numbers([3], 1), numbers([3], 2)]);
    check(|x| x[0].matmul(&x[1]), &[numbers([2, 2, 3], 1), numbers([3], 2)]);
    check(|x| x[0].matmul(&x[1]), &[numbers([2, 1, 2, 3], 1), numbers([3, 3, 2], 2)]);
    check(|x| x[0].matmul(&x[1]), &[numbers([2, 2, 3], 1), numbers([3, 2], 2)]);
}

#[test]
fn index_operations() {
    let x = array([2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let list = Tensor::from_vec(&Cpu, vec![2i64, 0, 2], [3]).unwrap();
    assert_close(&x.index_select(1, &list).unwrap(), &[2, 3], &[3.0, 1.0, 3.0, 6.0, 4.0, 6.0]);
    let rows = Tensor::from_vec(&Cpu, vec![1i64, 1], [2]).unwrap();
    assert_close(&x.index_select(0, &rows).unwrap(), &[2, 3], &[4.0, 5.0, 6.0, 4.0, 5.0, 6.0]);
    let each = Tensor::from_vec(&Cpu, vec![0i64, 2, 1, 1], [2, 2]).unwrap();
    assert_close(&x.gather(1, &each).unwrap(), &[2, 2], &[1.0, 3.0, 5.0, 5.0]);
    let down = Tensor::from_vec(&Cpu, vec![0i64, 1, 0], [1, 3]).unwrap();
    assert_close(&x.gather(0, &down).unwrap(), &[1, 3], &[1.0, 5.0, 3.0]);
    check(|x| x[0].index_select(1, &list), &[x.clone()]);
    check(|x| x[0].index_select(0, &rows), &[x.clone()]);
    check(|x| x[0].gather(1, &each), &[x.clone()]);
    check(|x| x[0].scatter_add(1, &each, &x[1]), &[x.clone(), numbers([2, 2], 1)]);
    let wrong = Tensor::from_vec(&Cpu, vec![3i64], [1]).unwrap();
    assert_eq!(x.index_select(1, &wrong).unwrap_err().kind(), ErrorKind::IndexOutOfRange);
    let labels = Tensor::from_vec(&Cpu, vec![5i64, 6, 7], [3]).unwrap();
    assert_eq!(labels.index_select(0, &list).unwrap().to_vec().unwrap(), [7, 5, 7]);
}

#[test]
fn case_a13_repeated_indices_all_count() {
    let v = Tensor::new(&Cpu, [1.0, 2.0, 4.0, 8.0]).unwrap().requires_grad();
    let indices = Tensor::from_vec(&Cpu, vec![0i64, 0, 2, 0], [4]).unwrap();
    let sums = Tensor::zeros(&Cpu, [3]).unwrap().scatter_add(0, &indices, &v).unwrap();
    assert_close(&sums.detach(), &[3], &[11.0, 0.0, 4.0]);
    assert_close(&sums.sum().unwrap().backward().unwrap().get(&v).unwrap(), &[4], &[1.0; 4]);
}

#[test]
fn case_a3_overwritten_output_of_sigmoid() {
    let x = Tensor::new(&Cpu, [1.0, 2.0, 3.0]).unwrap().requires_grad();
    let by_method = x.sigmoid().unwrap();
    let by_hand = (1.0 / ((-&x).unwrap().exp().unwrap() + 1.0).unwrap()).unwrap();
    for y in [by_method, by_hand] {
        let loss = y.slice_assign(1..2, &Tensor::new(&Cpu, [2.0]).unwrap()).unwrap().sum().unwrap();
        assert_close(&loss.detach(), &[], &[3.6836327]);
        let dx = loss.backward().unwrap().get(&x).unwrap();
        assert_close(&dx, &[3], &[0.1966119, 0.0, 0.0451767]);
    }
}

#[test]
fn case_a17_entry_overwritten_by_a_tracked_value() {
    let t = Tensor::new(&Cpu, [1.0, 2.0, 3.0, 4.0]).unwrap().requires_grad();
    let v = Tensor::full(&Cpu, [], 5.0).unwrap().requires_grad();
    let loss = (&t * &t).unwrap().slice_assign(0..1, &v).unwrap().sum().unwrap();
    assert_eq!(loss.item().unwrap(), 34.0);
    let gradients = loss.backward().unwrap();
    assert_close(&gradients.get(&t).unwrap(), &[4], &[0.0, 4.0, 6.0, 8.0]);
    assert_close(&gradients.get(&v).unwrap(), &[], &[1.0]);
}

#[test]
fn gradients_of_replaced_parts() {
    let (x, value) = (numbers([3, 4], 1), numbers([2, 1], 2));
    check(|x| x[0].slice_assign((1.., 0..2), &x[1]), &[x.clone(), value.clone()]);
    let plain = numbers([3, 4], 3);
    check(|x| plain.slice_assign((1.., 0..2), &x[0]), &[value]);
    assert_eq!(x.slice_assign((.., 3..5), &plain).unwrap_err().kind(), ErrorKind::RangeOutOfRange);
    assert_eq!(x.slice_assign((.., .., 0..1), &plain).unwrap_err().kind(), ErrorKind::RankMismatch);
    assert_eq!(x.slice_assign((0..1, 0..1), &plain).unwrap_err().kind(), ErrorKind::Broadcast);
}

#[test]
fn anomaly_names_the_forward_operator() {
    let x = Tensor::new(&Cpu, [-1.0]).unwrap().requires_grad();
    let error = crate::detect_anomaly(|| x.ln()).unwrap_err();
    let crate::Error::NotFinite { op, what, forward, .. } = error else { panic!("{error}") };
    assert_eq!((op, what, forward.line()), ("ln", "a result", line!() - 2));
}
