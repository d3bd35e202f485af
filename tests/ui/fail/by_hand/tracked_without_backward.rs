use tensor_rt::prelude::*;

tensor_fn! {
    #[cpu(copy)]
    fn f(x: &Tensor[N]) -> Tensor[N];
}

fn copy<T: Float>(x: TensorView<'_, T>, mut y: TensorViewMut<'_, T>) -> Result<()> {
    y.as_mut_slice().copy_from_slice(x.as_slice());
    Ok(())
}

fn call(x: &Tensor<Cpu, Grad>) -> Result<Tensor> {
    f(x)
}

fn main() {}
