//! Kernels without a body: functions of the user behind the typed wrapper, with sizes checked, outputs made and gradients
//! wired.

use tensor_rt::accounting::measure;
use tensor_rt::element::Compute;
use tensor_rt::prelude::*;
use tensor_rt::{DeviceId, ErrorKind, gradcheck};
use tests::device::Read;

tensor_fn! {
    /// Running sums along the last axis.
    #[cpu(sum_along)]
    #[cuda(file = "handwritten/cumsum.cu", entry = "cumsum", grid = (size(..) + 255) / 256, block = 256)]
    #[backward(sum_back)]
    pub fn cumsum(x: &Tensor[.., C]) -> Tensor[.., C];

    /// The same by a select over two axes.
    fn cumsum_by_select(x: &Tensor[N, C]) -> Tensor[N, S = C] { sum[C](if C <= S { x } else { 0.0 }) }

    /// Linear recurrence: `y[t] = a * y[t - 1] + x[t]`, and the last value of each row.
    #[cpu(decay)]
    #[backward(decay_back)]
    fn decayed(x: &Tensor<Cpu>[N, T], a: float) -> (Tensor[N, T], Tensor[N]);

    /// `x[i] + y[i]`, written by hand for two inputs.
    #[cpu(add_all)]
    #[backward(add_back)]
    fn add(x: &Tensor[N], y: &Tensor[N]) -> Tensor[N];

    /// Sorts each row, in place.
    #[cpu(sort_rows)]
    fn sort(x: &mut Tensor[N, C]);

    /// The distinct values of a row of integers, padded with the last one; how many there are.
    #[cpu(distinct_of)]
    fn distinct(x: &Tensor<i64>[N]) -> (Tensor<i64>[N], Tensor<i64>[]);

    /// Every element `count` times.
    #[cpu(repeat_each)]
    #[no_grad]
    fn repeat(x: &Tensor<f32>[N], count: usize) -> Tensor<f32>[M = N * count];

    /// Its backward function gives a gradient of another shape.
    #[cpu(take_first)]
    #[backward(gradient_of_another_shape)]
    fn first(x: &Tensor[N]) -> Tensor[];

    /// Fails on the CPU.
    #[cpu(fail)]
    fn failing(x: &Tensor<f32>[N]) -> Tensor<f32>[N];
}

fn sum_along<T: Float>(x: TensorView<'_, T>, mut y: TensorViewMut<'_, T>) -> Result<()> {
    let size = x.shape()[x.shape().len() - 1];
    for (x, y) in x.as_slice().chunks(size).zip(y.as_mut_slice().chunks_mut(size)) {
        let mut total = T::Compute::from_f64(0.0);
        for (x, y) in x.iter().zip(y) {
            total += x.widen();
            *y = T::narrow(total);
        }
    }
    Ok(())
}

/// Running sums from the end: `dx[c]` is the sum of `dy[c..]`.
fn sum_back<D: Device, T: Float>(
    _x: &Tensor<D, NoGrad, T>,
    _y: &Tensor<D, NoGrad, T>,
    dy: &Tensor<D, NoGrad, T>,
) -> Result<Tensor<D, NoGrad, T>> {
    cumsum(&dy.flip(-1)?)?.flip(-1)
}

fn decay<T: Float>(
    x: TensorView<'_, T>,
    a: f64,
    mut y: TensorViewMut<'_, T>,
    mut last: TensorViewMut<'_, T>,
) -> Result<()> {
    let size = x.shape()[1];
    let a = T::Compute::from_f64(a);
    for ((x, y), last) in x.as_slice().chunks(size).zip(y.as_mut_slice().chunks_mut(size)).zip(last.as_mut_slice()) {
        let mut state = T::Compute::from_f64(0.0);
        for (x, y) in x.iter().zip(y) {
            state = a * state + x.widen();
            *y = T::narrow(state);
        }
        *last = T::narrow(state);
    }
    Ok(())
}

