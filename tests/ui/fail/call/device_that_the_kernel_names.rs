use tensor_rt::prelude::*;

tensor_fn! {
    fn double(x: &Tensor<Cpu>[N]) -> Tensor[N] { 2 * x }
}

fn call(x: &Tensor<Cuda>) -> Result<Tensor> {
    double(x)
}

fn main() {}
