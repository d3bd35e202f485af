use tensor_rt::prelude::*;

tensor_fn! {
    fn f(x: &Tensor[N]) -> Tensor[M = x] { 0.0 }
}

fn main() {}
