//! The conventions of the guide, one test for each, on values and on gradients. Some stand beside the case that a user of
//! another library met: ties (E9), `powf` at 0 (E11), `clamp` and `relu` at NaN (E13), remainders (E25).

use tensor_rt::prelude::*;
use tensor_rt::{ErrorKind, bf16, f16};
use tensor_rt_kernels::loss::cross_entropy_ignoring;
use tensor_rt_kernels::softmax::softmax;
use tests::assert_values;
use tests::device::{Read, failure};

const INF: f32 = f32::INFINITY;
const NAN: f32 = f32::NAN;

tensor_fn! {
    fn larger(x: &Tensor[N], y: &Tensor[N]) -> Tensor[N] { max(x, y) }

    fn smaller(x: &Tensor[N], y: &Tensor[N]) -> Tensor[N] { min(x, y) }

    fn row_maxima(x: &Tensor[N, C]) -> Tensor[N] { max[C](x) }

    fn row_minima(x: &Tensor[N, C]) -> Tensor[N] { min[C](x) }

    fn rectified(x: &Tensor[N]) -> Tensor[N] { relu(x) }

    fn clamped(x: &Tensor[N]) -> Tensor[N] { clamp(x, -1.0, 1.0) }

    fn magnitude(x: &Tensor[N]) -> Tensor[N] { abs(x) }

    fn at_least(x: &Tensor[N], bound: float) -> Tensor[N] { max(bound, x) }

    fn guarded_reciprocal(x: &Tensor[N]) -> Tensor[N] { if x != 0.0 { 1.0 / x } else { 0.0 } }

    fn root_of_larger(x: &Tensor[N]) -> Tensor[N] { sqrt(max(x, 0.0)) }

    fn root_within(x: &Tensor[N]) -> Tensor[N] { sqrt(clamp(x, 0.0, 4.0)) }

    fn selected_infinity(x: &Tensor[N], y: &Tensor[N]) -> Tensor[N] { select(x > 0.0, x, y * ln(x)) }

    fn powers(x: &Tensor[N], y: &Tensor[N]) -> Tensor[N] { powf(x, y) }

    fn square_root_power(x: &Tensor[N]) -> Tensor[N] { powf(x, 0.0) + powf(x, 1.0) + powf(x, 2.0) }

    fn quotients(a: &Tensor<i32>[N], b: &Tensor<i32>[N]) -> (Tensor<i32>[N], Tensor<i32>[N]) { (a / b, a % b) }

    fn float_remainder(x: &Tensor[N], y: &Tensor[N]) -> Tensor[N] { x % y }

    fn integers(x: &Tensor[N]) -> (Tensor<i64>[N], Tensor<i32>[N], Tensor<u8>[N]) { (x as i64, x as i32, x as u8) }

    fn rounded_to_half(x: &Tensor<f32>[N]) -> Tensor<f32>[N] { x as f16 }

    fn product_and_sum(x: &Tensor[N], y: &Tensor[N], z: &Tensor[N]) -> Tensor[N] { x * y + z }

    fn fused(x: &Tensor[N], y: &Tensor[N], z: &Tensor[N]) -> Tensor[N] { fma(x, y, z) }

    fn mean_square(x: &Tensor[N]) -> Tensor[] { mean[N](x * x / 256.0) }

    fn total(x: &Tensor<i64>[N]) -> Tensor<i64>[] { sum[N](x) }

    fn total_of_bytes(x: &Tensor<u8>[N]) -> Tensor<i64>[] { sum[N](x) }

    fn raised(x: &Tensor<i32>[N]) -> Tensor<i32>[N] { x + 1 }

    fn column_sums(x: &Tensor[N, C]) -> Tensor[C] { sum[N](x) }

    fn column_products(x: &Tensor[N, C]) -> Tensor[C] { prod[N](x) }

    fn column_means(x: &Tensor[N, C]) -> Tensor[C] { mean[N](x) }

    fn less_the_maximum(x: &Tensor[N, C]) -> Tensor[N, C] { x - max[C](x) }

    fn first_minimum(x: &Tensor[N, C]) -> Tensor<i64>[N] { argmin[C](x) }
}

type Traced<D> = Tensor<D, Grad>;

fn vector<D: Device, const N: usize>(device: &D, values: [f32; N]) -> Result<Tensor<D>> {
    Tensor::new(device, values)
}

