use tensor_rt::prelude::*;

tensor_fn! {
    fn f(x: &Tensor[N]<f32>) -> Tensor[N] { x }
}

fn main() {}
