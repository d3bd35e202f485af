use tensor_rt::prelude::*;

tensor_fn! {
    fn f(x: &Tensor[.., K]) -> Tensor[K] { x[0, K] }
}

fn main() {}
