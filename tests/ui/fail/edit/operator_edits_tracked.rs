use tensor_rt::prelude::*;

fn run(w: &mut Tensor<Cpu, Grad>, g: &Tensor) {
    *w += g;
}

fn main() {}
