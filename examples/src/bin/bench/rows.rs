//! Kernels that reduce a row and then use it again.

use tensor_rt::prelude::*;
use tensor_rt_kernels::norm::layer_norm;
use tensor_rt_kernels::softmax::softmax;

use crate::numbers::numbers;
use crate::report::{Report, Work};

const ROWS: usize = 4096;
const COLUMNS: usize = 1024;
const LEN: usize = ROWS * COLUMNS;

pub fn softmax_and_layer_norm(report: &mut Report) -> Result<()> {
    let x = numbers([ROWS, COLUMNS], 1, -2.0..2.0)?;
    let (gamma, beta) = (numbers([COLUMNS], 3, 0.5..1.5)?, numbers([COLUMNS], 4, -0.5..0.5)?);
    report.time("softmax", "fwd", Work::Bytes(8 * LEN), || softmax(&x))?;
    report.time("layernorm", "fwd", Work::Bytes(8 * LEN), || layer_norm(&x, &gamma, &beta, 1e-5))?;
    report.check("layernorm", "fwd/sum", layer_norm(&x, &gamma, &beta, 1e-5)?.sum()?.item()?.into());
    let ones = Tensor::ones_like(&x)?;
    let [x, gamma, beta] = [x, gamma, beta].map(Tensor::requires_grad);
    report.time("softmax", "fwd+bwd", Work::Bytes(16 * LEN), || softmax(&x)?.backward_with(&ones))?;
    report.time("layernorm", "fwd+bwd", Work::Bytes(16 * LEN), || {
        layer_norm(&x, &gamma, &beta, 1e-5)?.backward_with(&ones)
    })?;
    Ok(())
}
