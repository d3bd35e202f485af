use tensor_rt::prelude::*;

tensor_fn! {
    fn f(y: &mut Tensor<i64>[N]) { y = 0.5; }
}

fn main() {}
