use tensor_rt::prelude::*;

tensor_fn! {
    fn add(acc: &atomic Tensor[N], x: &Tensor[N]) { acc += x; }
}

fn call(acc: &AtomicTensor<Cuda>, x: &Tensor) -> Result<()> {
    add(acc, x)
}

fn main() {}
