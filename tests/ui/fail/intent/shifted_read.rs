use tensor_rt::prelude::*;

tensor_fn! {
    fn f(x: &mut Tensor[C]) {
        x = if C > 0 { x[C - 1] } else { 0.0 };
    }
}

fn main() {}
