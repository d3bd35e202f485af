use tensor_rt::prelude::*;

tensor_fn! {
    fn f(b: &Tensor<bool>[N]) -> Tensor<bool>[N] { b + b }
}

fn main() {}
