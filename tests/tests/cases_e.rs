//! Kernel numerics and their gradients: what went wrong for users of other libraries (cases E1 to E41).

#![expect(clippy::approx_constant, clippy::type_complexity, reason = "values and spellings of the cases")]

use tensor_rt::prelude::*;
use tensor_rt::{bf16, f16};
use tensor_rt_kernels::activation::{gelu, relu};
use tensor_rt_kernels::elementwise::{clamp, maximum, minimum, power};
use tensor_rt_kernels::loss::{bce_with_logits, cross_entropy_ignoring, cross_entropy_weighted};
use tensor_rt_kernels::norm::{batch_norm, layer_norm};
use tensor_rt_kernels::optimizer::{Adam, AdamW, Optimizer};
use tensor_rt_kernels::softmax::{logsumexp, softmax};
use tensor_rt_kernels::statistics::norm;
use tests::assert_values;
use tests::device::Read;

const INF: f32 = f32::INFINITY;
const NAN: f32 = f32::NAN;

tensor_fn! {
    fn guarded_sqrt(x: &Tensor[N]) -> Tensor[N] { if x > 0.0 { sqrt(x) } else { x } }

    fn largest(x: &Tensor[N]) -> Tensor[] { max[N](x) }

    fn smallest(x: &Tensor[N]) -> Tensor[] { min[N](x) }

    fn built_in_logsumexp(x: &Tensor[N]) -> Tensor[] { logsumexp[N](x) }

    fn average(x: &Tensor[..]) -> Tensor[] { mean[..](x) }

    fn total(x: &Tensor[..]) -> Tensor[] { sum[..](x) }

    fn count_bytes(x: &Tensor<u8>[..]) -> Tensor<i64>[] { sum[..](x) }

    fn count_true(x: &Tensor<bool>[..]) -> Tensor<i64>[] { sum[..](x as i64) }

    fn remainder(a: &Tensor<i64>[N], b: &Tensor<i64>[N]) -> Tensor<i64>[N] { a % b }

    fn restored(a: &Tensor<i64>[N], b: &Tensor<i64>[N]) -> Tensor<i64>[N] { (a / b) * b + a % b }

    fn parabola(x: &Tensor[..]) -> Tensor[..] { 2.0 * x + x * x }

    fn upsample(x: &Tensor[N]) -> Tensor[M = 2 * N] { x[M / 2] }

    fn column_sums(x: &Tensor[N, C]) -> Tensor[C] { sum[N](x) }

    fn column_means(x: &Tensor[N, C]) -> Tensor[C] { mean[N](x) }

    fn column_variances(x: &Tensor[N, C]) -> Tensor[C] { var[N](x) }

    fn variance_of_all(x: &Tensor[N, C]) -> Tensor[] { var[N, C](x) }

    fn column_maxima(x: &Tensor[N, C]) -> Tensor[C] { max[N](x) }

    fn row_maxima(x: &Tensor[N, C]) -> Tensor[N] { max[C](x) }

    fn first_largest(x: &Tensor[N, C]) -> Tensor<i64>[] { argmax[N, C](x) }

    fn column_products(x: &Tensor[N, C]) -> Tensor[C] { prod[N](x) }
}

/// Value and gradient, with a cotangent of ones.
fn value_and_gradient<D: Device>(
    x: Tensor<D>,
    f: impl Fn(&Tensor<D, Grad>) -> Result<Tensor<D, Grad>>,
) -> Result<(Tensor<D>, Tensor<D>)> {
    let x = x.requires_grad();
    let y = f(&x)?;
    let value = y.detach();
    let gradients = y.backward_with(&Tensor::ones_like(&value)?)?;
    Ok((value, gradients.get(&x).expect("x took part")))
}

fn vector<D: Device, const N: usize>(device: &D, values: [f32; N]) -> Result<Tensor<D>> {
    Tensor::new(device, values)
}

