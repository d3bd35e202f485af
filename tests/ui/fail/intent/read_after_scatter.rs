use tensor_rt::prelude::*;

tensor_fn! {
    fn f(y: &mut Tensor[B], i: &Tensor<i64>[N]) -> Tensor[B] {
        y[i] += 1;
        y
    }
}

fn main() {}
