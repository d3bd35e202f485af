use tensor_rt::{PinnedTensor, prelude::*};

fn send(gpu: &Cuda, mut batch: PinnedTensor) -> Result<Tensor<Cuda>> {
    let (x, pending) = gpu.upload(batch)?;
    batch.as_mut_slice().fill(0.0);
    pending.wait()?;
    Ok(x)
}

fn main() {}
