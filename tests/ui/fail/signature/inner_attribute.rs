use tensor_rt::prelude::*;

tensor_fn! {
    #![allow(dead_code)]
    fn f(x: &Tensor[N]) -> Tensor[N] { x }
}

fn main() {}
