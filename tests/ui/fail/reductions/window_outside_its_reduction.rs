use tensor_rt::prelude::*;

tensor_fn! {
    fn f(x: &Tensor[N]) -> Tensor[] { max[W = 3](x[W]) + x[W] }
}

fn main() {}
