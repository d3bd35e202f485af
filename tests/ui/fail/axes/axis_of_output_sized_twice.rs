use tensor_rt::prelude::*;

tensor_fn! {
    fn f(x: &Tensor[N], n: usize) -> Tensor[N = n] { x }
}

fn main() {}
