use tensor_rt::prelude::*;

fn run(w: &mut Tensor<Cpu, Grad>) -> Result<()> {
    w.fill(0.0)
}

fn main() {}
