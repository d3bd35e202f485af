use tensor_rt::prelude::*;

tensor_fn! {
    fn f(x: &Tensor[M = M]) -> Tensor[M] { x }
}

fn main() {}
