use tensor_rt::prelude::*;

tensor_fn! {
    fn f(i: &Tensor<i64>[N]) -> Tensor<i64>[N] { i + 3u64 }
}

fn main() {}
