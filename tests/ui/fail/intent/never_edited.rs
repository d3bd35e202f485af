use tensor_rt::prelude::*;

tensor_fn! {
    fn f(y: &mut Tensor[N], x: &Tensor[N]) -> Tensor[N] { x }
}

fn main() {}
