use tensor_rt::prelude::*;

fn run(y: &mut Tensor<Cpu, Grad>) -> Result<()> {
    y.set([1], 2.0)
}

fn main() {}
