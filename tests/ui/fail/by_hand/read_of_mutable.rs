use tensor_rt::prelude::*;

tensor_fn! {
    #[cpu(on_cpu)]
    #[cuda(file = "scan.cu", entry = "twice", grid = 1, block = 256)]
    fn f(x: &Tensor<f32>[N]) -> Tensor<f32>[N];
}

fn main() {}
