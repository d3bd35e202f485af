use tensor_rt::prelude::*;

tensor_fn! {
    fn f(x: &Tensor[N]) -> Tensor[N] {
        if x > 0 { x; } else { 0.0 }
    }
}

fn main() {}
