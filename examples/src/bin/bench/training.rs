//! A training step: forward, backward and optimizer of a perceptron with two hidden layers.

use examples::measure::{forget_peak_memory, peak_memory};
use tensor_rt::prelude::*;
use tensor_rt_kernels::activation::relu;
use tensor_rt_kernels::layer::Linear;
use tensor_rt_kernels::loss::cross_entropy;
use tensor_rt_kernels::optimizer::{AdamW, Optimizer, Sgd};

use crate::numbers::{labels, numbers};
use crate::report::{Report, Work};

const BATCH: usize = 128;
const WIDTHS: [usize; 4] = [784, 512, 256, 10];

pub fn of_a_perceptron(report: &mut Report) -> Result<()> {
    forget_peak_memory();
    let x = numbers([BATCH, WIDTHS[0]], 1, 0.0..1.0)?;
    let target = labels(BATCH, 2, WIDTHS[3])?;
    // Three products a layer, less the gradient of the input.
    let products: usize = WIDTHS.windows(2).map(|pair| 3 * pair[0] * pair[1]).sum();
    let work = Work::Flop(2 * BATCH * (products - WIDTHS[0] * WIDTHS[1]));

    let mut net = Net::new()?;
    let mut sgd = Sgd::new(0.01);
    sgd.momentum = 0.9;
    report.time("mlp", "sgd-momentum", work, || net.step(&x, &target, &mut sgd))?;

    let mut net = Net::new()?;
    let mut adamw = AdamW::new(1e-3);
    report.time("mlp", "adamw", work, || net.step(&x, &target, &mut adamw))?;

    report.memory("mlp", peak_memory());
    Ok(())
}

struct Net([Linear<Cpu>; 3]);

impl Net {
    fn new() -> Result<Net> {
        let [a, b, c, d] = WIDTHS;
        Ok(Net([Linear::new(&Cpu, a, b, 1)?, Linear::new(&Cpu, b, c, 2)?, Linear::new(&Cpu, c, d, 3)?]))
    }

    fn step(
        &mut self,
        x: &Tensor,
        target: &Tensor<Cpu, NoGrad, i64>,
        optimizer: &mut impl Optimizer<Cpu, f32>,
    ) -> Result<usize> {
        let [first, second, third] = &self.0;
        let hidden = relu(&first.forward::<Grad, _>(x)?)?;
        let hidden = relu(&second.forward::<Grad, _>(&hidden)?)?;
        let gradients = cross_entropy(&third.forward::<Grad, _>(&hidden)?, target)?.backward()?;
        let mut parameters: Vec<_> = self.0.iter_mut().flat_map(Linear::parameters).collect();
        optimizer.step(&mut parameters, &gradients)
    }
}
