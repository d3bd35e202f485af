use tensor_rt::prelude::*;

tensor_fn! {
    #[cpu(copy)]
    #[backward(back)]
    fn f(x: &Tensor[N]) -> Tensor[N];
}

fn copy<T: Float>(x: TensorView<'_, T>, mut y: TensorViewMut<'_, T>) -> Result<()> {
    y.as_mut_slice().copy_from_slice(x.as_slice());
    Ok(())
}

fn back<D: Device, T: Float>(x: &Tensor<D, NoGrad, T>, y: &Tensor<D, NoGrad, T>) -> Result<Tensor<D, NoGrad, T>> {
    x * y
}

fn main() {}
