use tensor_rt::prelude::*;

tensor_fn! {
    fn keep(x: &Tensor[N], y: &Tensor[N]) -> Tensor[N] {
        if y > 0 { x } else { 0.0 }
    }
}

fn call(x: &Tensor<Cpu, Grad>, y: &Tensor<Cpu, Grad>) -> Result<Tensor<Cpu, Grad>> {
    keep(x, y)
}

fn main() {}
