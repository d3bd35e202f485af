//! Tensors that are passed by value, whose storage an output takes.

use tensor_rt::accounting::measure;
use tensor_rt::prelude::*;
use tests::device::Read;

tensor_fn! {
    fn halve(x: Tensor[..]) -> Tensor[..] { 0.5 * x }

    fn twice(x: Tensor<i64>[N]) -> Tensor<i64>[N] { 2 * x }

    fn softmax(x: Tensor[.., C]) -> Tensor[.., C] {
        let e = exp(x - max[C](x));
        e / sum[C](e)
    }

    fn centered(x: Tensor[N, C]) -> Tensor[N, C] { x - mean[N](x) }

    fn scaled_sums(s: Tensor[N], x: &Tensor[N, C]) -> Tensor[N] { s * sum[C](s * x) }

    fn residual(x: Tensor[N, O], a: &Tensor[N, K], w: &Tensor[O, K]) -> Tensor[N, O] { x + sum[K](a * w) }

    fn shifted(x: Tensor[N, C]) -> Tensor[N, C] { if C > 0 { x[N, C - 1] } else { 0.0 } }

    fn mirrored(x: Tensor[N, M = N]) -> Tensor[N, M] { x[M, N] + x }

    fn doubled(x: Tensor[N]) -> Tensor[M = 2 * N] { x[M / 2] }

    fn as_double(x: Tensor<f32>[N]) -> Tensor<f64>[N] { x as f64 }

    fn value_and_sum(x: Tensor[N]) -> (Tensor[N], Tensor[]) { (2 * x, sum[N](x)) }

    fn sum_and_value(x: Tensor[N]) -> (Tensor[], Tensor[N]) { (sum[N](x), 2 * x) }

    fn broadcast_too(b: Tensor[C], x: &Tensor[N, C]) -> (Tensor[C], Tensor[N, C]) { (b + 1, x + b) }

    fn both_halves(x: Tensor[N]) -> (Tensor[N], Tensor[N]) { (0.5 * x, x - 1) }

    fn difference(x: Tensor[N], y: Tensor[N]) -> Tensor[N] { x - y }

    fn swapped(x: Tensor[N], y: Tensor[N]) -> (Tensor[N], Tensor[N]) { (y, x) }

    fn edit_beside(y: &mut Tensor[N], x: Tensor[N]) -> Tensor[N] {
        y += x;
        x - y
    }

    fn square(x: Tensor[N]) -> Tensor[N] { x * x }

    fn exponential(x: Tensor[N]) -> Tensor[N] { exp(x) }
}

/// The result of `body`, and the buffers and the copies that it took.
fn cost<R>(body: impl FnOnce() -> Result<R>) -> Result<(R, (u64, u64))> {
    let (result, report) = measure(body);
    Ok((result?, (report.total().allocations, report.total().copies)))
}

/// 0, 1, 2, .. in a storage of its own.
fn ramp<D: Device, const R: usize>(device: &D, shape: [usize; R]) -> Result<Tensor<D>> {
    Tensor::arange(device, 0.0, shape.iter().product::<usize>() as f32, 1.0)?.reshape(shape)
}

fn an_output_takes_a_storage_that_is_unique_and_dense<D: Device>(device: &D) -> Result<()> {
    let x = ramp(device, [2, 3])?;
    let (y, cost_of_call) = cost(|| halve(x))?;
    assert_eq!(cost_of_call, (0, 0));
    assert_eq!(y.read()?, [0.0, 0.5, 1.0, 1.5, 2.0, 2.5]);
    // The storage is still unique: a chain takes one buffer.
    let (z, cost_of_chain) = cost(|| halve(halve(halve(y)?)?))?;
    assert_eq!(cost_of_chain, (0, 0));
    assert_eq!(z.to_host()?.get([1, 2])?, 2.5 / 8.0);
    let i = Tensor::from_vec(device, vec![3_i64, -1], [2])?;
    let (i, cost_of_call) = cost(|| twice(i))?;
    assert_eq!((i.read()?, cost_of_call), (vec![6, -2], (0, 0)));
    Ok(())
}

