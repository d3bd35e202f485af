use tensor_rt::prelude::*;

fn run(_x: &Tensor<Cpu, NoGrad, String>) {}

fn main() {}
