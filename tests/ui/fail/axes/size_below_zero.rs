use tensor_rt::prelude::*;

tensor_fn! {
    fn f(x: &Tensor[N]) -> Tensor[M = 1 - 2] { sum[N](x) }
}

fn main() {}
