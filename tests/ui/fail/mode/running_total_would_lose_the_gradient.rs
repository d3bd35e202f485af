use tensor_rt::prelude::*;

fn run(total: &mut Tensor, loss: &Tensor<Cpu, Grad>) {
    *total += loss;
}

fn main() {}
