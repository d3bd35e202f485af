use tensor_rt::prelude::*;

tensor_fn! {
    fn f(x: &Tensor[N, N]) -> Tensor[N] { x }
}

fn main() {}
