//! Views and layout: what went wrong for users of other libraries (cases B1 to B21).

use tensor_rt::prelude::*;
use tensor_rt_kernels::contraction::matmul;
use tensor_rt_kernels::loss::{huber, l1, mse, smooth_l1};
use tensor_rt_kernels::statistics::cumsum;
use tests::device::Read;
use tests::{assert_does_not_compile, assert_values};

tensor_fn! {
    fn row_sums(x: &Tensor[N, C]) -> Tensor[N] { sum[C](x) }

    fn first_smallest(x: &Tensor[N]) -> Tensor<i64>[] { argmin[N](x) }

    fn equal(x: &Tensor[..], z: &Tensor[..]) -> Tensor<bool>[..] { x == z }

    fn assign(y: &mut Tensor[..], x: &Tensor[..]) { y = x; }

    fn odd(x: &Tensor[..]) -> Tensor[..] { 2.0 * x + 1.0 }
}

fn arange<D: Device>(device: &D, count: usize) -> Result<Tensor<D>> {
    Tensor::arange(device, 0.0, count as f32, 1.0)
}

fn case_b1_offset_of_a_strided_operand<D: Device>(device: &D) -> Result<()> {
    let run = |columns: Tensor<D>| -> Result<(Tensor<D>, Tensor<D>, Tensor<D>)> {
        let w = columns.requires_grad();
        let x = Tensor::new(device, [[1.0], [10.0]])?.requires_grad();
        let y = matmul(&w, &x)?;
        let gradients = y.clone().backward_with(&Tensor::new(device, [[1.0], [3.0]])?)?;
        Ok((y.detach(), gradients.get(&w).unwrap(), gradients.get(&x).unwrap()))
    };
    let columns = arange(device, 8)?.reshape([2, 4])?.narrow(1, 2, 2)?;
    let (y, dw, dx) = run(columns.clone())?;
    assert_values(&y, &[2, 1], &[32.0, 76.0]);
    assert_values(&dw, &[2, 2], &[1.0, 10.0, 3.0, 30.0]);
    assert_values(&dx, &[2, 1], &[20.0, 24.0]);
    let (copied, dw_copied, dx_copied) = run(columns.contiguous()?)?;
    assert_eq!(copied.read()?, y.read()?);
    assert_eq!(dw_copied.read()?, dw.read()?);
    assert_eq!(dx_copied.read()?, dx.read()?);
    Ok(())
}

fn case_b3_row_sums_of_a_transposed<D: Device>(device: &D) -> Result<()> {
    let x = Tensor::new(device, [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])?.transpose(0, 1)?;
    assert_values(&row_sums(&x)?, &[3], &[5.0, 7.0, 9.0]);
    Ok(())
}

fn case_b5_argmin_of_a_transposed<D: Device>(device: &D) -> Result<()> {
    let x = Tensor::new(device, [[1.541, -0.2934], [-2.1788, 0.5684]])?;
    let flat = (x.transpose(0, 1)? + 0.5)?.flatten()?;
    assert_eq!(first_smallest(&flat)?.item()?, 1);
    assert_eq!(first_smallest(&x.transpose(0, 1)?.flatten()?)?.item()?, 1);
    Ok(())
}

fn case_b7_a_full_slice_changes_nothing<D: Device>(device: &D) -> Result<()> {
    let x = arange(device, 6)?.reshape([1, 3, 2])?.permute([0, 2, 1])?;
    let full = x.slice((0..1, 0..2, 0..3))?;
    assert_values(&x, &[1, 2, 3], &[0.0, 2.0, 4.0, 1.0, 3.0, 5.0]);
    assert_values(&full, &[1, 2, 3], &[0.0, 2.0, 4.0, 1.0, 3.0, 5.0]);
    assert_values(&(full + 0.0)?, &[1, 2, 3], &[0.0, 2.0, 4.0, 1.0, 3.0, 5.0]);
    Ok(())
}

fn case_b9_losses_never_broadcast<D: Device>(device: &D) -> Result<()> {
    let prediction = Tensor::new(device, [[1.0], [2.0], [3.0]])?;
    let target = Tensor::new(device, [1.0, 2.0, 3.0])?;
    let error = mse(&prediction, &target).unwrap_err();
    let text = error.to_string();
    assert!(text.starts_with("mse: ") && text.contains("[3, 1]") && text.contains("[3]"), "{text}");
    assert!(text.contains("cases_b.rs"), "{text}");
    assert!(l1(&prediction, &target).is_err());
    assert!(huber(&prediction, &target, 1.0).is_err());
    assert!(smooth_l1(&prediction, &target, 1.0).is_err());
    assert_values(&mse(&prediction.squeeze(1)?, &target)?, &[], &[0.0]);
    Ok(())
}

