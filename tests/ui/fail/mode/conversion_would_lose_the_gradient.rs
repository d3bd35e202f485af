use tensor_rt::prelude::*;

fn run(x: &Tensor<Cpu, Grad>) -> Result<Tensor<Cpu, NoGrad, i64>> {
    x.to_element::<i64>()
}

fn main() {}
