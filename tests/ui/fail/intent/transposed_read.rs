use tensor_rt::prelude::*;

tensor_fn! {
    fn f(x: &mut Tensor[N, C = N]) { x = x[C, N]; }
}

fn main() {}
