use tensor_rt::prelude::*;

tensor_fn! {
    fn f(y: &mut Tensor[N]) -> Tensor[N] { 2 * (y = 1.0) }
}

fn main() {}
