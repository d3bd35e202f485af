//! The legal twins of `fail/call`: how kernels are called.

use tensor_rt::prelude::*;

tensor_fn! {
    fn add(x: &Tensor[N], y: &Tensor[N]) -> Tensor[N] { x + y }

    fn double(x: &Tensor[N]) -> Tensor[N] { 2 * x }

    fn double_in_its_storage(x: Tensor[..]) -> Tensor[..] { 2 * x }

    fn double_on_cpu(x: &Tensor<Cpu>[N]) -> Tensor[N] { 2 * x }

    fn double_in_place(y: &mut Tensor[N]) { y *= 2; }

    fn scale(x: &Tensor[N], a: float) -> Tensor[N] { a * x }

    fn count(y: &mut Tensor<i64>[N]) { y += 1; }

    fn pick(x: &Tensor[V], i: &Tensor<i64>[N]) -> Tensor[N] { x[i] }

    #[no_grad]
    fn negative(x: &Tensor[N]) -> Tensor[N] { -x }

    fn best(x: &Tensor[N, C]) -> Tensor<i64>[N] { argmax[C](x) }

    fn keep(x: &Tensor[N], y: &Tensor[N]) -> Tensor[N] {
        if y > 0 { x } else { 0.0 }
    }
}

fn tensor_after_it_was_donated(x: Tensor) -> Result<Tensor> {
    double_in_its_storage(x.clone())? + x
}

fn reference_in_place_of_donated(x: &Tensor) -> Result<Tensor> {
    double_in_its_storage(x.clone())
}

fn device_that_the_kernel_names(x: &Tensor<Cuda>) -> Result<Tensor> {
    double_on_cpu(&x.to(&Cpu)?)
}

fn integers_for_floats(i: &Tensor<Cpu, NoGrad, i64>) -> Result<Tensor> {
    double(&i.cast::<f32>()?)
}

fn floats_for_integers(x: &Tensor, i: &Tensor) -> Result<Tensor> {
    pick(x, &i.to_element()?)
}

fn edit_of_another_element(y: &mut Tensor<Cpu, NoGrad, i64>) -> Result<()> {
    count(y)
}

fn edit_of_a_view(y: &mut Tensor) -> Result<()> {
    double_in_place(&mut y.view_mut()?.narrow(0, 0, 1)?)
}

fn edit_of_a_parameter(y: &mut Param) -> Result<()> {
    double_in_place(y.value_mut())
}

fn tracked_to_no_grad(x: &Tensor<Cpu, Grad>) -> Result<Tensor> {
    negative(&x.detach())
}

fn tracked_without_gradient(x: &Tensor<Cpu, Grad>) -> Result<Tensor<Cpu, NoGrad, i64>> {
    best(&x.detach())
}

fn tracked_to_blocked_parameter(x: &Tensor<Cpu, Grad>, y: &Tensor<Cpu, Grad>) -> Result<Tensor<Cpu, Grad>> {
    keep(x, &y.detach())
}

fn missing_bound<D: Device, T: Float>(x: &Tensor<D, NoGrad, T>) -> Result<Tensor<D, NoGrad, T>> {
    double(x)
}

fn missing_join<G: GradMode + Join<H>, H: GradMode>(x: &Tensor<Cpu, G>, y: &Tensor<Cpu, H>) -> Result<()> {
    add(x, y)?;
    Ok(())
}

fn one_mode<D: Device, G: GradMode, T: Float>(
    x: &Tensor<D, G, T>,
    y: &Tensor<D, NoGrad, T>,
) -> Result<Tensor<D, G, T>> {
    add(&add(x, x)?, y)
}

fn unused_result(x: &Tensor) {
    let _ = double(x);
}

fn scalar_of_another_type(x: &Tensor, n: i32) -> Result<Tensor> {
    scale(x, n.into())
}

pub fn main() -> Result<()> {
    let _ = (device_that_the_kernel_names, missing_join::<Grad, NoGrad>);
    let mut x = Tensor::new(&Cpu, [-1.0, 2.0])?;
    let tracked = x.clone().requires_grad();
    assert_eq!(integers_for_floats(&x.to_element()?)?.to_vec()?, [-2.0, 4.0]);
    assert_eq!(floats_for_integers(&x, &Tensor::ones(&Cpu, [1])?)?.to_vec()?, [2.0]);
    let mut counts = Tensor::zeros_of(&Cpu, [1])?;
    edit_of_another_element(&mut counts)?;
    assert_eq!(counts.to_vec()?, [1]);
    edit_of_a_view(&mut x)?;
    assert_eq!(x.to_vec()?, [-2.0, 2.0]);
    let mut param = Param::new(x.clone());
    edit_of_a_parameter(&mut param)?;
    assert_eq!(param.value().to_vec()?, [-4.0, 4.0]);
    assert_eq!(tracked_to_no_grad(&tracked)?.to_vec()?, [1.0, -2.0]);
    assert_eq!(tracked_without_gradient(&Tensor::new(&Cpu, [[1.0, 3.0]])?.requires_grad())?.to_vec()?, [1]);
    assert_eq!(tracked_to_blocked_parameter(&tracked, &tracked)?.to_vec()?, [0.0, 2.0]);
    assert_eq!(missing_bound(&x)?.to_vec()?, [-4.0, 4.0]);
    assert_eq!(one_mode(&tracked, &x)?.to_vec()?, [-4.0, 6.0]);
    unused_result(&x);
    assert_eq!(tensor_after_it_was_donated(x.clone())?.to_vec()?, [-6.0, 6.0]);
    assert_eq!(reference_in_place_of_donated(&x)?.to_vec()?, [-4.0, 4.0]);
    assert_eq!(scalar_of_another_type(&x, 3)?.to_vec()?, [-6.0, 6.0]);
    Ok(())
}
