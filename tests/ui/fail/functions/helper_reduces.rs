use tensor_rt::prelude::*;

tensor_fn! {
    fn total(v) { sum[N](v) }
    fn f(x: &Tensor[N]) -> Tensor[] { total(x) }
}

fn main() {}
