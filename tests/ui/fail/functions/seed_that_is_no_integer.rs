use tensor_rt::prelude::*;

tensor_fn! {
    fn f(x: &Tensor[N], seed: float) -> Tensor[N] { x + normal(seed) }
}

fn main() {}
