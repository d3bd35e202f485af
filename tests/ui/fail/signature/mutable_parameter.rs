use tensor_rt::prelude::*;

tensor_fn! {
    fn f(mut x: &Tensor[N]) -> Tensor[N] { x }
}

fn main() {}
