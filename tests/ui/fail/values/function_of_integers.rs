use tensor_rt::prelude::*;

tensor_fn! {
    fn f(i: &Tensor<i64>[N]) -> Tensor<f32>[N] { exp(i) }
}

fn main() {}