fn case_e1_softmax_of_large_inputs<D: Device>(device: &D) -> Result<()> {
    let y = softmax(&vector(device, [7999.99, 8000.0, 2.0, 1.0])?)?.read()?;
    // 7999.99 is a multiple of 2^-11 in f32, which moves the result by 6e-5.
    assert!((y[0] - 0.4975586).abs() < 1e-4 && (y[1] - 0.5024414).abs() < 1e-4, "{y:?}");
    assert_eq!(y[2..], [0.0, 0.0]);
    assert_values(&logsumexp(&vector(device, [1000.0, 1000.0])?)?, &[], &[1000.6931]);
    Ok(())
}

fn case_e3_fully_masked_row<D: Device>(device: &D) -> Result<()> {
    let spellings: [fn(&Tensor<D, Grad>) -> Result<Tensor<D, Grad>>; 2] = [|x| logsumexp(x), |x| built_in_logsumexp(x)];
    for spelling in spellings {
        let (y, dx) = value_and_gradient(vector(device, [-INF, -INF])?, spelling)?;
        assert_values(&y, &[], &[-INF]);
        assert_values(&dx, &[2], &[0.0, 0.0]);
        let (y, dx) = value_and_gradient(vector(device, [-INF, 2.0])?, spelling)?;
        assert_values(&y, &[], &[2.0]);
        assert_values(&dx, &[2], &[0.0, 1.0]);
    }
    assert_values(&softmax(&vector(device, [-INF, -INF])?)?, &[2], &[0.0, 0.0]);
    Ok(())
}

fn case_e5_branch_not_taken<D: Device>(device: &D) -> Result<()> {
    let (y, dx) = value_and_gradient(vector(device, [-1.0, -4.0])?, |x| guarded_sqrt(x))?;
    assert_values(&y.sum()?, &[], &[-5.0]);
    assert_values(&dx, &[2], &[1.0, 1.0]);
    Ok(())
}

fn case_e7_norm_of_a_zero_row<D: Device>(device: &D) -> Result<()> {
    let x = Tensor::new(device, [[0.0, 0.0, 0.0], [1.0, 2.0, 2.0]])?;
    let (y, dx) = value_and_gradient(x, |x| norm(x))?;
    assert_values(&y, &[2], &[0.0, 3.0]);
    assert_values(&dx, &[2, 3], &[0.0, 0.0, 0.0, 1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0]);
    Ok(())
}

fn case_e9_ties_share_the_gradient<D: Device>(device: &D) -> Result<()> {
    assert_values(&value_and_gradient(vector(device, [1.0, 1.0])?, |x| largest(x))?.1, &[2], &[0.5, 0.5]);
    let (_, dx) = value_and_gradient(vector(device, [1.0, 1.0, 2.0, 3.0])?, |x| smallest(x))?;
    assert_values(&dx, &[4], &[0.5, 0.5, 0.0, 0.0]);
    let one = vector(device, [1.0])?;
    assert_values(&value_and_gradient(one.clone(), |x| maximum(x, &one))?.1, &[1], &[0.5]);
    assert_values(&value_and_gradient(one.clone(), |x| minimum(&one, x))?.1, &[1], &[0.5]);
    Ok(())
}

fn case_e11_power_of_zero<D: Device>(device: &D) -> Result<()> {
    let (a, b) = (vector(device, [0.0, 2.0])?.requires_grad(), vector(device, [1.0, 1.0])?.requires_grad());
    let y = power(&a, &b)?;
    assert_values(&y, &[2], &[0.0, 2.0]);
    let gradients = y.sum()?.backward()?;
    assert_values(&gradients.get(&a).unwrap(), &[2], &[1.0, 1.0]);
    assert_values(&gradients.get(&b).unwrap(), &[2], &[0.0, 1.3862944]);
    let exponents = vector(device, [0.0, 0.5, 2.0])?;
    let (y, da) = value_and_gradient(vector(device, [0.0, 0.0, 0.0])?, |a| power(a, &exponents))?;
    assert_values(&y, &[3], &[1.0, 0.0, 0.0]);
    assert_values(&da, &[3], &[0.0, INF, 0.0]);
    Ok(())
}

