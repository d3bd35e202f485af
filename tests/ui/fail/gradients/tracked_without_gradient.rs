use tensor_rt::prelude::*;

tensor_fn! {
    fn f(x: &Tensor<Grad>[N, C]) -> Tensor<i64>[N] { argmax[C](x) }
}

fn main() {}
