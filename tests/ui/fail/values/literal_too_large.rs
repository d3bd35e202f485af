use tensor_rt::prelude::*;

tensor_fn! {
    fn f(x: &Tensor[N]) -> Tensor[N] { x * 99999999999999999999 }
}

fn main() {}
