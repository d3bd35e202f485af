use tensor_rt::prelude::*;

tensor_fn! {
    fn f(x: &Tensor[N]) -> Tensor[N] {
        #[inline]
        let e = x;
        e
    }
}

fn main() {}
