use tensor_rt::prelude::*;

tensor_fn! {
    fn f(x: &Tensor[N, 3.5]) -> Tensor[N] { x[N, 0] }
}

fn main() {}
