use tensor_rt::prelude::*;

fn run(x: &Tensor<Cuda>) -> Result<Vec<f32>> {
    x.to_vec()
}

fn main() {}
