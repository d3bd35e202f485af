use tensor_rt::prelude::*;

tensor_fn! {
    fn f(y: &atomic Tensor<i64>[B], i: &Tensor<i64>[N]) { y[i] += 1; }
}

fn main() {}
