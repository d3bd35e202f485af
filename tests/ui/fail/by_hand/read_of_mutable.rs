use tensor_rt::prelude::*;

tensor_fn! {
    #[cpu(on_cpu)]
    #[cuda(file = "scan.cu", entry = "edit", grid = (N + 255) / 256, block = 256)]
    fn f(y: &Tensor<f32>[N]) -> Tensor<f32>[N];
}

fn main() {}