fn case_e13_clamp_and_relu_keep_nan<D: Device>(device: &D) -> Result<()> {
    let x = vector(device, [NAN, -1.0, 2.0])?;
    assert_values(&clamp(&x, 0.0, 1.0)?, &[3], &[NAN, 0.0, 1.0]);
    assert_values(&clamp(&x, 0.0, f64::INFINITY)?, &[3], &[NAN, 0.0, 2.0]);
    assert_values(&relu(&x)?, &[3], &[NAN, 0.0, 2.0]);
    // The cotangent passes at the NaN.
    assert_values(&value_and_gradient(x.clone(), |x| relu(x))?.1, &[3], &[1.0, 0.0, 1.0]);
    assert_values(&value_and_gradient(x.clone(), |x| clamp(x, 0.0, 1.0))?.1, &[3], &[1.0, 0.0, 0.0]);
    assert_values(&value_and_gradient(x, |x| clamp(x, -2.0, 3.0))?.1, &[3], &[1.0, 1.0, 1.0]);
    Ok(())
}

fn case_e15_mean_of_halves<D: Device>(device: &D) -> Result<()> {
    let large = Tensor::full_of(device, [3], f16::from_f32(40000.0))?;
    assert_eq!(average(&large)?.item()?.to_f32(), 40000.0);
    assert_eq!(average(&Tensor::ones_of::<f16>(device, [100_000])?)?.item()?.to_f32(), 1.0);
    Ok(())
}

fn case_e17_sum_of_twenty_million_ones<D: Device>(device: &D) -> Result<()> {
    assert_eq!(total(&Tensor::ones(device, [20_000_000])?)?.item()?, 2e7);
    assert_eq!(average(&Tensor::full(device, [4500, 4500], -1.0)?)?.item()?, -1.0);
    Ok(())
}

fn case_e19_rounding_to_bf16<D: Device>(device: &D) -> Result<()> {
    let x = vector(device, [0.26914087, 1.003_906_3, 1.011_718_8, 3.14, f32::from_bits(0x7F80_0001)])?;
    let rounded: Vec<f32> = x.cast::<bf16>()?.read()?.iter().map(|x| x.to_f32()).collect();
    assert_eq!(rounded[..4], [0.26953125, 1.0, 1.015625, 3.140625]);
    assert!(rounded[4].is_nan());
    Ok(())
}

fn case_e21_layer_norm_far_from_zero<D: Device>(device: &D) -> Result<()> {
    let (one, zero) = (Tensor::ones(device, [16])?, Tensor::zeros(device, [16])?);
    for (m, expected) in [(0.0, -1.341641), (100.0, -1.341528), (1000.0, -1.341508), (10000.0, -1.331333)] {
        let row: Vec<f32> = (0..16).map(|i| (m + f64::from(i) * 1e-3) as f32).collect();
        let row = Tensor::from_vec(device, row, [16])?;
        let y = layer_norm(&row, &one, &zero, 1e-5)?.read()?;
        assert!((f64::from(y[0]) - expected).abs() < 1e-3, "mean {m}: {}, expected {expected}", y[0]);
        // A column, whose variance takes one pass.
        let (one, zero) = (Tensor::ones(device, [1])?, Tensor::zeros(device, [1])?);
        let (y, ..) = batch_norm(&row.reshape([16, 1])?, &one, &zero, 1e-5)?;
        let y = y.read()?;
        assert!((f64::from(y[0]) - expected).abs() < 1e-3, "mean {m}: {}, expected {expected}", y[0]);
    }
    Ok(())
}

fn case_e23_layer_norm_of_a_zero_row<D: Device>(device: &D) -> Result<()> {
    let (one, zero) = (Tensor::ones(device, [4])?, Tensor::zeros(device, [4])?);
    let x = zero.clone().requires_grad();
    let y = layer_norm(&x, &one, &zero, 1e-5)?;
    assert_values(&y, &[4], &[0.0; 4]);
    let gradients = y.backward_with(&vector(device, [1.0, 0.0, 0.0, 0.0])?)?;
    assert_values(&gradients.get(&x).unwrap(), &[4], &[237.17082, -79.056942, -79.056942, -79.056942]);
    Ok(())
}

