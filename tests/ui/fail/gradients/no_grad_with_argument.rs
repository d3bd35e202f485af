use tensor_rt::prelude::*;

tensor_fn! {
    #[no_grad(x)]
    fn f(x: &Tensor[N]) -> Tensor[N] { x }
}

fn main() {}
