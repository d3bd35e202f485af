use tensor_rt::prelude::*;

tensor_fn! {
    fn f(N: &Tensor[N]) -> Tensor[] { 0.0 }
}

fn main() {}
