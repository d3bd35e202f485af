use tensor_rt::prelude::*;

tensor_fn! {
    fn f(x: &Tensor[N], i: &Tensor<i64>[N]) -> Tensor[N] { x + i }
}

fn main() {}
