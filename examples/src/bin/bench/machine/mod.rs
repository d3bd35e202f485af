//! What the machine gives to anybody: the yardstick for the cases. No tensor takes part.

mod arithmetic;
mod bandwidth;
mod widest;

use crate::report::Report;
use bandwidth::Arrays;

/// Measures on one thread, and on as many as the cases use.
pub fn measure(report: &mut Report) {
    let mut arrays = Arrays::new();
    let all = rayon::current_num_threads();
    for threads in if all == 1 { vec![1] } else { vec![1, all] } {
        report.rate(format!("copy/t{threads}"), "GB/s", arrays.copy(threads));
        report.rate(format!("triad/t{threads}"), "GB/s", arrays.triad(threads));
        report.rate(format!("read/t{threads}"), "GB/s", arrays.read(threads));
        if let Some((name, rate)) = arithmetic::multiply_adds(threads) {
            report.rate(format!("fma-{name}/t{threads}"), "GFLOP/s", rate);
        }
    }
}
