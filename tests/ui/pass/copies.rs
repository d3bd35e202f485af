//! The legal twins of `fail/copies`.

use tensor_rt::{PinnedTensor, prelude::*};

fn read_before_wait(x: &Tensor<Cuda>) -> Result<Vec<f32>> {
    let host = x.to_host_async()?;
    host.wait()?.to_vec()
}

fn pinned_buffer_after_upload(gpu: &Cuda, batch: PinnedTensor) -> Result<Tensor<Cuda>> {
    let (x, pending) = gpu.upload(batch)?;
    pending.wait()?.as_mut_slice().fill(0.0);
    Ok(x)
}

fn in_flight_on_another_device(first: &Tensor<Cuda>, second: &Cuda<1>, batch: PinnedTensor) -> Result<Tensor<Cuda>> {
    let (x, _pending) = second.upload(batch)?;
    first + &x.to(&first.device())?
}

pub fn main() -> Result<()> {
    let _ = (read_before_wait, pinned_buffer_after_upload, in_flight_on_another_device);
    Ok(())
}
