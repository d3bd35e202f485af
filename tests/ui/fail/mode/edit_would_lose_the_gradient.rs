use tensor_rt::prelude::*;

tensor_fn! {
    pub fn axpy(y: &mut Tensor[N], x: &Tensor[N], a: float) { y += a * x; }
}

fn run(y: &mut Tensor, x: &Tensor<Cpu, Grad>) -> Result<()> {
    axpy(y, x, 0.5)
}

fn main() {}
