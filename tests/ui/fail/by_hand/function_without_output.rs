use tensor_rt::prelude::*;

tensor_fn! {
    #[cpu(copy)]
    fn f(x: &Tensor[N]) -> Tensor[N];
}

fn copy<T: Float>(_x: TensorView<'_, T>) -> Result<()> {
    Ok(())
}

fn main() {}
