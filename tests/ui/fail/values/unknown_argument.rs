use tensor_rt::prelude::*;

tensor_fn! {
    fn f(x: &Tensor<Foo>[N]) -> Tensor[N] { 0.0 }
}

fn main() {}
