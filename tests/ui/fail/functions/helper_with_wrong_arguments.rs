use tensor_rt::prelude::*;

tensor_fn! {
    fn square(v) { v * v }
    fn f(x: &Tensor[N]) -> Tensor[N] { square(x, x) }
}

fn main() {}
