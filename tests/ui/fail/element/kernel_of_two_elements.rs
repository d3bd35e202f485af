use tensor_rt::prelude::*;

tensor_fn! {
    pub fn scale(a: &Tensor[N], b: &Tensor[N]) -> Tensor[N] { a * b }
}

fn run(a: &Tensor, b: &Tensor<Cpu, NoGrad, f16>) -> Result<Tensor> {
    scale(a, b)
}

fn main() {}
