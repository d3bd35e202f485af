use tensor_rt::prelude::*;

tensor_fn! {
    async fn f(x: &Tensor[N]) -> Tensor[N] { x }
}

fn main() {}
