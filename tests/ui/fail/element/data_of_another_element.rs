use tensor_rt::prelude::*;

fn run() -> Result<Tensor> {
    Tensor::new(&Cpu, [[1i64, 2]])
}

fn main() {}
