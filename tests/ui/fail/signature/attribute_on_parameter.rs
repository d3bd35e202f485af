use tensor_rt::prelude::*;

tensor_fn! {
    fn f(#[cfg(test)] x: &Tensor[N]) -> Tensor[N] { x }
}

fn main() {}
