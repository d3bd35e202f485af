use tensor_rt::prelude::*;

tensor_fn! {
    fn f(x: &Tensor[N]) -> Tensor[N] { 1 / 2 * x }
}

fn main() {}
