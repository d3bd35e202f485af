use tensor_rt::prelude::*;

tensor_fn! {
    fn f(x: &Tensor[N]) -> Tensor[N] {
        assert!(x > 0);
        x
    }
}

fn main() {}