fn case_b11_comparison_of_nothing<D: Device>(device: &D) -> Result<()> {
    let nothing = Tensor::zeros(device, [2, 1, 1, 0])?;
    let same = equal(&nothing, &nothing)?;
    assert_eq!(same.shape(), &[2, 1, 1, 0]);
    assert_eq!(same.read()?, Vec::<bool>::new());
    Ok(())
}

fn case_b13_reversed_views<D: Device>(device: &D) -> Result<()> {
    let x = Tensor::new(device, [1.0, 2.0, 3.0, 4.0])?.flip(0)?;
    assert_values(&x, &[4], &[4.0, 3.0, 2.0, 1.0]);
    assert_values(&x.narrow(0, 1, 2)?, &[2], &[3.0, 2.0]);
    assert_values(&x.to(device)?.to_host()?, &[4], &[4.0, 3.0, 2.0, 1.0]);
    assert_values(&x.contiguous()?, &[4], &[4.0, 3.0, 2.0, 1.0]);
    assert_values(&cumsum(&x)?, &[4], &[4.0, 7.0, 9.0, 10.0]);
    Ok(())
}

fn case_b15_expanded_output<D: Device>(device: &D) -> Result<()> {
    let base = Tensor::zeros(device, [1])?;
    let mut output = base.broadcast_to([10])?;
    assign(&mut output, &arange(device, 10)?)?;
    assert_eq!(output.read()?, arange(device, 10)?.read()?);
    assert_values(&base, &[1], &[0.0]);
    Ok(())
}

fn case_b17_overlapping_writable_views<D: Device>(device: &D) -> Result<()> {
    assert_does_not_compile("edit/two_writable_parts", "cannot borrow");
    let mut x = Tensor::zeros(device, [10])?;
    {
        let mut view = x.view_mut()?;
        let (mut left, mut right) = view.split_at_mut(0, 5)?;
        assign(&mut left, &Tensor::ones(device, [5])?)?;
        assign(&mut right, &Tensor::full(device, [5], 2.0)?)?;
    }
    assert_values(&x, &[10], &[1.0, 1.0, 1.0, 1.0, 1.0, 2.0, 2.0, 2.0, 2.0, 2.0]);
    Ok(())
}

fn case_b19_gradients_have_the_shape_of_their_inputs<D: Device>(device: &D) -> Result<()> {
    let leaves = || -> Result<_> {
        let u = Tensor::new(device, [[1.0], [2.0]])?.requires_grad();
        Ok((u, Tensor::new(device, [[10.0, 20.0, 30.0]])?.requires_grad()))
    };
    let (u, b) = leaves()?;
    let loss = (&u + &b)?.sum()?;
    assert_values(&loss, &[], &[129.0]);
    let gradients = loss.backward()?;
    assert_values(&gradients.get(&u).unwrap(), &[2, 1], &[3.0, 3.0]);
    assert_values(&gradients.get(&b).unwrap(), &[1, 3], &[2.0, 2.0, 2.0]);
    let (u, b) = leaves()?;
    let gradients = (&u * &b)?.sum()?.backward()?;
    assert_values(&gradients.get(&u).unwrap(), &[2, 1], &[60.0, 60.0]);
    assert_values(&gradients.get(&b).unwrap(), &[1, 3], &[3.0, 3.0, 3.0]);
    Ok(())
}

fn case_b21_every_element_of_an_output_is_written<D: Device>(device: &D) -> Result<()> {
    // The pool hands out what is left of these.
    for _ in 0..4 {
        let stale: Vec<_> = (0..8).map(|_| Tensor::full(device, [6], f32::NAN)).collect::<Result<_>>()?;
        drop(stale);
        let x = arange(device, 6)?.reshape([2, 3])?.transpose(0, 1)?;
        let y = odd(&x)?;
        assert!(y.is_contiguous());
        assert_eq!(y.read()?, [1.0, 7.0, 3.0, 9.0, 5.0, 11.0]);
    }
    Ok(())
}

tests::on_each_device! {
    case_b1_offset_of_a_strided_operand,
    case_b3_row_sums_of_a_transposed,
    case_b5_argmin_of_a_transposed,
    case_b7_a_full_slice_changes_nothing,
    case_b9_losses_never_broadcast,
    case_b11_comparison_of_nothing,
    case_b13_reversed_views,
    case_b15_expanded_output,
    case_b17_overlapping_writable_views,
    case_b19_gradients_have_the_shape_of_their_inputs,
    case_b21_every_element_of_an_output_is_written,
}
