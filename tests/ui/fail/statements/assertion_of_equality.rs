use tensor_rt::prelude::*;

tensor_fn! {
    fn f(x: &Tensor[N], y: &Tensor[N]) -> Tensor[N] {
        assert_eq!(x, y);
        x
    }
}

fn main() {}
