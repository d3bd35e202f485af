use tensor_rt::prelude::*;

tensor_fn! {
    #[no_grad]
    fn f(x: &Tensor<Grad>[N]) -> Tensor[N] { x }
}

fn main() {}
