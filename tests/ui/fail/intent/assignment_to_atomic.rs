use tensor_rt::prelude::*;

tensor_fn! {
    fn f(acc: &atomic Tensor<i64>[B], bin: &Tensor<i64>[N]) { acc[bin] = 1; }
}

fn main() {}
