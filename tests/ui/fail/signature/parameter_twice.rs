use tensor_rt::prelude::*;

tensor_fn! {
    fn f(x: &Tensor[N], x: float) -> Tensor[N] { x }
}

fn main() {}
