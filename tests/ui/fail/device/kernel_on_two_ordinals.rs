use tensor_rt::prelude::*;

fn add<D: Device, D1: SameDevice<D>>(_a: &Tensor<D>, _b: &Tensor<D1>) {}

fn run(a: &Tensor<Cuda>, b: &Tensor<Cuda<1>>) {
    add(a, b);
}

fn main() {}
