use tensor_rt::prelude::*;

fn axpy<Y: InPlace, D: SameDevice<Y::Device>>(_y: &mut Y, _x: &Tensor<D>) {}

fn run(w: &mut Tensor<Cpu, Grad>, g: &Tensor) {
    axpy(w, g);
}

fn main() {}
