use tensor_rt::prelude::*;

tensor_fn! {
    fn f(x: &Tensor[N]) -> Tensor[] { max[w = 3](x[w]) }
}

fn main() {}
