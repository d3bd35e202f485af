use tensor_rt::prelude::*;

tensor_fn! {
    fn f(x: &Tensor[N, K]) -> Tensor[N] { sum(x) }
}

fn main() {}
