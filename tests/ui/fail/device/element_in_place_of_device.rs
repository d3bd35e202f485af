use tensor_rt::prelude::*;

fn run(_x: &Tensor<f64>) {}

fn main() {}
