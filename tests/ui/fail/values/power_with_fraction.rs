use tensor_rt::prelude::*;

tensor_fn! {
    fn f(x: &Tensor[N]) -> Tensor[N] { powi(x, 0.5) }
}

fn main() {}
