use tensor_rt::prelude::*;

tensor_fn! {
    fn f<T>(x: &Tensor<T>[N]) -> Tensor<T>[N] { 2 * x }
}

fn main() {}
