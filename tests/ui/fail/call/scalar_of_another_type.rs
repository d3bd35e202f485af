use tensor_rt::prelude::*;

tensor_fn! {
    fn scale(x: &Tensor[N], a: float) -> Tensor[N] { a * x }
}

fn call(x: &Tensor) -> Result<Tensor> {
    scale(x, 2)
}

fn main() {}
