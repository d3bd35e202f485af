use tensor_rt::prelude::*;

tensor_fn! {
    fn f<T: Float, U: Float>(x: &Tensor<T>[N], y: &Tensor<U>[N]) -> Tensor<T>[N] { x }
}

fn main() {}
