use tensor_rt::prelude::*;

fn read(x: &Tensor<Cuda>) -> Result<Vec<f32>> {
    let host = x.to_host_async()?;
    host.to_vec()
}

fn main() {}
