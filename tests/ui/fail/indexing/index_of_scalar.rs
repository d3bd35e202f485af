use tensor_rt::prelude::*;

tensor_fn! {
    fn f(x: &Tensor[N], a: float) -> Tensor[N] { x * a[0] }
}

fn main() {}
