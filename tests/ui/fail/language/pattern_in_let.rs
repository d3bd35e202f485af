use tensor_rt::prelude::*;

tensor_fn! {
    fn f(x: &Tensor[N]) -> Tensor[N] {
        let (a, b) = (x, x);
        a + b
    }
}

fn main() {}
