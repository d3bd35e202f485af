use tensor_rt::prelude::*;

tensor_fn! {
    fn f(x: &Tensor[N]) -> Tensor[N] {
        let e = exp(x);
        e = e + 1;
        e
    }
}

fn main() {}
