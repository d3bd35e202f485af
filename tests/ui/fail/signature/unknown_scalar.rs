use tensor_rt::prelude::*;

tensor_fn! {
    fn f(x: &Tensor[N], n: i32) -> Tensor[N] { x }
}

fn main() {}
