use tensor_rt::prelude::*;

tensor_fn! {
    fn f(x: &Tensor[N], bias: float) -> Tensor[N] { x + bais }
}

fn main() {}
