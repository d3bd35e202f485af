use tensor_rt::prelude::*;

tensor_fn! {
    fn f(x: &Tensor[N]) -> Tensor[N] {
        let sound = assert!(x > 0, "x is positive");
        x
    }
}

fn main() {}
