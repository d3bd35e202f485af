use tensor_rt::prelude::*;

tensor_fn! {
    fn f(x: &'static Tensor[N]) -> Tensor[N] { x }
}

fn main() {}
