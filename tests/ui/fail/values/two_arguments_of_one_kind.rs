use tensor_rt::prelude::*;

tensor_fn! {
    fn f(x: &Tensor<f32, f64>[N]) -> Tensor<f32>[N] { x }
}

fn main() {}
