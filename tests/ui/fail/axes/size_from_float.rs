use tensor_rt::prelude::*;

tensor_fn! {
    fn f(x: &Tensor[N], a: float) -> Tensor[M = a] { sum[N](x) }
}

fn main() {}
