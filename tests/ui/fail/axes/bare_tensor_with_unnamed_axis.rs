use tensor_rt::prelude::*;

tensor_fn! {
    fn f(x: &Tensor[N, 3]) -> Tensor[N] { x }
}

fn main() {}
