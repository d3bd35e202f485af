use tensor_rt::prelude::*;

fn run(a: &Tensor<Cpu>, b: &Tensor<Cuda>) -> Result<Tensor<Cpu>> {
    a + b
}

fn main() {}