fn a_variance_of_a_column_far_from_zero_is_exact<D: Device>(device: &D) -> Result<()> {
    let x = Tensor::new(device, [[1e4], [1e4 + 1.0], [1e4 + 2.0]])?;
    let (y, dx) = value_and_gradient(x.clone(), |x| column_variances(x))?;
    assert_values(&y, &[1], &[2.0 / 3.0]);
    assert_values(&dx, &[3, 1], &[-2.0 / 3.0, 0.0, 2.0 / 3.0]);
    let (y, dx) = value_and_gradient(x, |x| variance_of_all(x))?;
    assert_values(&y, &[], &[2.0 / 3.0]);
    assert_values(&dx, &[3, 1], &[-2.0 / 3.0, 0.0, 2.0 / 3.0]);
    Ok(())
}

fn case_e25_remainder_is_truncated<D: Device>(device: &D) -> Result<()> {
    let a = Tensor::from_vec(device, vec![-1_i64, -5, 5, 7, -7], [5])?;
    let b = Tensor::from_vec(device, vec![3_i64, 3, -3, 3, -3], [5])?;
    assert_eq!(remainder(&a, &b)?.read()?, [-1, -2, 2, 1, -1]);
    assert_eq!(restored(&a, &b)?.read()?, a.read()?);
    Ok(())
}

fn case_e27_tanh_saturates<D: Device>(device: &D) -> Result<()> {
    let (y, dx) = value_and_gradient(vector(device, [10.5, 40.0, -13.24, -40.0, 1.0, -1.0])?, |x| gelu(x))?;
    assert_values(&y, &[6], &[10.5, 40.0, 0.0, 0.0, 0.841192, -0.158808]);
    let dx = dx.read()?;
    assert!((dx[1] - 1.0).abs() < 1e-6 && dx[3].abs() < 1e-6, "{dx:?}");
    let y = tensor_rt_kernels::activation::tanh(&vector(device, [1000.0, -1000.0])?)?;
    assert_values(&y, &[2], &[1.0, -1.0]);
    Ok(())
}

fn case_e29_bce_on_logits<D: Device>(device: &D) -> Result<()> {
    let pairs = [(100.0, 1.0), (-100.0, 0.0), (0.0, 1.0), (100.0, 0.0), (-100.0, 1.0)];
    let expected = [(0.0, 0.0), (0.0, 0.0), (0.6931472, -0.5), (100.0, 1.0), (100.0, -1.0)];
    for ((logit, label), (loss, slope)) in pairs.into_iter().zip(expected) {
        let label = vector(device, [label])?;
        let (y, dx) = value_and_gradient(vector(device, [logit])?, |x| bce_with_logits(x, &label))?;
        assert_values(&y, &[], &[loss]);
        assert_values(&dx, &[1], &[slope]);
    }
    Ok(())
}

