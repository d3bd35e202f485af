use tensor_rt::prelude::*;

tensor_fn! {
    fn f(x: &Tensor[Rows, K]) -> Tensor[Rows] { sum[K](x) / size(Row) }
}

fn main() {}
