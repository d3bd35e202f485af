use tensor_rt::prelude::*;

tensor_fn! {
    #[cpu(copy)]
    fn f(x: &Tensor[N]) -> Tensor[N];
}

fn copy(x: TensorView<'_, f32>, mut y: TensorViewMut<'_, f32>) -> Result<()> {
    y.as_mut_slice().copy_from_slice(x.as_slice());
    Ok(())
}

fn main() {}
