use tensor_rt::prelude::*;

fn add<T: Element, T1: SameElement<T>>(_a: &Tensor<Cpu, NoGrad, T>, _b: &Tensor<Cpu, NoGrad, T1>) {}

fn run(a: &Tensor<Cpu, NoGrad, f32>, b: &Tensor<Cpu, NoGrad, f16>) {
    add(a, b);
}

fn main() {}
