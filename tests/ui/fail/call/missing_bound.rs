use tensor_rt::prelude::*;

tensor_fn! {
    fn double(x: &Tensor[N]) -> Tensor[N] { 2 * x }
}

fn call<T: Element>(x: &Tensor<Cpu, NoGrad, T>) -> Result<Tensor<Cpu, NoGrad, T>> {
    double(x)
}

fn main() {}
