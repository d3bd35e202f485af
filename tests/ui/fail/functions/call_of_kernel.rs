use tensor_rt::prelude::*;

tensor_fn! {
    fn f(x: &Tensor[N]) -> Tensor[N] { x }
    fn g(x: &Tensor[N]) -> Tensor[N] { f(x) }
}

fn main() {}
