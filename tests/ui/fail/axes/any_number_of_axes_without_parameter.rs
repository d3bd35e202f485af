use tensor_rt::prelude::*;

tensor_fn! {
    fn f(x: &Tensor[N]) -> Tensor[..] { sum[N](x) }
}

fn main() {}
