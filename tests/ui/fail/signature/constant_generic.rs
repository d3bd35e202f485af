use tensor_rt::prelude::*;

tensor_fn! {
    fn f<const K: usize>(x: &Tensor[N]) -> Tensor[N] { x }
}

fn main() {}
