use tensor_rt::prelude::*;

tensor_fn! {
    fn f(x: &Tensor) -> Tensor[] { x }
}

fn main() {}
