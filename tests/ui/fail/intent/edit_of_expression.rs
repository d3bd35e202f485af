use tensor_rt::prelude::*;

tensor_fn! {
    fn f(y: &mut Tensor[N]) { y + 1 = 2; }
}

fn main() {}
