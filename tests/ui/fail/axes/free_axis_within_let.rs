use tensor_rt::prelude::*;

tensor_fn! {
    fn f(x: &Tensor[N], w: &Tensor[N, M]) -> Tensor[N] {
        let e = exp(w);
        x + e
    }
}

fn main() {}
