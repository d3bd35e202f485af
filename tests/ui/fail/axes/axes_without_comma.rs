use tensor_rt::prelude::*;

tensor_fn! {
    fn f(x: &Tensor[N M]) -> Tensor[N, M] { x }
}

fn main() {}
