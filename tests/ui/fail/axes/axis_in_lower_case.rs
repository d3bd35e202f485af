use tensor_rt::prelude::*;

tensor_fn! {
    fn f(x: &Tensor[n]) -> Tensor[] { 0.0 }
}

fn main() {}
