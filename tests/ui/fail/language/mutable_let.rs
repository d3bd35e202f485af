use tensor_rt::prelude::*;

tensor_fn! {
    fn f(x: &Tensor[N]) -> Tensor[N] {
        let mut e = x;
        e
    }
}

fn main() {}