/// Value and gradient of a function of one vector, with a cotangent of ones.
#[track_caller]
fn assert_slope<D: Device, const N: usize>(
    device: &D,
    f: impl Fn(&Traced<D>) -> Result<Traced<D>>,
    x: [f32; N],
    y: [f32; N],
    dx: [f32; N],
) {
    let x = vector(device, x).unwrap().requires_grad();
    let found = f(&x).unwrap();
    assert_values(&found, &[N], &y);
    let gradients = found.sum().unwrap().backward().unwrap();
    assert_values(&gradients.get(&x).expect("x took part"), &[N], &dx);
}

/// Gradients of a function of two vectors, with a cotangent of ones.
#[track_caller]
fn assert_slopes<D: Device, const N: usize>(
    device: &D,
    f: impl Fn(&Traced<D>, &Traced<D>) -> Result<Traced<D>>,
    [x, y]: [[f32; N]; 2],
    z: [f32; N],
    [dx, dy]: [[f32; N]; 2],
) {
    let (x, y) = (vector(device, x).unwrap().requires_grad(), vector(device, y).unwrap().requires_grad());
    let found = f(&x, &y).unwrap();
    assert_values(&found, &[N], &z);
    let gradients = found.sum().unwrap().backward().unwrap();
    assert_values(&gradients.get(&x).expect("x took part"), &[N], &dx);
    assert_values(&gradients.get(&y).expect("y took part"), &[N], &dy);
}

fn extrema_propagate_nan<D: Device>(device: &D) -> Result<()> {
    let (x, y) = (vector(device, [NAN, 1.0])?, vector(device, [1.0, NAN])?);
    assert_values(&larger(&x, &y)?, &[2], &[NAN, NAN]);
    assert_values(&smaller(&x, &y)?, &[2], &[NAN, NAN]);
    let x = Tensor::new(device, [[NAN, 5.0, 2.0], [1.0, 3.0, 3.0]])?.requires_grad();
    for (f, value, ties) in
        [(row_maxima as fn(&Traced<D>) -> Result<Traced<D>>, 3.0, [0.0, 0.5, 0.5]), (row_minima, 1.0, [1.0, 0.0, 0.0])]
    {
        let y = f(&x)?;
        assert_values(&y, &[2], &[NAN, value]);
        // No element of a row with NaN equals its extremum.
        let dx = y.sum()?.backward()?.get(&x).expect("x took part");
        assert_values(&dx, &[2, 3], &[0.0, 0.0, 0.0, ties[0], ties[1], ties[2]]);
    }
    Ok(())
}

fn two_tensors_share_a_tie_by_halves<D: Device>(device: &D) {
    let operands = [[1.0, 2.0, 5.0], [1.0, 3.0, 4.0]];
    assert_slopes(device, |x, y| larger(x, y), operands, [1.0, 3.0, 5.0], [[0.5, 0.0, 1.0], [0.5, 1.0, 0.0]]);
    assert_slopes(device, |x, y| smaller(x, y), operands, [1.0, 2.0, 4.0], [[0.5, 1.0, 0.0], [0.5, 0.0, 1.0]]);
}

fn a_constant_wins_a_tie_and_nan_wins_against_a_constant<D: Device>(device: &D) {
    assert_slope(device, |x| rectified(x), [-1.0, 0.0, 2.0, NAN], [0.0, 0.0, 2.0, NAN], [0.0, 0.0, 1.0, 1.0]);
    let (x, y) = ([-2.0, -1.0, 0.5, 1.0, 2.0, NAN], [-1.0, -1.0, 0.5, 1.0, 1.0, NAN]);
    assert_slope(device, |x| clamped(x), x, y, [0.0, 0.0, 1.0, 0.0, 0.0, 1.0]);
    assert_slope(device, |x| magnitude(x), [-2.0, 0.0, 3.0], [2.0, 0.0, 3.0], [-1.0, 0.0, 1.0]);
    assert_slope(device, |x| at_least(x, 1.0), [0.0, 1.0, 2.0, NAN], [1.0, 1.0, 2.0, NAN], [0.0, 0.0, 1.0, 1.0]);
}

