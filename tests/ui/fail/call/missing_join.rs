use tensor_rt::prelude::*;

tensor_fn! {
    fn mul(x: &Tensor[N], y: &Tensor[N]) -> Tensor[N] { x * y }
}

fn call<G: GradMode, H: GradMode>(x: &Tensor<Cpu, G>, y: &Tensor<Cpu, H>) -> Result<()> {
    mul(x, y)?;
    Ok(())
}

fn main() {}
