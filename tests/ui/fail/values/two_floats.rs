use tensor_rt::prelude::*;

tensor_fn! {
    fn f(x: &Tensor<f32>[N], y: &Tensor<f64>[N]) -> Tensor<f64>[N] { x * y }
}

fn main() {}