fn what_is_not_taken_contributes_exactly_zero<D: Device>(device: &D) {
    assert_slope(device, |x| guarded_reciprocal(x), [0.0, 2.0], [0.0, 0.5], [0.0, -0.25]);
    // The derivative of the root is infinite at the losing side.
    assert_slope(device, |x| root_of_larger(x), [-1.0, 0.0, 4.0], [0.0, 0.0, 2.0], [0.0, 0.0, 0.25]);
    assert_slope(device, |x| root_within(x), [-1.0, 0.0, 1.0, 9.0], [0.0, 0.0, 1.0, 2.0], [0.0, 0.0, 0.5, 0.0]);
    // Where `x` is taken, `y * ln(x)` may be anything.
    let operands = [[1.0, 2.0], [INF, NAN]];
    assert_slopes(device, |x, y| selected_infinity(x, y), operands, [1.0, 2.0], [[1.0, 1.0], [0.0, 0.0]]);
}

fn powers_guard_the_base_zero<D: Device>(device: &D) {
    let operands = [[0.0, 0.0, 0.0, 2.0], [0.0, 1.0, 2.0, 3.0]];
    let slopes = [[0.0, 1.0, 0.0, 12.0], [0.0, 0.0, 0.0, 8.0 * std::f32::consts::LN_2]];
    assert_slopes(device, |x, y| powers(x, y), operands, [1.0, 0.0, 0.0, 8.0], slopes);
    assert_slope(device, |x| square_root_power(x), [0.0, 3.0], [1.0, 13.0], [1.0, 7.0]);
}

fn integer_division_is_truncated_and_total<D: Device>(device: &D) -> Result<()> {
    let ints = |values: [i32; 4]| Tensor::from_vec(device, values.to_vec(), [4]);
    let (quotient, remainder) = quotients(&ints([7, -7, 7, -7])?, &ints([2, 2, -2, -2])?)?;
    assert_eq!(quotient.read()?, [3, -3, -3, 3]);
    assert_eq!(remainder.read()?, [1, -1, 1, -1]);
    for (a, b) in [(1, 0), (i32::MIN, -1)] {
        let error = failure(device, quotients(&ints([1, 1, a, 1])?, &ints([1, 1, b, 1])?));
        assert_eq!(error.kind(), ErrorKind::DivisionByZero);
        assert!(error.to_string().contains("(element [2])"), "{error}");
    }
    Ok(())
}

fn a_float_remainder_has_the_sign_of_the_dividend<D: Device>(device: &D) {
    let operands = [[7.5, -7.5, 7.5], [2.0, 2.0, -2.0]];
    assert_slopes(device, |x, y| float_remainder(x, y), operands, [1.5, -1.5, 1.5], [[1.0; 3], [-3.0, 3.0, 3.0]]);
}

fn casts_saturate_and_carry_no_gradient<D: Device>(device: &D) -> Result<()> {
    let (long, int, byte) = integers(&vector(device, [1e30, -1.9, NAN, 300.0])?)?;
    assert_eq!(long.read()?, [i64::MAX, -1, 0, 300]);
    assert_eq!(int.read()?, [i32::MAX, -1, 0, 300]);
    assert_eq!(byte.read()?, [255, 0, 0, 255]);
    // A cast to a float element rounds, and is its own derivative.
    assert_slope(device, |x| rounded_to_half(x), [1.0 + 1e-4, 2049.0], [1.0, 2048.0], [1.0, 1.0]);
    Ok(())
}

fn nothing_is_fused_unless_it_says_so<D: Device>(device: &D) -> Result<()> {
    // (1 + e)^2 - 1 - 2e is e^2, which a rounded product loses.
    let e = f32::EPSILON;
    let (x, z) = (Tensor::full(device, [100], 1.0 + e)?, Tensor::full(device, [100], -1.0 - 2.0 * e)?);
    assert_eq!(product_and_sum(&x, &x, &z)?.read()?, [0.0; 100]);
    assert_eq!(fused(&x, &x, &z)?.read()?, [e * e; 100]);
    Ok(())
}

fn a_fully_masked_row_is_zeros_with_zero_gradient<D: Device>(device: &D) -> Result<()> {
    let x = Tensor::new(device, [[-INF, -INF], [-INF, 1.0]])?.requires_grad();
    let y = softmax(&x)?;
    assert_values(&y, &[2, 2], &[0.0, 0.0, 0.0, 1.0]);
    let g = Tensor::new(device, [[1.0, 2.0], [3.0, 4.0]])?;
    assert_values(&y.backward_with(&g)?.get(&x).expect("x took part"), &[2, 2], &[0.0; 4]);
    Ok(())
}

