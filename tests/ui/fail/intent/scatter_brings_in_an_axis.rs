use tensor_rt::prelude::*;

tensor_fn! {
    fn f(y: &mut Tensor[B], i: &Tensor<i64>[N], x: &Tensor[N, M]) { y[i] += x; }
}

fn main() {}
