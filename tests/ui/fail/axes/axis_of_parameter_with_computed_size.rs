use tensor_rt::prelude::*;

tensor_fn! {
    fn f(x: &Tensor[N, M = N + 1]) -> Tensor[N] { sum[M](x) }
}

fn main() {}
