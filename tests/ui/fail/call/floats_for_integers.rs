use tensor_rt::prelude::*;

tensor_fn! {
    fn pick(x: &Tensor[V], i: &Tensor<i64>[N]) -> Tensor[N] { x[i] }
}

fn call(x: &Tensor, i: &Tensor) -> Result<Tensor> {
    pick(x, i)
}

fn main() {}
