use tensor_rt::prelude::*;

tensor_fn! {
    fn f(x: &Tensor[N]) -> Tensor[N] {
        if x > 0 { x } else { panic!() }
    }
}

fn main() {}
