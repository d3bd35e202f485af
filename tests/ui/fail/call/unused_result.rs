use tensor_rt::prelude::*;

tensor_fn! {
    fn double(x: &Tensor[N]) -> Tensor[N] { 2 * x }
}

#[deny(warnings)]
fn call(x: &Tensor) {
    double(x);
}

fn main() {}
