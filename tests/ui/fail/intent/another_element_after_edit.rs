use tensor_rt::prelude::*;

tensor_fn! {
    fn f(y: &mut Tensor[N]) -> Tensor[N] {
        y = 2 * y;
        y[0]
    }
}

fn main() {}
