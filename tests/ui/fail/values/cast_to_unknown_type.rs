use tensor_rt::prelude::*;

tensor_fn! {
    fn f(x: &Tensor[N]) -> Tensor<i64>[N] { x as usize }
}

fn main() {}
