use tensor_rt::prelude::*;

tensor_fn! {
    fn f(x: &Tensor[N]) -> Tensor<bool>[N] { x as bool }
}

fn main() {}
