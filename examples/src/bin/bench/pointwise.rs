//! Kernels without reductions: arithmetic-heavy, memory-heavy, and against the order of memory.

use tensor_rt::prelude::*;

use crate::numbers::numbers;
use crate::report::{Report, Work};

tensor_fn! {
    fn gelu(x: &Tensor[..], scale: float, bias: float) -> Tensor[..] {
        let z = scale * x + bias;
        0.5 * z * (1.0 + tanh(0.7978845608028654 * (z + 0.044715 * z * z * z)))
    }

    fn axpy(y: &mut Tensor[N], x: &Tensor[N], a: float) { y += a * x; }

    fn add_transposed(a: &Tensor[J, I], b: &Tensor[J]) -> Tensor[I, J] { a[J, I] + b }
}

/// From what fits the nearest cache to what fits none.
const EXPONENTS: [usize; 4] = [10, 16, 22, 24];

pub fn gelu_of_all_sizes(report: &mut Report) -> Result<()> {
    for exponent in EXPONENTS {
        let len = 1 << exponent;
        let x = numbers([len], 1, -4.0..4.0)?;
        report.time("gelu", format!("2^{exponent}/fwd"), Work::Bytes(8 * len), || gelu(&x, 1.25, -0.5))?;
        if exponent == 16 {
            report.check("gelu", "2^16/sum", gelu(&x, 1.25, -0.5)?.sum()?.item()?.into());
        }
        let ones = Tensor::ones_like(&x)?;
        let x = x.requires_grad();
        report.time("gelu", format!("2^{exponent}/fwd+bwd"), Work::Bytes(12 * len), || {
            gelu(&x, 1.25, -0.5)?.backward_with(&ones)
        })?;
    }
    Ok(())
}

pub fn axpy_of_all_sizes(report: &mut Report) -> Result<()> {
    for exponent in EXPONENTS {
        let len = 1 << exponent;
        let (mut y, x) = (numbers([len], 2, -1.0..1.0)?, numbers([len], 1, -1.0..1.0)?);
        report.time("axpy", format!("2^{exponent}/inplace"), Work::Bytes(12 * len), || axpy(&mut y, &x, 1e-6))?;
    }
    Ok(())
}

pub fn transposition(report: &mut Report) -> Result<()> {
    const SIDE: usize = 4096;
    let (a, b) = (numbers([SIDE, SIDE], 1, -1.0..1.0)?, numbers([SIDE], 2, -1.0..1.0)?);
    report.time("transpose", "4096", Work::Bytes(8 * SIDE * SIDE), || add_transposed(&a, &b))?;
    report.check("transpose", "4096/o[3,5]", add_transposed(&a, &b)?.get([3, 5])?.into());
    Ok(())
}
