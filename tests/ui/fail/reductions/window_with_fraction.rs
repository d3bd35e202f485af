use tensor_rt::prelude::*;

tensor_fn! {
    fn f(x: &Tensor[N], a: float) -> Tensor[] { max[W = a](x[W]) }
}

fn main() {}
