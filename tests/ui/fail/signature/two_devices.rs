use tensor_rt::prelude::*;

tensor_fn! {
    fn f(x: &Tensor<Cpu>[N], y: &Tensor<Cuda<1>>[N]) -> Tensor[N] { x + y }
}

fn main() {}
