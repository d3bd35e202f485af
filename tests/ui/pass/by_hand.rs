//! The legal twins of `fail/by_hand`.

use tensor_rt::prelude::*;

tensor_fn! {
    #[cpu(scale)]
    #[cuda(file = "../fail/by_hand/scan.cu", entry = "scan", grid = (N + 255) / 256, block = 256)]
    fn missing_file(x: &Tensor<f32>[N], a: float) -> Tensor<f32>[N];

    #[cpu(scale)]
    #[cuda(file = "by_hand.cu", entry = "cumsum", grid = (N, 1), block = (16, 16), shared = 4 * N)]
    fn missing_entry(x: &Tensor<f32>[N], a: float) -> Tensor<f32>[N];

    #[cpu(copy)]
    #[cuda(file = "by_hand.cu", entry = "another_number", grid = 1, block = 256)]
    fn another_number_of_parameters(x: &Tensor<f32>[N]) -> Tensor<f32>[N];

    #[cpu(scale_by)]
    #[cuda(file = "by_hand.cu", entry = "another_order", grid = 1, block = 256)]
    fn another_order(a: float, x: &Tensor<f32>[N]) -> Tensor<f32>[N];

    #[cpu(scale)]
    #[cuda(file = "by_hand.cu", entry = "another_name", grid = 1, block = 256)]
    fn another_name(data: &Tensor<f32>[N], a: float) -> Tensor<f32>[N];

    #[cpu(edit)]
    #[cuda(file = "../fail/by_hand/scan.cu", entry = "edit", grid = 1, block = 256)]
    fn edit_of_const(y: &mut Tensor<f32>[N], x: &Tensor<f32>[N]);

    #[cpu(copy)]
    #[cuda(file = "by_hand.cu", entry = "read_of_mutable", grid = 1, block = 256)]
    fn read_of_mutable(x: &Tensor<f32>[N]) -> Tensor<f32>[N];

    #[cpu(scale)]
    #[cuda(file = "by_hand.cu", entry = "another_element", grid = 1, block = 256)]
    fn another_element(x: &Tensor<f64>[N], a: float) -> Tensor<f64>[N];

    #[cpu(scale)]
    #[cuda(file = "by_hand.cu", entry = "generic_element", grid = 1, block = 256)]
    fn generic_element(x: &Tensor[N], a: float) -> Tensor[N];

    fn body_and_function(x: &Tensor[N]) -> Tensor[N] { 2 * x }

    #[cpu(copy)]
    fn donated_tensor(x: &Tensor[N]) -> Tensor[N];

    #[cpu(copy)]
    #[backward(back)]
    fn gradient_of_an_edit(x: &Tensor[N]) -> Tensor[N];
}

fn tracked_without_backward(x: &Tensor<Cpu, Grad>) -> Result<Tensor> {
    donated_tensor(&x.detach())
}

fn copy<T: Float>(x: TensorView<'_, T>, mut y: TensorViewMut<'_, T>) -> Result<()> {
    y.as_mut_slice().copy_from_slice(x.as_slice());
    Ok(())
}

fn scale<T: Float>(x: TensorView<'_, T>, a: f64, mut y: TensorViewMut<'_, T>) -> Result<()> {
    let a: T::Compute = tensor_rt::element::Compute::from_f64(a);
    for (x, y) in x.as_slice().iter().zip(y.as_mut_slice()) {
        *y = T::narrow(a * x.widen());
    }
    Ok(())
}

fn scale_by<T: Float>(a: f64, x: TensorView<'_, T>, y: TensorViewMut<'_, T>) -> Result<()> {
    scale(x, a, y)
}

fn edit(mut y: TensorViewMut<'_, f32>, x: TensorView<'_, f32>) -> Result<()> {
    for (x, y) in x.as_slice().iter().zip(y.as_mut_slice()) {
        *y += x;
    }
    Ok(())
}

fn back<D: Device, T: Float>(
    _x: &Tensor<D, NoGrad, T>,
    _y: &Tensor<D, NoGrad, T>,
    g: &Tensor<D, NoGrad, T>,
) -> Result<Tensor<D, NoGrad, T>> {
    Ok(g.clone())
}

pub fn main() -> Result<()> {
    let x = Tensor::new(&Cpu, [1.0, 2.0])?;
    assert_eq!(missing_file(&x, 3.0)?.to_vec()?, [3.0, 6.0]);
    assert_eq!(missing_entry(&x, 3.0)?.to_vec()?, [3.0, 6.0]);
    assert_eq!(another_number_of_parameters(&x)?.to_vec()?, [1.0, 2.0]);
    assert_eq!(another_order(3.0, &x)?.to_vec()?, [3.0, 6.0]);
    assert_eq!(another_name(&x, 3.0)?.to_vec()?, [3.0, 6.0]);
    assert_eq!(read_of_mutable(&x)?.to_vec()?, [1.0, 2.0]);
    assert_eq!(another_element(&x.cast::<f64>()?, 3.0)?.to_vec()?, [3.0, 6.0]);
    assert_eq!(generic_element(&x.cast::<f64>()?, 3.0)?.to_vec()?, [3.0, 6.0]);
    assert_eq!(body_and_function(&x)?.to_vec()?, [2.0, 4.0]);
    let mut y = x.clone();
    edit_of_const(&mut y, &x)?;
    assert_eq!(y.to_vec()?, [2.0, 4.0]);
    let tracked = x.requires_grad();
    assert_eq!(tracked_without_backward(&tracked)?.to_vec()?, [1.0, 2.0]);
    let gradients = gradient_of_an_edit(&tracked)?.sum()?.backward()?;
    assert_eq!(gradients.get(&tracked).expect("it took part").to_vec()?, [1.0, 1.0]);
    Ok(())
}
