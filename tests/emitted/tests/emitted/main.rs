//! Random kernels as a user's crate has them: expanded, compiled, and called.
//!
//! `build.rs` makes the kernels. Values and gradients are compared with the interpreter of the graph, which knows neither
//! schedules nor emission, and the gradients of smooth kernels with difference quotients of the interpreted kernel, so
//! that the rules of differentiation are covered too. Every kernel runs at several sizes (0 and 1 included), with dense,
//! permuted, flipped, sliced and broadcast arguments, and with every combination of tracked ones, on the instruction set
//! of the process (`TENSOR_ISA`).
//!
//! A failing kernel is made small by `KERNEL=17 cargo test -p emitted-kernels -- --ignored shrink --nocapture`.

mod arguments;
mod call;
mod compare;
mod histogram;
mod layout;
mod reference;
mod shrink;

/// The expansions, and the tables of them.
#[expect(dead_code, reason = "nobody asks these kernels for their `source()`")]
#[expect(clippy::all, reason = "what random kernels do is odd, and clippy looks into no macro of another crate")]
mod kernels {
    use tensor_rt::{Cpu, Device};

    use crate::call::Case;

    include!(concat!(env!("OUT_DIR"), "/kernels.rs"));
}

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use call::Case;
use compare::Tally;
use histogram::Histogram;
use tensor_rt::prelude::*;

/// Runs `check` on every case, on all processors.
fn on_all<D: Device, R: Send>(cases: &[Case<D>], check: impl Fn(usize, &Case<D>) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let mut results: Vec<(usize, R)> = std::thread::scope(|scope| {
        let workers = std::thread::available_parallelism().map_or(1, usize::from);
        let run = || {
            std::iter::from_fn(|| {
                let position = next.fetch_add(1, Ordering::Relaxed);
                cases.get(position).map(|case| (position, check(position, case)))
            })
            .collect::<Vec<_>>()
        };
        let handles: Vec<_> = (0..workers).map(|_| scope.spawn(run)).collect();
        handles.into_iter().flat_map(|handle| handle.join().expect("a check reports and does not panic")).collect()
    });
    results.sort_by_key(|(position, _)| *position);
    results.into_iter().map(|(_, result)| result).collect()
}

fn emitted_kernels_compute_what_their_graphs_mean<D: Device>(device: &D) {
    let cases = kernels::all::<D>();
    let mut total = Tally::default();
    let mut histogram = Histogram::default();
    let mut failures = vec![];
    for (position, (result, own)) in
        on_all(&cases, |position, case| compare::check(device, case, position as u64)).into_iter().enumerate()
    {
        match result {
            Ok(tally) => total.add(&tally),
            Err(failure) => failures.push(format!("kernel {position}: {failure}")),
        }
        histogram.add(&own);
    }
    println!("{total:?}\n{histogram}");
    assert!(failures.is_empty(), "{} of {} kernels\n{}", failures.len(), cases.len(), failures.join("\n\n"));
    if std::env::var_os("EMITTED_KERNELS").is_none() {
        histogram.assert_everything_is_there();
        total.assert_enough();
    }
}

#[test]
fn every_mistake_of_an_emitter_is_found() {
    let (mutations, cases): (Vec<&str>, Vec<Case<Cpu>>) = kernels::mutants().into_iter().unzip();
    let mut found: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let results = on_all(&cases, |position, case| compare::check(&Cpu, case, position as u64).0.is_err());
    for (mutation, is_red) in mutations.into_iter().zip(results) {
        let (red, all) = found.entry(mutation).or_default();
        *red += usize::from(is_red);
        *all += 1;
    }
    println!("mutation: (found, tried) {found:?}");
    for (mutation, (red, all)) in &found {
        // Some mutants mean the same: an operand exchanged with one that the kernel uses in the same way.
        assert!(*all >= 3 && 2 * red >= *all, "`{mutation}` was found in {red} of {all} kernels");
    }
    assert!(found.len() >= 5 || kernels::all::<Cpu>().is_empty(), "only {found:?} were tried");
}

mod cpu {
    #[test]
    fn emitted_kernels_compute_what_their_graphs_mean() {
        super::emitted_kernels_compute_what_their_graphs_mean(&tensor_rt::Cpu);
    }
}

mod cuda {
    #[test]
    #[ignore = "thousands of sources are compiled, and the simulated driver takes writes of two bytes of a word for a race"]
    fn emitted_kernels_compute_what_their_graphs_mean() {
        tests::device::on_cuda(super::emitted_kernels_compute_what_their_graphs_mean);
    }
}
