use tensor_rt::prelude::*;

tensor_fn! {
    fn f(x: &Tensor[N]) -> Result<Tensor> { x }
}

fn main() {}
