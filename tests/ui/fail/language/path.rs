use tensor_rt::prelude::*;

tensor_fn! {
    fn f(x: &Tensor[N]) -> Tensor[N] { x * std::f64::consts::PI }
}

fn main() {}
