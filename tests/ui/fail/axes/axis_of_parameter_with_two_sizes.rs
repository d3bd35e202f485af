use tensor_rt::prelude::*;

tensor_fn! {
    fn f(x: &Tensor[N, M = N], y: &Tensor[M = 3]) -> Tensor[N] { sum[M](x * y) }
}

fn main() {}
