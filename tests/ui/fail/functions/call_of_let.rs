use tensor_rt::prelude::*;

tensor_fn! {
    fn f(x: &Tensor[N]) -> Tensor[N] {
        let e = exp(x);
        e(x)
    }
}

fn main() {}
