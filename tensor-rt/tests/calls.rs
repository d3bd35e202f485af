//! Calls of kernels: sizes and errors, edits, empty tensors, several outputs, counters.

use tensor_rt::accounting::measure;
use tensor_rt::error::ErrorKind;
use tensor_rt::prelude::*;

tensor_fn! {
    fn softmax(x: &Tensor[.., C]) -> Tensor[.., C] {
        let e = exp(x - max[C](x));
        e / sum[C](e)
    }

    fn layer_norm(x: &Tensor[.., C], gamma: &Tensor[C], beta: &Tensor[C], eps: float) -> Tensor[.., C] {
        let d = x - mean[C](x);
        d * rsqrt(mean[C](d * d) + eps) * gamma + beta
    }

    fn axpy(y: &mut Tensor[N], x: &Tensor[N], a: float) {
        y += a * x;
    }

    fn swap(x: &mut Tensor[N], y: &mut Tensor[N]) {
        let old = x;
        x = y;
        y = old;
    }

    fn normalize(x: &mut Tensor[N, C]) {
        x = x - mean[C](x);
    }

    fn linear(x: &Tensor[.., I], w: &Tensor[O, I], b: &Tensor[O]) -> Tensor[.., O] {
        sum[I](x * w) + b
    }

    fn cross_entropy(logits: &Tensor[N, C], target: &Tensor<i64>[N]) -> Tensor[] {
        let m = max[C](logits);
        mean[N](m + ln(sum[C](exp(logits - m))) - logits[N, target])
    }

    fn embedding(table: &Tensor[V, C], ids: &Tensor<i64>[..]) -> Tensor[.., C] {
        table[ids, C]
    }

    fn one_hot(ids: &Tensor<i64>[N], classes: usize) -> Tensor<f32>[N, C = classes] {
        if C == ids { 1.0 } else { 0.0 }
    }

    fn head(x: &Tensor[N], count: i64) -> Tensor[M = count] {
        x[M]
    }

    fn both(x: &Tensor[..], y: &Tensor[..]) -> (Tensor[..], Tensor[..]) {
        (x * y, x + y)
    }

    fn largest(x: &Tensor[N, C]) -> (Tensor[N], Tensor<i64>[N]) {
        (max[C](x), argmax[C](x))
    }

    fn quotient(x: &Tensor<i64>[N], y: &Tensor<i64>[N]) -> Tensor<i64>[N] {
        x / y
    }

    fn add(x: &Tensor[..], y: &Tensor[..]) -> Tensor[..] {
        x + y
    }
}

fn tensor(data: &[f32], shape: impl Into<tensor_rt::Shape>) -> Tensor {
    Tensor::from_vec(&Cpu, data.to_vec(), shape).unwrap()
}

fn message<T>(result: Result<T>) -> String {
    match result {
        Ok(_) => panic!("no error"),
        Err(error) => error.to_string().split(", at ").next().unwrap().to_owned(),
    }
}

#[test]
fn softmax_of_views_and_any_rank() -> Result<()> {
    let x = tensor(&[0.0, 2f32.ln(), 5f32.ln(), 1000.0, 1000.0, 1000.0], [2, 3]);
    let expected = [0.125, 0.25, 0.625, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0];
    let columns = x.transpose(0, 1)?.contiguous()?.transpose(0, 1)?;
    for x in [x.clone(), columns, x.reshape([1, 2, 1, 3])?] {
        let y = softmax(&x)?;
        assert_eq!(y.shape(), x.shape());
        let y = y.contiguous()?;
        assert!(y.as_slice()?.iter().zip(expected).all(|(y, expected)| (y - expected).abs() < 1e-6));
    }
    Ok(())
}

