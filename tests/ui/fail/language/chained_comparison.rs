use tensor_rt::prelude::*;

tensor_fn! {
    fn f(x: &Tensor[N]) -> Tensor<bool>[N] { 0 < x < 1 }
}

fn main() {}
