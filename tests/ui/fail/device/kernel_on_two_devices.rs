use tensor_rt::prelude::*;

fn axpy<Y: InPlace, D: SameDevice<Y::Device>>(_y: &mut Y, _x: &Tensor<D>) {}

fn run(y: &mut Tensor<Cpu>, x: &Tensor<Cuda>) {
    axpy(y, x);
}

fn main() {}