#[test]
fn errors_name_axis_parameters_and_sizes() {
    let (x, g, b) = (tensor(&[0.0; 6], [2, 3]), tensor(&[0.0; 3], [3]), tensor(&[0.0; 4], [4]));
    assert_eq!(message(layer_norm(&x, &g, &b, 1e-5)), "layer_norm: axis `C` is 3 in `x` and 4 in `beta`");
    assert_eq!(message(add(&x, &g)), "add: `..` is [2, 3] in `x` and [3] in `y`");
    let line = line!() + 1;
    let error = layer_norm(&x, &g, &b, 1e-5).unwrap_err();
    assert!(error.to_string().ends_with(&format!("calls.rs:{line}:17")), "{error}");
    assert_eq!(head(&g, -1).unwrap_err().kind(), ErrorKind::NegativeSize);
    assert_eq!(head(&g, 4).unwrap_err().kind(), ErrorKind::IndexOutOfRange);
    assert_eq!(head(&g, 2).unwrap().shape(), &[2][..]);
    let scalar = tensor(&[1.0], []);
    assert_eq!(softmax(&scalar).unwrap_err().kind(), ErrorKind::RankMismatch);
}

#[test]
fn faults_name_the_lowest_element() {
    let table = tensor(&[0.0; 6], [3, 2]);
    let ids = Tensor::from_vec(&Cpu, vec![0i64, 1, 7, -1], [2, 2]).unwrap();
    assert_eq!(
        message(embedding(&table, &ids)),
        "embedding: index 7 is out of range for axis `V` of size 3 in `table` (element [1, 0, 0])"
    );
    let x = Tensor::from_vec(&Cpu, vec![7i64, i64::MIN, 1], [3]).unwrap();
    let y = Tensor::from_vec(&Cpu, vec![2i64, -1, 0], [3]).unwrap();
    assert_eq!(message(quotient(&x, &y)), "quotient: integer division by zero or overflow (element [1])");
}

#[test]
fn edits_are_seen_by_their_own_handle_only() -> Result<()> {
    let mut y = tensor(&[1.0, 2.0, 3.0], [3]);
    let before = y.clone();
    let (result, report) = measure(|| axpy(&mut y, &before, 2.0));
    result?;
    assert_eq!(y.as_slice()?, [3.0, 6.0, 9.0]);
    assert_eq!(before.as_slice()?, [1.0, 2.0, 3.0]);
    assert_eq!((report.total().copies, report.total().launches), (1, 1));
    let (result, report) = measure(|| axpy(&mut y, &before, 1.0));
    result?;
    assert_eq!(report.total().copies, 0);

    let (mut a, mut b) = (tensor(&[1.0, 2.0], [2]), tensor(&[3.0, 4.0], [2]));
    swap(&mut a, &mut b)?;
    assert_eq!((a.as_slice()?, b.as_slice()?), (&[3.0, 4.0][..], &[1.0, 2.0][..]));

    let mut m = tensor(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [2, 3]);
    normalize(&mut m)?;
    assert_eq!(m.as_slice()?, [-1.0, 0.0, 1.0, -1.0, 0.0, 1.0]);
    let mut t = tensor(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [3, 2]).transpose(0, 1)?;
    normalize(&mut t)?;
    assert_eq!(t.contiguous()?.as_slice()?, [-2.0, 0.0, 2.0, -2.0, 0.0, 2.0]);
    Ok(())
}

#[test]
fn empty_tensors_give_empty_results_or_a_named_error() -> Result<()> {
    assert_eq!(softmax(&Tensor::zeros(&Cpu, [3, 0])?)?.shape(), &[3, 0][..]);
    assert_eq!(softmax(&Tensor::zeros(&Cpu, [0, 3])?)?.shape(), &[0, 3][..]);
    assert_eq!(message(largest(&Tensor::zeros(&Cpu, [3, 0])?)), "largest: `max[C]` over no elements has no value");
    assert_eq!(largest(&Tensor::zeros(&Cpu, [0, 0])?)?.0.len(), 0);
    let (w, b) = (Tensor::zeros(&Cpu, [2, 0])?, tensor(&[1.0, 2.0], [2]));
    assert_eq!(linear(&Tensor::zeros(&Cpu, [2, 0])?, &w, &b)?.as_slice()?, [1.0, 2.0, 1.0, 2.0]);
    let none = Tensor::from_vec(&Cpu, Vec::<i64>::new(), [0])?;
    assert_eq!(embedding(&tensor(&[], [0, 2]), &none)?.shape(), &[0, 2][..]);
    assert_eq!(one_hot(&none, 3)?.shape(), &[0, 3][..]);
    Ok(())
}

