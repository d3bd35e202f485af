use tensor_rt::prelude::*;

tensor_fn! {
    fn f(x: &Tensor[N]) -> Tensor[N] { select(x, 1, 0) }
}

fn main() {}
