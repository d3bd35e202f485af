use tensor_rt::prelude::*;

fn make(x: Tensor<Cpu, Grad>) -> Result<AtomicTensor> {
    x.into_atomic()
}

fn main() {}