#[test]
fn missing_cotangent_is_zero() -> Result<()> {
    let x = tensor(&[1.0, 2.0, 3.0], [3]).requires_grad();
    let y = tensor(&[4.0, 5.0, 6.0], [3]);
    let (product, sum) = both(&x, &y)?;
    let ones = Tensor::ones(&Cpu, [3])?;
    drop(sum);
    let grads = product.backward_with(&ones)?;
    assert_eq!(grads.get(&x).unwrap().as_slice()?, [4.0, 5.0, 6.0]);
    let (product, sum) = both(&x, &y)?;
    drop(product);
    let grads = sum.backward_with(&ones)?;
    assert_eq!(grads.get(&x).unwrap().as_slice()?, [1.0, 1.0, 1.0]);
    Ok(())
}

#[test]
fn positions_and_masks_come_out_with_their_elements() -> Result<()> {
    let x = tensor(&[1.0, 3.0, 3.0, f32::NAN, 2.0, 9.0], [2, 3]);
    let (values, positions) = largest(&x)?;
    assert_eq!(values.as_slice()?[0], 3.0);
    assert!(values.as_slice()?[1].is_nan());
    assert_eq!(positions.as_slice()?, [1, 0]);
    let ids = Tensor::from_vec(&Cpu, vec![2i64, 0], [2])?;
    assert_eq!(one_hot(&ids, 3)?.as_slice()?, [0.0, 0.0, 1.0, 1.0, 0.0, 0.0]);
    Ok(())
}

#[test]
fn backward_runs_the_kernels_that_are_wanted() -> Result<()> {
    let x = Tensor::rand(&Cpu, [4, 3], 1)?;
    let (w, b) = (Tensor::rand(&Cpu, [5, 3], 2)?, Tensor::rand(&Cpu, [5], 3)?);
    let ones = Tensor::ones(&Cpu, [4, 5])?;
    let launches = |backward: &dyn Fn() -> Result<tensor_rt::Gradients>| {
        let (result, report) = measure(backward);
        result.map(|_| report.total().launches)
    };
    let bias = b.clone().requires_grad();
    let y = linear(&x, &w, &bias)?;
    assert_eq!(launches(&|| y.clone().backward_with(&ones))?, 1);
    let (x, w, b) = (x.requires_grad(), w.requires_grad(), b.requires_grad());
    let y = linear(&x, &w, &b)?;
    assert_eq!(launches(&|| y.clone().backward_with(&ones))?, 3);
    Ok(())
}

#[test]
fn cross_entropy_and_its_gradient() -> Result<()> {
    let logits = tensor(&[0.0, 3f32.ln(), 5.0, 7.0], [2, 2]).requires_grad();
    let target = Tensor::from_vec(&Cpu, vec![1i64, 1], [2])?;
    let loss = cross_entropy(&logits, &target)?;
    let expected = ((4.0f64 / 3.0).ln() + (1.0 + (-2.0f64).exp()).ln()) / 2.0;
    assert!((loss.detach().item()? as f64 - expected).abs() < 1e-6);
    let grads = loss.backward()?;
    let p = 1.0 / (1.0 + 2f32.exp());
    let gradient = grads.get(&logits).unwrap();
    for (found, expected) in gradient.as_slice()?.iter().zip([0.125, -0.125, p / 2.0, -p / 2.0]) {
        assert!((found - expected).abs() < 1e-6, "{found} {expected}");
    }
    Ok(())
}

#[test]
fn embedding_gradient_adds_up_repeated_rows() -> Result<()> {
    let table = Tensor::zeros(&Cpu, [5, 2])?.requires_grad();
    let ids = Tensor::from_vec(&Cpu, vec![1i64, 1, 3, 0], [4])?;
    let g = tensor(&[1.0, 2.0, 10.0, 20.0, 100.0, 200.0, 1000.0, 2000.0], [4, 2]);
    let grads = embedding(&table, &ids)?.backward_with(&g)?;
    let expected = [1000.0, 2000.0, 11.0, 22.0, 0.0, 0.0, 100.0, 200.0, 0.0, 0.0];
    assert_eq!(grads.get(&table).unwrap().as_slice()?, expected);
    Ok(())
}
