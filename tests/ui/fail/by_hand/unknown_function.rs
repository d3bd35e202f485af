use tensor_rt::prelude::*;

tensor_fn! {
    #[cpu(copy_rows)]
    fn f(x: &Tensor[N]) -> Tensor[N];
}

fn main() {}
