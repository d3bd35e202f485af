use tensor_rt::prelude::*;

tensor_fn! {
    #[cpu(on_cpu)]
    fn f(x: &Tensor[N]) -> Tensor[N] { 2 * x }
}

fn main() {}
