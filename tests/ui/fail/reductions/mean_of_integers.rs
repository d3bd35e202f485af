use tensor_rt::prelude::*;

tensor_fn! {
    fn f(i: &Tensor<i64>[N]) -> Tensor<f32>[] { mean[N](i) }
}

fn main() {}
