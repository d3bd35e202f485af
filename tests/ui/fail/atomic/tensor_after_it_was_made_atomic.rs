use tensor_rt::prelude::*;

fn make(x: Tensor) -> Result<Vec<f32>> {
    let _acc = x.into_atomic()?;
    x.to_vec()
}

fn main() {}
