use tensor_rt::prelude::*;

tensor_fn! {
    fn f(x: &Tensor[N]) -> Tensor[N] {
        let e: i64 = x;
        x
    }
}

fn main() {}
