use tensor_rt::prelude::*;

tensor_fn! {
    #[cpu(copy)]
    fn f(x: &Tensor[N]) -> Tensor[N];
}

fn main() {}
