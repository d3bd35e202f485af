//! What is copied, allocated and launched, counted by the line that asked for it.

use tensor_rt::accounting::{Counters, measure};
use tensor_rt::prelude::*;
use tensor_rt_kernels::activation::gelu;
use tensor_rt_kernels::contraction::linear;
use tensor_rt_kernels::norm::layer_norm;
use tensor_rt_kernels::softmax::softmax;

tensor_fn! {
    fn double(y: &mut Tensor[..]) { y *= 2.0; }

    fn standardized(x: &Tensor[N, C]) -> Tensor[N, C] { (x - mean[N](x)) * rsqrt(var[N](x) + 1e-5) }
}

/// What `body` costs in all.
fn cost<R>(body: impl FnOnce() -> Result<R>) -> Counters {
    let (result, report) = measure(body);
    result.map(|_| report.total()).expect("the body succeeds")
}

fn matrix() -> Result<Tensor> {
    Tensor::arange(&Cpu, 0.0, 12.0, 1.0)?.reshape([3, 4])
}

#[test]
fn views_copy_and_allocate_nothing() -> Result<()> {
    let x = matrix()?;
    let views = cost(|| {
        let view =
            x.clone().transpose(0, 1)?.narrow(0, 1, 2)?.flip(1)?.select(0, 0)?.unsqueeze(0)?.broadcast_to([5, 3])?;
        x.reshape([2, 6])?.try_view([12])?;
        Ok(view)
    });
    assert_eq!(views, Counters::default());
    Ok(())
}

#[test]
fn copies_are_counted_at_the_line_of_the_call() -> Result<()> {
    let x = matrix()?;
    let transposed = x.transpose(0, 1)?;
    let (_, report) = measure(|| transposed.contiguous());
    let line = line!() - 1;
    assert_eq!((report.at("accounting.rs", line).copies, report.total().copies), (1, 1));
    assert_eq!(report.total().copied_bytes, 48);
    assert_eq!(cost(|| transposed.reshape([12])).copies, 1);
    assert_eq!(cost(|| x.contiguous()).copies, 0);
    Ok(())
}

#[test]
fn an_edit_copies_only_what_another_handle_holds() -> Result<()> {
    let mut x = matrix()?;
    assert_eq!(cost(|| double(&mut x)).copies, 0);
    let handle = x.clone();
    let (_, report) = measure(|| double(&mut x));
    let line = line!() - 1;
    assert_eq!(report.at("accounting.rs", line).copies, 1);
    assert_eq!(cost(|| double(&mut x)).copies, 0);
    assert_eq!(handle.get([0, 1])?, 2.0);
    Ok(())
}

#[test]
fn kernels_are_launched_once_and_pass_as_often_as_they_must() -> Result<()> {
    let x = matrix()?;
    let row = Tensor::ones(&Cpu, [4])?;
    let counts = |counters: Counters| (counters.launches, counters.passes);
    assert_eq!(counts(cost(|| gelu(&x))), (1, 1));
    assert_eq!(counts(cost(|| softmax(&x))), (1, 3));
    assert_eq!(counts(cost(|| layer_norm(&x, &row, &row, 1e-5))), (1, 3));
    assert_eq!(counts(cost(|| linear(&x, &x, &Tensor::ones(&Cpu, [3])?))), (1, 1));
    // Nothing is launched for no elements.
    let nothing = Tensor::zeros(&Cpu, [0, 4])?;
    assert_eq!(counts(cost(|| softmax(&nothing))), (0, 0));
    Ok(())
}

#[test]
fn a_loss_that_stays_on_the_device_is_read_once() -> Result<()> {
    let mut total = Tensor::zeros(&Cpu, [])?;
    let half = Tensor::full(&Cpu, [], 0.5)?;
    let syncs = cost(|| {
        for _ in 0..100 {
            total = (&total + &half)?;
        }
        total.item()
    })
    .syncs;
    assert_eq!((syncs, total.item()?), (1, 50.0));
    Ok(())
}

#[test]
fn statistics_over_the_batch_take_one_launch() -> Result<()> {
    let x = matrix()?;
    let cost = cost(|| standardized(&x));
    assert_eq!((cost.launches, cost.passes), (2, 2));
    Ok(())
}