fn decay_back<T: Float>(
    x: &Tensor<Cpu, NoGrad, T>,
    a: f64,
    _y: &Tensor<Cpu, NoGrad, T>,
    _last: &Tensor<Cpu, NoGrad, T>,
    dy: &Tensor<Cpu, NoGrad, T>,
    dlast: &Tensor<Cpu, NoGrad, T>,
) -> Result<Tensor<Cpu, NoGrad, T>> {
    let size = x.shape()[1];
    let (dy, dlast) = (dy.to_vec()?, dlast.to_vec()?);
    let mut dx = vec![T::default(); x.len()];
    for (row, dlast) in dlast.iter().enumerate() {
        let mut state = dlast.widen();
        for t in (row * size..(row + 1) * size).rev() {
            state += dy[t].widen();
            dx[t] = T::narrow(state);
            state = T::Compute::from_f64(a) * state;
        }
    }
    Tensor::from_vec(&Cpu, dx, x.shape())
}

fn add_all<T: Float>(x: TensorView<'_, T>, y: TensorView<'_, T>, mut sum: TensorViewMut<'_, T>) -> Result<()> {
    for (sum, (x, y)) in sum.as_mut_slice().iter_mut().zip(x.as_slice().iter().zip(y.as_slice())) {
        *sum = T::narrow(x.widen() + y.widen());
    }
    Ok(())
}

/// The gradients of `x` and of `y`.
type Pair<D, T> = (Tensor<D, NoGrad, T>, Tensor<D, NoGrad, T>);

fn add_back<D: Device, T: Float>(
    _x: &Tensor<D, NoGrad, T>,
    _y: &Tensor<D, NoGrad, T>,
    _sum: &Tensor<D, NoGrad, T>,
    g: &Tensor<D, NoGrad, T>,
) -> Result<Pair<D, T>> {
    Ok((g.clone(), g.clone()))
}

fn sort_rows<T: Float>(mut x: TensorViewMut<'_, T>) -> Result<()> {
    let size = x.shape()[1];
    for row in x.as_mut_slice().chunks_mut(size) {
        row.sort_by(|a, b| a.partial_cmp(b).expect("no NaN"));
    }
    Ok(())
}

fn distinct_of(
    x: TensorView<'_, i64>,
    mut values: TensorViewMut<'_, i64>,
    mut count: TensorViewMut<'_, i64>,
) -> Result<()> {
    let mut found = x.as_slice().to_vec();
    found.sort_unstable();
    found.dedup();
    count.as_mut_slice()[0] = found.len() as i64;
    found.resize(values.len(), found.last().copied().unwrap_or(0));
    values.as_mut_slice().copy_from_slice(&found);
    Ok(())
}

fn repeat_each(x: TensorView<'_, f32>, count: usize, mut y: TensorViewMut<'_, f32>) -> Result<()> {
    for (x, y) in x.as_slice().iter().zip(y.as_mut_slice().chunks_mut(count)) {
        y.fill(*x);
    }
    Ok(())
}

fn take_first<T: Float>(x: TensorView<'_, T>, mut y: TensorViewMut<'_, T>) -> Result<()> {
    y.as_mut_slice()[0] = x.as_slice()[0];
    Ok(())
}

fn gradient_of_another_shape<D: Device, T: Float>(
    _x: &Tensor<D, NoGrad, T>,
    _y: &Tensor<D, NoGrad, T>,
    g: &Tensor<D, NoGrad, T>,
) -> Result<Tensor<D, NoGrad, T>> {
    Ok(g.clone())
}

fn fail(x: TensorView<'_, f32>, _y: TensorViewMut<'_, f32>) -> Result<()> {
    Tensor::from_vec(&Cpu, x.as_slice().to_vec(), [x.len() + 1]).map(drop)
}

