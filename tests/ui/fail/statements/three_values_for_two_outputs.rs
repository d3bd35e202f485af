use tensor_rt::prelude::*;

tensor_fn! {
    fn f(x: &Tensor[N]) -> (Tensor[N], Tensor[N]) { (x, x, x) }
}

fn main() {}
