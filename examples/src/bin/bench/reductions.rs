//! Reductions of a matrix: to one number, along its rows, and down its columns.

use tensor_rt::prelude::*;

use crate::numbers::numbers;
use crate::report::{Report, Work};

pub fn of_a_matrix(report: &mut Report) -> Result<()> {
    const SIDE: usize = 4096;
    const READ: Work = Work::Bytes(4 * SIDE * SIDE);
    let x = numbers([SIDE, SIDE], 1, -1.0..1.0)?;
    report.time("reduce", "sum/all", READ, || x.sum())?;
    report.time("reduce", "sum/last", READ, || x.sum_over(1))?;
    report.time("reduce", "sum/first", READ, || x.sum_over(0))?;
    report.time("reduce", "mean/all", READ, || x.mean())?;
    report.time("reduce", "mean/last", READ, || x.mean_over(1))?;
    report.time("reduce", "mean/first", READ, || x.mean_over(0))?;
    report.time("reduce", "max/all", READ, || x.max())?;
    report.time("reduce", "max/last", READ, || x.max_over(1))?;
    report.time("reduce", "max/first", READ, || x.max_over(0))?;
    Ok(())
}