fn a_scan_in_one_pass_agrees_with_the_select_over_two_axes<D: Device>(device: &D) -> Result<()> {
    fn check<D: Device, T: Float>(device: &D, tolerance: f64) -> Result<()> {
        let x = Tensor::randn_of::<T>(device, [5, 40], 1)?;
        for x in [x.clone(), x.reshape([40, 5])?.transpose(0, 1)?] {
            let (found, expected) = (cumsum(&x)?.read()?, cumsum_by_select(&x)?.read()?);
            for (found, expected) in found.into_iter().zip(expected) {
                let (found, expected) = (found.widen().to_f64(), expected.widen().to_f64());
                assert!((found - expected).abs() <= tolerance * (1.0 + expected.abs()), "{found} {expected}");
            }
        }
        Ok(())
    }
    // Forty additions, each of half a unit in the last place; halves are summed in `f32` and rounded once.
    check::<D, f64>(device, 1e-14)?;
    check::<D, f32>(device, 1e-5)?;
    // On CUDA they are summed as they are: forty roundings.
    let roundings = if D::ID == DeviceId::Cpu { 1.0 } else { 40.0 };
    check::<D, f16>(device, roundings * 1e-3)?;
    check::<D, bf16>(device, roundings * 8e-3)?;
    assert_eq!(cumsum(&Tensor::new(device, [1.0, 2.0, 3.0])?)?.read()?, [1.0, 3.0, 6.0]);
    Ok(())
}

fn a_backward_function_is_the_gradient<D: Device>(device: &D) -> Result<()> {
    // g = [1, 10, 100]
    let x = Tensor::new(device, [1.0, 2.0, 3.0])?.requires_grad();
    let weighed = (&cumsum(&x)? * &Tensor::new(device, [1.0, 10.0, 100.0])?)?;
    let gradients = weighed.sum()?.backward()?;
    assert_eq!(gradients.get(&x).expect("`x` took part").read()?, [111.0, 110.0, 100.0]);

    let x = Tensor::randn_of::<f64>(device, [3, 4], 2)?;
    let y = Tensor::randn_of::<f64>(device, [3, 4], 3)?;
    gradcheck(|inputs| (&cumsum(&inputs[0])? * &inputs[1])?.sum(), &[x, y])
}

#[test]
fn each_of_several_outputs_may_have_a_cotangent() -> Result<()> {
    let x = Tensor::randn_of::<f64>(&Cpu, [3, 4], 2)?;
    // Both outputs, then either alone: the cotangent of the other is zero.
    let both = |x: &Tensor<Cpu, Grad, f64>| -> Result<_> {
        let (all, last) = decayed(x, 0.5)?;
        &all.mul_self()?.sum()? + &last.mul_self()?.sum()?
    };
    gradcheck(|inputs| both(&inputs[0]), std::slice::from_ref(&x))?;
    gradcheck(|inputs| decayed(&inputs[0], 0.5)?.0.mul_self()?.sum(), std::slice::from_ref(&x))?;
    gradcheck(|inputs| decayed(&inputs[0], 0.5)?.1.mul_self()?.sum(), std::slice::from_ref(&x))
}

/// The square, whose gradient tells elements apart.
trait MulSelf: Sized {
    fn mul_self(&self) -> Result<Self>;
}

impl<T: Float> MulSelf for Tensor<Cpu, Grad, T> {
    fn mul_self(&self) -> Result<Self> {
        self * self
    }
}

#[test]
fn each_of_several_inputs_has_its_gradient() -> Result<()> {
    let x = Tensor::new(&Cpu, [1.0, 2.0])?.requires_grad();
    let y = Tensor::new(&Cpu, [10.0, 20.0])?.requires_grad();
    let gradients = add(&x, &y)?.mul_self()?.sum()?.backward()?;
    for input in [&x, &y] {
        assert_eq!(gradients.get(input).expect("both took part").to_vec()?, [22.0, 44.0]);
    }
    // One tracked, one not; and one tensor twice.
    let gradients = add(&x, &y.detach())?.sum()?.backward()?;
    assert_eq!(gradients.get(&x).expect("`x` took part").to_vec()?, [1.0, 1.0]);
    assert!(gradients.get(&y).is_none());
    let gradients = add(&x, &x)?.sum()?.backward()?;
    assert_eq!(gradients.get(&x).expect("`x` took part").to_vec()?, [2.0, 2.0]);
    Ok(())
}