fn a_storage_that_others_hold_is_left_alone<D: Device>(device: &D) -> Result<()> {
    let x = ramp(device, [2, 3])?;
    let (y, cost_of_call) = cost(|| halve(x.clone()))?;
    assert_eq!(cost_of_call, (1, 0));
    assert_eq!(y.to_host()?.get([1, 2])?, 2.5);
    assert_eq!(x.read()?, [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
    // A view whose base is held, and one that is the only handle but strided.
    let (_, cost_of_part) = cost(|| halve(x.narrow(0, 0, 1)?))?;
    assert_eq!(cost_of_part, (1, 0));
    assert_eq!(x.to_host()?.get([0, 1])?, 1.0);
    let transposed = { x }.transpose(0, 1)?;
    let (y, cost_of_call) = cost(|| halve(transposed))?;
    assert_eq!(cost_of_call, (1, 0));
    assert_eq!(y.read()?, [0.0, 1.5, 0.5, 2.0, 1.0, 2.5]);
    // Every element of a broadcast view would be one address.
    let repeated = Tensor::full(device, [1], 8.0)?.broadcast_to([3])?;
    let (y, cost_of_call) = cost(|| halve(repeated))?;
    assert_eq!((y.read()?, cost_of_call), (vec![4.0; 3], (1, 0)));
    Ok(())
}

fn an_output_of_another_size_or_element_is_fresh<D: Device>(device: &D) -> Result<()> {
    let x = Tensor::new(device, [1.0, 2.0])?;
    let (y, cost_of_call) = cost(|| doubled(x))?;
    assert_eq!((y.read()?, cost_of_call), (vec![1.0, 1.0, 2.0, 2.0], (1, 0)));
    let x = Tensor::new(device, [1.0, 2.0])?;
    let (y, cost_of_call) = cost(|| as_double(x))?;
    assert_eq!((y.read()?, cost_of_call), (vec![1.0, 2.0], (1, 0)));
    Ok(())
}

fn rows_and_columns_are_finished_before_their_elements_are_replaced<D: Device>(device: &D) -> Result<()> {
    for shape in [[2, 3], [300, 700]] {
        let (n, c) = (shape[0], shape[1]);
        let x = Tensor::rand(device, shape, 1)?;
        for (kernel, name) in [(softmax as fn(Tensor<D>) -> Result<Tensor<D>>, "softmax"), (centered, "centered")] {
            let expected = kernel(x.clone())?;
            let found = kernel(Tensor::from_vec(device, x.read()?, shape)?)?;
            assert_eq!(found.read()?, expected.read()?, "{name} of {n} x {c}");
        }
        let s = Tensor::rand(device, [n], 2)?;
        let expected = scaled_sums(s.clone(), &x)?;
        let own = Tensor::from_vec(device, s.read()?, [n])?;
        let (found, cost_of_call) = cost(|| scaled_sums(own, &x))?;
        assert_eq!((found.read()?, cost_of_call), (expected.read()?, (0, 0)));
    }
    let (y, cost_of_call) = cost(|| softmax(Tensor::zeros(device, [2, 4])?))?;
    assert_eq!((y.read()?, cost_of_call), (vec![0.25; 8], (1, 0)));
    Ok(())
}

#[test]
fn a_product_is_added_to_what_was_donated() -> Result<()> {
    let (a, w) = (ramp(&Cpu, [2, 3])?, ramp(&Cpu, [2, 3])?);
    let x = Tensor::ones(&Cpu, [2, 2])?;
    let expected = residual(x.clone(), &a, &w)?;
    assert_eq!(expected.read()?, [6.0, 15.0, 15.0, 51.0]);
    let pointer = x.as_slice()?.as_ptr();
    let found = residual(x, &a, &w)?;
    assert_eq!(found.as_slice()?.as_ptr(), pointer);
    assert_eq!(found.read()?, expected.read()?);
    Ok(())
}

fn what_reads_other_elements_gets_a_fresh_array<D: Device>(device: &D) -> Result<()> {
    let x = ramp(device, [2, 3])?;
    let (y, cost_of_call) = cost(|| shifted(x))?;
    assert_eq!((y.read()?, cost_of_call), (vec![0.0, 0.0, 1.0, 0.0, 3.0, 4.0], (1, 0)));
    let x = ramp(device, [2, 2])?;
    let (y, cost_of_call) = cost(|| mirrored(x))?;
    assert_eq!((y.read()?, cost_of_call), (vec![0.0, 3.0, 3.0, 6.0], (1, 0)));
    assert!(!shifted::source().to_string().contains("may take the storage"));
    assert!(softmax::source().to_string().contains("output may take the storage of `x`"));
    Ok(())
}

fn several_outputs_see_the_old_value<D: Device>(device: &D) -> Result<()> {
    let (value, sum) = value_and_sum(ramp(device, [5])?)?;
    assert_eq!((value.read()?, sum.item()?), (vec![0.0, 2.0, 4.0, 6.0, 8.0], 10.0));
    let (sum, value) = sum_and_value(ramp(device, [5])?)?;
    assert_eq!((value.read()?, sum.item()?), (vec![0.0, 2.0, 4.0, 6.0, 8.0], 10.0));
    let (next, all) = broadcast_too(ramp(device, [2])?, &ramp(device, [2, 2])?)?;
    assert_eq!((next.read()?, all.read()?), (vec![1.0, 2.0], vec![0.0, 2.0, 2.0, 4.0]));
    let (x, y) = (ramp(device, [3])?, Tensor::ones(device, [3])?);
    let ((first, second), cost_of_call) = cost(|| swapped(x, y))?;
    assert_eq!((first.read()?, second.read()?), (vec![1.0; 3], vec![0.0, 1.0, 2.0]));
    assert_eq!(cost_of_call, (0, 0));
    Ok(())
}

#[test]
fn the_first_output_that_fits_takes_the_first_storage_that_is_free() -> Result<()> {
    let x = ramp(&Cpu, [3])?;
    let pointer = x.as_slice()?.as_ptr();
    let ((half, less), cost_of_call) = cost(|| both_halves(x))?;
    assert_eq!(half.as_slice()?.as_ptr(), pointer);
    assert_eq!((half.read()?, less.read()?), (vec![0.0, 0.5, 1.0], vec![-1.0, 0.0, 1.0]));
    assert_eq!(cost_of_call, (1, 0));

    let (x, y) = (ramp(&Cpu, [3])?, Tensor::ones(&Cpu, [3])?);
    let pointer = y.as_slice()?.as_ptr();
    let (found, cost_of_call) = cost(|| difference(x.clone(), y))?;
    assert_eq!(found.as_slice()?.as_ptr(), pointer);
    assert_eq!((found.read()?, cost_of_call), (vec![-1.0, 0.0, 1.0], (0, 0)));
    // Both at once, in one storage: nobody may write it.
    let (found, cost_of_call) = cost(|| difference(x.clone(), x))?;
    assert_eq!((found.read()?, cost_of_call), (vec![0.0; 3], (1, 0)));
    Ok(())
}

fn an_edit_and_a_donation_go_together<D: Device>(device: &D) -> Result<()> {
    let mut y = Tensor::ones(device, [3])?;
    let x = ramp(device, [3])?;
    let (found, cost_of_call) = cost(|| edit_beside(&mut y, x))?;
    assert_eq!(cost_of_call, (0, 0));
    assert_eq!((y.read()?, found.read()?), (vec![1.0, 2.0, 3.0], vec![-1.0; 3]));
    Ok(())
}

fn what_a_gradient_needs_is_kept<D: Device>(device: &D) -> Result<()> {
    // The gradient of a square reads the donated value, that of an exponential the result.
    let x = Tensor::new(device, [1.0, 2.0, 3.0])?.requires_grad();
    let (y, cost_of_call) = cost(|| square(x))?;
    assert_eq!((y.read()?, cost_of_call.0), (vec![1.0, 4.0, 9.0], 1));
    let x = Tensor::new(device, [1.0, 2.0, 3.0])?;
    assert_eq!(cost(|| square(x))?.1, (0, 0));

    let leaf = Tensor::new(device, [1.0, 2.0, 3.0])?.requires_grad();
    let doubled = (2.0 * &leaf)?;
    let (y, cost_of_call) = cost(|| exponential(halve(doubled)?))?;
    assert_eq!(cost_of_call, (0, 0));
    let expected = [1.0_f32, 2.0, 3.0].map(f32::exp);
    let gradients = square(y)?.sum()?.backward()?;
    for (found, e) in gradients.get(&leaf).expect("`leaf` took part").read()?.into_iter().zip(expected) {
        // d/dx exp(x)^2
        assert!((found - 2.0 * e * e).abs() <= 1e-5 * e * e, "{found} for {e}");
    }
    Ok(())
}

fn large_arrays_are_divided_among_threads_and_right<D: Device>(device: &D) -> Result<()> {
    let size = 1 << 20;
    let x = ramp(device, [size])?;
    let (y, cost_of_call) = cost(|| halve(x))?;
    assert_eq!(cost_of_call, (0, 0));
    assert!(y.read()?.iter().enumerate().all(|(i, y)| *y == 0.5 * i as f32));
    Ok(())
}

fn no_elements_are_no_trouble<D: Device>(device: &D) -> Result<()> {
    assert_eq!(softmax(Tensor::zeros(device, [0, 3])?)?.shape().sizes().len(), 2);
    assert!(softmax(Tensor::zeros(device, [3, 0])?)?.is_empty());
    Ok(())
}

tests::on_each_device! {
    an_output_takes_a_storage_that_is_unique_and_dense,
    a_storage_that_others_hold_is_left_alone,
    an_output_of_another_size_or_element_is_fresh,
    rows_and_columns_are_finished_before_their_elements_are_replaced,
    what_reads_other_elements_gets_a_fresh_array,
    several_outputs_see_the_old_value,
    an_edit_and_a_donation_go_together,
    what_a_gradient_needs_is_kept,
    large_arrays_are_divided_among_threads_and_right,
    no_elements_are_no_trouble,
}
