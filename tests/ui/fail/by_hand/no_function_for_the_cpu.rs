use tensor_rt::prelude::*;

tensor_fn! {
    #[cuda(file = "scan.cu", entry = "scan", grid = 1, block = 256)]
    fn f(x: &Tensor<f32>[N], a: float) -> Tensor<f32>[N];
}

fn main() {}
