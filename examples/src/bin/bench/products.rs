//! Matrix products, from small ones to those that fill the caches, and a batch of small ones.

use tensor_rt::prelude::*;
use tensor_rt_kernels::contraction::{batched_matmul, matmul};

use crate::numbers::numbers;
use crate::report::{Report, Work};

pub fn of_matrices(report: &mut Report) -> Result<()> {
    for side in [64, 256, 1024, 2048] {
        let (a, b) = (numbers([side, side], 1, -1.0..1.0)?, numbers([side, side], 2, -1.0..1.0)?);
        report.time("matmul", side.to_string(), Work::Flop(2 * side * side * side), || matmul(&a, &b))?;
    }
    let (a, b) = (numbers([16, 128, 64], 1, -1.0..1.0)?, numbers([16, 64, 128], 2, -1.0..1.0)?);
    let work = Work::Flop(2 * 16 * 128 * 64 * 128);
    report.time("matmul", "batched16x128x64x128", work, || batched_matmul(&a, &b))
}
