use tensor_rt::prelude::*;

tensor_fn! {
    fn f(x: &Tensor[N], seed: u64) -> Tensor[N] { x + uniform(seed) }
}

fn main() {}
