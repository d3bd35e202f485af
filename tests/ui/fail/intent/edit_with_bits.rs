use tensor_rt::prelude::*;

tensor_fn! {
    fn f(y: &mut Tensor<i64>[N]) { y &= 1; }
}

fn main() {}
