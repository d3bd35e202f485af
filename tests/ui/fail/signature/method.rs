use tensor_rt::prelude::*;

tensor_fn! {
    fn f(&self, x: &Tensor[N]) -> Tensor[N] { x }
}

fn main() {}
