use tensor_rt::prelude::*;

fn run(loss: Tensor) -> Result<Gradients> {
    loss.backward()
}

fn main() {}
