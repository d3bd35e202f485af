use tensor_rt::prelude::*;

fn look(acc: &AtomicTensor) -> Result<&[f32]> {
    acc.as_slice()
}

fn main() {}
