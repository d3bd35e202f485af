use tensor_rt::prelude::*;

tensor_fn! {
    fn f(i: &Tensor<i64>[N]) -> Tensor[N] { 0.5 }
}

fn main() {}
