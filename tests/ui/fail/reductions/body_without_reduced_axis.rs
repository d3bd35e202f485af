use tensor_rt::prelude::*;

tensor_fn! {
    fn f(x: &Tensor[N], a: float) -> Tensor[N] { x * sum[N](a) }
}

fn main() {}
