use tensor_rt::prelude::*;

tensor_fn! {
    fn f(acc: &atomic Tensor[N], x: &Tensor[N]) { acc += x - acc; }
}

fn main() {}
