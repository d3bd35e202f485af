use tensor_rt::prelude::*;

tensor_fn! {
    fn scaled(v) { a * v }
    fn f(x: &Tensor[N], a: float) -> Tensor[N] { scaled(x) }
}

fn main() {}
