use tensor_rt::prelude::*;

tensor_fn! {
    fn f(y: &Tensor[N], x: &Tensor[N]) { y += x; }
}

fn main() {}
