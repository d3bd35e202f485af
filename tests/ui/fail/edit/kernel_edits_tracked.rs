use tensor_rt::prelude::*;

tensor_fn! {
    pub fn axpy(y: &mut Tensor[N], x: &Tensor[N], a: float) { y += a * x; }
}

fn run(w: &mut Tensor<Cpu, Grad>, g: &Tensor) -> Result<()> {
    axpy(w, g, -0.1)
}

fn main() {}
