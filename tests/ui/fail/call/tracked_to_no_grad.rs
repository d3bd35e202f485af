use tensor_rt::prelude::*;

tensor_fn! {
    #[no_grad]
    fn double(x: &Tensor[N]) -> Tensor[N] { 2 * x }
}

fn call(x: &Tensor<Cpu, Grad>) -> Result<Tensor> {
    double(x)
}

fn main() {}
