use tensor_rt::prelude::*;

tensor_fn! {
    fn f(i: &Tensor<i64>[N]) -> Tensor<i64>[N] { i / 0 }
}

fn main() {}