#[test]
fn an_edited_tensor_is_unique_and_dense() -> Result<()> {
    let mut x = Tensor::new(&Cpu, [[3.0, 1.0, 2.0], [9.0, 8.0, 7.0]])?;
    let before = x.clone();
    sort(&mut x)?;
    assert_eq!(x.to_vec()?, [1.0, 2.0, 3.0, 7.0, 8.0, 9.0]);
    assert_eq!(before.to_vec()?, [3.0, 1.0, 2.0, 9.0, 8.0, 7.0]);
    let (_, report) = measure(|| sort(&mut x));
    assert_eq!((report.total().copies, report.total().launches), (0, 1));
    // A strided place is copied, and copied back.
    let mut columns = Tensor::new(&Cpu, [[3.0, 1.0], [2.0, 4.0], [1.0, 9.0]])?;
    sort(&mut columns.view_mut()?.transpose(0, 1)?)?;
    assert_eq!(columns.to_vec()?, [1.0, 1.0, 2.0, 4.0, 3.0, 9.0]);
    Ok(())
}

fn strided_inputs_are_copied_and_counted<D: Device>(device: &D) -> Result<()> {
    let x = Tensor::arange(device, 0.0, 6.0, 1.0)?.reshape([2, 3])?;
    let (_, report) = measure(|| cumsum(&x));
    let counters = report.total();
    assert_eq!((counters.copies, counters.allocations, counters.launches), (0, 1, 1));
    let (y, report) = measure(|| cumsum(&x.transpose(0, 1)?));
    assert_eq!((report.total().copies, report.total().copied_bytes), (1, 24));
    assert_eq!(y?.read()?, [0.0, 3.0, 1.0, 5.0, 2.0, 7.0]);
    Ok(())
}

#[test]
fn elements_scalars_and_computed_sizes_are_those_of_the_signature() -> Result<()> {
    let (values, count) = distinct(&Tensor::from_vec(&Cpu, vec![3_i64, 1, 3, 1], [4])?)?;
    assert_eq!((values.to_vec()?, count.item()?), (vec![1, 3, 3, 3], 2));
    let x = Tensor::new(&Cpu, [1.0, 2.0])?;
    assert_eq!(repeat(&x, 3)?.to_vec()?, [1.0, 1.0, 1.0, 2.0, 2.0, 2.0]);
    assert!(repeat(&x, 0)?.is_empty());
    Ok(())
}

#[test]
fn mismatches_are_errors_before_the_function_runs() -> Result<()> {
    let error = add(&Tensor::ones(&Cpu, [2])?, &Tensor::ones(&Cpu, [3])?).expect_err("sizes differ");
    assert!(error.to_string().starts_with("add: axis `N` is 2 in `x` and 3 in `y`"), "{error}");
    let error = sort(&mut Tensor::ones(&Cpu, [2])?).expect_err("one axis is missing");
    assert_eq!(error.kind(), ErrorKind::RankMismatch);
    let error = failing(&Tensor::ones(&Cpu, [2])?).expect_err("the function fails");
    assert_eq!(error.kind(), ErrorKind::DataLength);
    let x = Tensor::new(&Cpu, [1.0, 2.0])?.requires_grad();
    let error = first(&x)?.backward().map(drop).expect_err("the gradient has no axis");
    assert!(error.to_string().starts_with("first: shapes [2] and [] differ"), "{error}");
    Ok(())
}

#[test]
fn no_elements_call_nothing() -> Result<()> {
    // Rows of no elements would have no last size to divide by.
    let (y, report) = measure(|| cumsum(&Tensor::zeros(&Cpu, [3, 0])?));
    assert_eq!((y?.shape().sizes(), report.total().launches), (Box::from([3, 0]), 0));
    assert!(failing(&Tensor::zeros(&Cpu, [0])?)?.is_empty());
    Ok(())
}

#[test]
fn the_source_names_the_functions() {
    let source = cumsum::source().to_string();
    for line in
        ["cumsum is written by hand", "cpu: sum_along", "cuda: cumsum in handwritten/cumsum.cu", "backward: sum_back"]
    {
        assert!(source.contains(line), "{line} is not in\n{source}");
    }
    assert!(source.contains("pub fn cumsum<D: ::tensor_rt::Device"), "{source}");
}

tests::on_each_device! {
    a_scan_in_one_pass_agrees_with_the_select_over_two_axes,
    a_backward_function_is_the_gradient,
    strided_inputs_are_copied_and_counted,
}
