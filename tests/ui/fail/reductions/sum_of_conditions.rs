use tensor_rt::prelude::*;

tensor_fn! {
    fn f(x: &Tensor[N]) -> Tensor<i64>[] { sum[N](x > 0) }
}

fn main() {}
