use tensor_rt::prelude::*;

tensor_fn! {
    fn double(x: Tensor[..]) -> Tensor[..] { 2 * x }
}

fn call(x: &Tensor) -> Result<Tensor> {
    double(x)
}

fn main() {}
