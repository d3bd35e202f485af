use tensor_rt::{PinnedTensor, prelude::*};

fn add(first: &Tensor<Cuda>, second: &Cuda<1>, batch: PinnedTensor) -> Result<Tensor<Cuda>> {
    let (x, _pending) = second.upload(batch)?;
    first + &x
}

fn main() {}
