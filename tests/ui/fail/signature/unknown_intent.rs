use tensor_rt::prelude::*;

tensor_fn! {
    fn f(x: &shared Tensor[N]) -> Tensor[N] { x }
}

fn main() {}
