use tensor_rt::prelude::*;

fn run(a: &Tensor<Cpu, NoGrad, bool>) -> Result<Tensor<Cpu, NoGrad, bool>> {
    a + a
}

fn main() {}
