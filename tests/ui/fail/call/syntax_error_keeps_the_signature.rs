use tensor_rt::prelude::*;

tensor_fn! {
    fn double(x: &Tensor[N]) -> Tensor[N] { 2 * }
}

fn call(x: &Tensor<Cpu, Grad>) -> Result<Tensor<Cpu, Grad>> {
    double(x)
}

fn main() {}
