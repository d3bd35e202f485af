use tensor_rt::prelude::*;

tensor_fn! {
    fn f(x: &Tensor[N], a: float) -> Tensor[N] {
        a = 2.0;
        a * x
    }
}

fn main() {}