fn a_loss_that_ignores_everything_is_zero<D: Device>(device: &D) -> Result<()> {
    let logits = Tensor::new(device, [[1.0, 2.0], [3.0, 4.0]])?.requires_grad();
    let target = Tensor::from_vec(device, vec![-100_i64, -100], [2])?;
    let loss = cross_entropy_ignoring(&logits, &target, 0.0, -100)?;
    assert_eq!(loss.item()?, 0.0);
    assert_values(&loss.backward()?.get(&logits).expect("the logits took part"), &[2, 2], &[0.0; 4]);
    Ok(())
}

fn halves_are_computed_in_single_precision<D: Device>(device: &D) -> Result<()> {
    // The squares and their sum are beyond 65504, the largest `f16`.
    let x = Tensor::full_of(device, [1000], f16::from_f32(300.0))?.requires_grad();
    let y = mean_square(&x)?;
    assert_eq!(y.item()?, f16::from_f32(300.0 * 300.0 / 256.0));
    let dx = y.backward()?.get(&x).expect("x took part").read()?;
    assert_eq!(dx[0], f16::from_f32(2.0 * 300.0 / 256.0 / 1000.0));
    // 256 + 1 is no `bf16`: a sum that was rounded at each step would stop there.
    let ones = Tensor::ones_of::<bf16>(device, [1024, 1])?.requires_grad();
    let sum = column_sums(&ones)?;
    assert_eq!(sum.read()?, [bf16::from_f32(1024.0)]);
    let dx = sum.sum()?.backward()?.get(&ones).expect("the ones took part");
    assert_eq!(dx.read()?, [bf16::ONE; 1024]);
    Ok(())
}

fn integers_are_summed_in_64_bits_and_wrap<D: Device>(device: &D) -> Result<()> {
    let bytes = Tensor::full_of(device, [1 << 20], 255_u8)?;
    assert_eq!(total_of_bytes(&bytes)?.item()?, 255 << 20);
    let large = Tensor::from_vec(device, vec![i64::MAX, 1, 1], [3])?;
    assert_eq!(total(&large)?.item()?, i64::MIN + 1);
    let int = Tensor::from_vec(device, vec![i32::MAX, 0], [2])?;
    assert_eq!(raised(&int)?.read()?, [i32::MIN, 1]);
    Ok(())
}

fn reductions_of_nothing_have_values_and_gradients<D: Device>(device: &D) -> Result<()> {
    for (f, value) in
        [(column_sums as fn(&Traced<D>) -> Result<Traced<D>>, 0.0), (column_products, 1.0), (column_means, NAN)]
    {
        let nothing = Tensor::zeros(device, [0, 2])?.requires_grad();
        let y = f(&nothing)?;
        assert_values(&y, &[2], &[value; 2]);
        let gradients = y.sum()?.backward()?;
        assert_eq!(gradients.get(&nothing).expect("nothing took part").shape(), &[0, 2]);
    }
    Ok(())
}

fn the_largest_of_nothing_is_an_error_if_an_element_depends_on_it<D: Device>(device: &D) -> Result<()> {
    // No element is written, so none depends on the maximum.
    let empty = Tensor::zeros(device, [3, 0])?.requires_grad();
    let y = less_the_maximum(&empty)?;
    assert_eq!(y.shape(), &[3, 0]);
    assert_eq!(y.sum()?.backward()?.get(&empty).expect("it took part").shape(), &[3, 0]);
    let none = Tensor::zeros(device, [0, 3])?;
    assert_eq!(row_maxima(&none)?.shape(), &[0]);
    let empty = Tensor::zeros(device, [3, 0])?;
    for error in [row_maxima(&empty).unwrap_err(), first_minimum(&empty).unwrap_err()] {
        assert_eq!(error.kind(), ErrorKind::EmptyReduction, "{error}");
    }
    Ok(())
}

tests::on_each_device! {
    extrema_propagate_nan,
    two_tensors_share_a_tie_by_halves,
    a_constant_wins_a_tie_and_nan_wins_against_a_constant,
    what_is_not_taken_contributes_exactly_zero,
    powers_guard_the_base_zero,
    integer_division_is_truncated_and_total,
    a_float_remainder_has_the_sign_of_the_dividend,
    casts_saturate_and_carry_no_gradient,
    nothing_is_fused_unless_it_says_so,
    a_fully_masked_row_is_zeros_with_zero_gradient,
    a_loss_that_ignores_everything_is_zero,
    halves_are_computed_in_single_precision,
    integers_are_summed_in_64_bits_and_wrap,
    reductions_of_nothing_have_values_and_gradients,
    the_largest_of_nothing_is_an_error_if_an_element_depends_on_it,
}
