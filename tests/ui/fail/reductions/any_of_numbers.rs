use tensor_rt::prelude::*;

tensor_fn! {
    fn f(x: &Tensor[N]) -> Tensor<bool>[] { any[N](x) }
}

fn main() {}
