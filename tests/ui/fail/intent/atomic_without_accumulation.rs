use tensor_rt::prelude::*;

tensor_fn! {
    fn f(acc: &atomic Tensor[N], x: &Tensor[N]) -> Tensor[N] { 2 * x }
}

fn main() {}
