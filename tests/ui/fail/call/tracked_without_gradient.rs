use tensor_rt::prelude::*;

tensor_fn! {
    fn best(x: &Tensor[N, C]) -> Tensor<i64>[N] { argmax[C](x) }
}

fn call(x: &Tensor<Cpu, Grad>) -> Result<Tensor<Cpu, NoGrad, i64>> {
    best(x)
}

fn main() {}
