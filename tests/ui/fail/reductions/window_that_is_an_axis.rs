use tensor_rt::prelude::*;

tensor_fn! {
    fn f(x: &Tensor[N, K]) -> Tensor[N] { max[K = 3](x) }
}

fn main() {}
