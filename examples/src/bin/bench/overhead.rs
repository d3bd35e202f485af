//! What a call costs beside its arithmetic: a chain of additions of four elements.

use tensor_rt::prelude::*;

use crate::numbers::numbers;
use crate::report::{Report, Work};

/// Additions in a chain; times are those of one.
const CHAIN: usize = 100;

pub fn of_an_addition(report: &mut Report) -> Result<()> {
    let (x, y) = (numbers([4], 1, -1.0..1.0)?, numbers([4], 2, -1e-3..1e-3)?);
    report.time_each("overhead", "add4/nograd", Work::Call, CHAIN, || chain(&x, &y))?;
    let ones = Tensor::ones_like(&x)?;
    let x = x.requires_grad();
    report.time_each("overhead", "add4/grad-fwd", Work::Call, CHAIN, || chain(&x, &y))?;
    report.time_each("overhead", "add4/grad-fwd+bwd", Work::Call, CHAIN, || chain(&x, &y)?.backward_with(&ones))
}

fn chain<G: GradMode>(x: &Tensor<Cpu, G>, y: &Tensor) -> Result<Tensor<Cpu, G>> {
    let mut sum = (x + y)?;
    for _ in 1..CHAIN {
        sum = (&sum + y)?;
    }
    Ok(sum)
}