fn case_e31_mean_over_kept_rows<D: Device>(device: &D) -> Result<()> {
    let logits = Tensor::new(device, [[1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [5.0, 5.0, 5.0]])?;
    for ignore in [-100_i64, -1, 7] {
        let target = Tensor::from_vec(device, vec![0, 1, ignore], [3])?;
        let (loss, d) = value_and_gradient(logits.clone(), |x| cross_entropy_ignoring(x, &target, 0.0, ignore))?;
        assert_values(&loss, &[], &[0.3954947]);
        let d = d.read()?;
        assert_eq!(d[6..], [0.0; 3]);
        for (found, expected) in d.iter().zip([-0.2119416, 0.1059708, 0.1059708]) {
            assert!((found - expected).abs() < 1e-6, "{d:?}");
        }
        let none = Tensor::from_vec(device, vec![ignore; 3], [3])?;
        let (loss, d) = value_and_gradient(logits.clone(), |x| cross_entropy_ignoring(x, &none, 0.0, ignore))?;
        assert_values(&loss, &[], &[0.0]);
        assert_values(&d, &[3, 3], &[0.0; 9]);
    }
    Ok(())
}

fn case_e33_class_weights_and_a_negative_ignore_index<D: Device>(device: &D) -> Result<()> {
    let logits = Tensor::new(device, [[2.0, 0.0], [0.0, 1.0], [3.0, -3.0]])?;
    let target = Tensor::from_vec(device, vec![0_i64, 1, -1], [3])?;
    let weight = vector(device, [1.0, 16.0])?;
    for (smoothing, expected) in [(0.0, 0.3023009), (0.1, 0.3911391)] {
        let loss = |x: &Tensor<D, Grad>| cross_entropy_weighted(x, &target, &weight, smoothing, -1);
        let (loss, d) = value_and_gradient(logits.clone(), loss)?;
        assert_values(&loss, &[], &[expected]);
        assert_eq!(d.read()?[4..], [0.0, 0.0]);
        if smoothing == 0.0 {
            assert_values(&d.select(0, 1)?, &[2], &[0.2531213, -0.2531213]);
        }
    }
    Ok(())
}

fn case_e35_decoupled_weight_decay<D: Device>(device: &D) -> Result<()> {
    let step = |optimizer: &mut dyn Optimizer<D, f32>| -> Result<f32> {
        let mut w = Param::new(vector(device, [2.0])?);
        let gradients = (w.tracked() * 0.5)?.sum()?.backward()?;
        assert_eq!(optimizer.step(&mut [&mut w], &gradients)?, 1);
        w.value().item()
    };
    let mut adamw = AdamW::new(0.1);
    adamw.weight_decay = 0.01;
    assert!((step(&mut adamw)? - 1.898).abs() < 1e-6);
    let mut adam = Adam::new(0.1);
    adam.weight_decay = 0.01;
    assert!((step(&mut adam)? - 1.9).abs() < 1e-6);
    Ok(())
}

fn case_e37_a_tensor_used_twice<D: Device>(device: &D) -> Result<()> {
    let (y, dx) = value_and_gradient(vector(device, [3.0])?, |x| parabola(x))?;
    assert_values(&y, &[1], &[15.0]);
    assert_values(&dx, &[1], &[8.0]);
    let (_, dx) = value_and_gradient(vector(device, [3.0])?, |x| (x * 2.0)? + (x * x)?)?;
    assert_values(&dx, &[1], &[8.0]);
    let (y, dx) = value_and_gradient(vector(device, [1.0, 2.0])?, |x| upsample(x)?.sum()? + x.sum()?)?;
    assert_values(&y, &[], &[9.0]);
    assert_values(&dx, &[2], &[3.0, 3.0]);
    Ok(())
}

fn case_e39_sums_of_bytes_and_masks<D: Device>(device: &D) -> Result<()> {
    assert_eq!(count_bytes(&Tensor::ones_of::<u8>(device, [5000])?)?.item()?, 5000);
    assert_eq!(count_true(&Tensor::full_of(device, [5000], true)?)?.item()?, 5000);
    Ok(())
}

fn case_e41_reductions_of_nothing<D: Device>(device: &D) -> Result<()> {
    let nothing = Tensor::zeros(device, [0, 3])?;
    assert_values(&column_sums(&nothing)?, &[3], &[0.0; 3]);
    assert_values(&column_means(&nothing)?, &[3], &[NAN; 3]);
    assert_values(&column_products(&nothing)?, &[3], &[1.0; 3]);
    assert_eq!(row_maxima(&nothing)?.shape(), &[0]);
    for error in [column_maxima(&nothing).unwrap_err(), first_largest(&nothing).unwrap_err()] {
        assert_eq!(format!("{:?}", error.kind()), "EmptyReduction", "{error}");
    }
    Ok(())
}

tests::on_each_device! {
    case_e1_softmax_of_large_inputs,
    case_e3_fully_masked_row,
    case_e5_branch_not_taken,
    case_e7_norm_of_a_zero_row,
    case_e9_ties_share_the_gradient,
    case_e11_power_of_zero,
    case_e13_clamp_and_relu_keep_nan,
    case_e15_mean_of_halves,
    case_e17_sum_of_twenty_million_ones,
    case_e19_rounding_to_bf16,
    case_e21_layer_norm_far_from_zero,
    case_e23_layer_norm_of_a_zero_row,
    a_variance_of_a_column_far_from_zero_is_exact,
    case_e25_remainder_is_truncated,
    case_e27_tanh_saturates,
    case_e29_bce_on_logits,
    case_e31_mean_over_kept_rows,
    case_e33_class_weights_and_a_negative_ignore_index,
    case_e35_decoupled_weight_decay,
    case_e37_a_tensor_used_twice,
    case_e39_sums_of_bytes_and_masks,
    case_e41_reductions_of_nothing,
}
