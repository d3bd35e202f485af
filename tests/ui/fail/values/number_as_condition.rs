use tensor_rt::prelude::*;

tensor_fn! {
    fn f(x: &Tensor[N]) -> Tensor[N] {
        if x { 1.0 } else { 0.0 }
    }
}

fn main() {}
