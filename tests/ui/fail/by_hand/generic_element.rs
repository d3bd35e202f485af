use tensor_rt::prelude::*;

tensor_fn! {
    #[cpu(on_cpu)]
    #[cuda(file = "scan.cu", entry = "scan", grid = (N + 255) / 256, block = 256)]
    fn f(x: &Tensor[N], a: float) -> Tensor[N];
}

fn main() {}
