use tensor_rt::prelude::*;

fn run(x: Tensor<Cpu, NoGrad, i64>) -> Tensor<Cpu, Grad, i64> {
    x.requires_grad()
}

fn main() {}
