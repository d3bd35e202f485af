use tensor_rt::prelude::*;
use tensor_rt::relation::UntrackedBesideEdit;

fn axpy<Y: InPlace, G: UntrackedBesideEdit>(_y: &mut Y, _x: &Tensor<Cpu, G>) {}

fn run(y: &mut Tensor, x: &Tensor<Cpu, Grad>) {
    axpy(y, x);
}

fn main() {}
