use tensor_rt::prelude::*;

fn run(a: &Tensor, b: &Tensor<Cpu, NoGrad, f16>) -> Result<Tensor> {
    a + b
}

fn main() {}
