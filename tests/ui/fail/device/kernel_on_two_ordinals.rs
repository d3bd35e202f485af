use tensor_rt::prelude::*;

tensor_fn! {
    pub fn scale(a: &Tensor[N], b: &Tensor[N]) -> Tensor[N] { a * b }
}

fn run(a: &Tensor<Cuda>, b: &Tensor<Cuda<1>>) -> Result<Tensor<Cuda>> {
    scale(a, b)
}

fn main() {}
