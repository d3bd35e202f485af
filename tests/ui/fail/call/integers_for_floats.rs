use tensor_rt::prelude::*;

tensor_fn! {
    fn double(x: &Tensor[N]) -> Tensor[N] { 2 * x }
}

fn call(i: &Tensor<Cpu, NoGrad, i64>) {
    let _ = double(i);
}

fn main() {}
