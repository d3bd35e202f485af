use tensor_rt::prelude::*;

tensor_fn! {
    fn f(x: &Tensor[N], y: &Tensor<Grad>[N]) -> Tensor[N] {
        if y > 0 { x } else { 0.0 }
    }
}

fn main() {}
