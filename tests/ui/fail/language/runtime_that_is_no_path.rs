use tensor_rt::prelude::*;

tensor_fn! {
    crate = 1;
    fn f(x: &Tensor[N]) -> Tensor[N] { x }
}

fn main() {}
