use tensor_rt::prelude::*;

tensor_fn! {
    fn f(i: &Tensor<u8>[N]) -> Tensor<u8>[N] { i + 300 }
}

fn main() {}
