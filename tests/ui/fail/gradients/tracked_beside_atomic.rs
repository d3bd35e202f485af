use tensor_rt::prelude::*;

tensor_fn! {
    fn f(acc: &atomic Tensor[N], x: &Tensor<Grad>[N]) { acc += x; }
}

fn main() {}
