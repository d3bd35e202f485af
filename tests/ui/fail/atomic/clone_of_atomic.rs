use tensor_rt::prelude::*;

fn copy(acc: &AtomicTensor) -> AtomicTensor {
    acc.clone()
}

fn main() {}
