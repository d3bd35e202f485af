//! What was measured, printed as a table or as JSON.
//!
//! Invariant: a case is known by workload and variant; each round adds one measurement to it, and a group's cases are
//! printed when all its rounds are over, in the order in which they first ran.

use std::time::Duration;

use examples::measure::{Spread, time};
use serde_json::json;
use tensor_rt::Result;

/// What one operation of a case moves or computes, for its rate.
#[derive(Clone, Copy)]
pub enum Work {
    /// Bytes read and written, if the caches give nothing.
    Bytes(usize),
    /// Floating-point operations.
    Flop(usize),
    /// Too little to speak of a rate.
    Call,
}

/// What a number means.
#[derive(Clone, Copy)]
enum Unit {
    /// Nanoseconds for one operation.
    Time(Work),
    /// A rate of the machine, by name.
    Rate(&'static str),
    /// KiB of memory.
    Memory,
    /// Part of a result, which tells whether all libraries compute the same.
    Check,
}

struct Case {
    workload: &'static str,
    variant: String,
    unit: Unit,
    rounds: Vec<Spread>,
}

/// The cases of the group that is running, and how to print them.
pub struct Report {
    /// The name for JSON lines; a table without it.
    peer: Option<String>,
    budget: Duration,
    cases: Vec<Case>,
    titled: bool,
}

impl Report {
    /// An empty report; `peer` names the lines of JSON, a table is printed without it.
    pub fn new(peer: Option<String>, budget: Duration) -> Self {
        Self { peer, budget, cases: vec![], titled: false }
    }

    /// Times `call`.
    pub fn time<R>(
        &mut self,
        workload: &'static str,
        variant: impl Into<String>,
        work: Work,
        call: impl FnMut() -> Result<R>,
    ) -> Result<()> {
        self.time_each(workload, variant, work, 1, call)
    }

    /// Times `call`, which does `operations` of the operations that are reported.
    pub fn time_each<R>(
        &mut self,
        workload: &'static str,
        variant: impl Into<String>,
        work: Work,
        operations: usize,
        call: impl FnMut() -> Result<R>,
    ) -> Result<()> {
        let times = time(self.budget, operations, call)?;
        self.add(workload, variant.into(), Unit::Time(work), times);
        Ok(())
    }

    /// A rate of the machine in `unit`.
    pub fn rate(&mut self, variant: String, unit: &'static str, rates: Spread) {
        self.add("machine", variant, Unit::Rate(unit), rates);
    }

    /// The largest memory of the process so far, in KiB.
    pub fn memory(&mut self, workload: &'static str, kib: u64) {
        self.add(workload, "rss".to_owned(), Unit::Memory, Spread::of(kib as f64));
    }

    /// Part of a result.
    pub fn check(&mut self, workload: &'static str, variant: &str, value: f64) {
        self.add(workload, variant.to_owned(), Unit::Check, Spread::of(value));
    }

    fn add(&mut self, workload: &'static str, variant: String, unit: Unit, spread: Spread) {
        match self.cases.iter_mut().find(|case| case.workload == workload && case.variant == variant) {
            Some(case) => case.rounds.push(spread),
            None => self.cases.push(Case { workload, variant, unit, rounds: vec![spread] }),
        }
    }

    /// Prints the cases so far, and forgets them.
    pub fn finish_group(&mut self) {
        let cases = std::mem::take(&mut self.cases);
        match &self.peer {
            Some(peer) => cases.iter().for_each(|case| println!("{}", case.line(peer))),
            None => {
                if !std::mem::replace(&mut self.titled, true) {
                    println!("workload   variant                     median          min          max");
                }
                cases.iter().filter_map(Case::row).for_each(|row| println!("{row}"));
            }
        }
    }
}

impl Case {
    fn line(&self, peer: &str) -> serde_json::Value {
        let (workload, variant) = (self.workload, &self.variant);
        let Spread { median, min, max } = Spread::over_rounds(&self.rounds);
        match self.unit {
            Unit::Time(_) => json!({
                "peer": peer, "workload": workload, "variant": variant,
                "median_ns": median, "min_ns": min, "max_ns": max,
            }),
            Unit::Rate(unit) => json!({
                "peer": peer, "workload": workload, "variant": variant,
                "value": median, "min": min, "max": max, "unit": unit,
            }),
            Unit::Memory => json!({"peer": peer, "workload": workload, "variant": variant, "rss_kb": median}),
            Unit::Check => json!({"peer": peer, "workload": workload, "variant": variant, "check": median}),
        }
    }

    fn row(&self) -> Option<String> {
        let Spread { median, min, max } = Spread::over_rounds(&self.rounds);
        let name = format!("{:<10} {:<22}", self.workload, self.variant);
        match self.unit {
            Unit::Time(work) => {
                let rate = match work {
                    Work::Bytes(bytes) => format!("{:8.1} GB/s", bytes as f64 / median),
                    Work::Flop(operations) => format!("{:8.1} GFLOP/s", operations as f64 / median),
                    Work::Call => String::new(),
                };
                let [median, min, max] = [median, min, max].map(readable);
                Some(format!("{name} {median:>12} {min:>12} {max:>12} {rate}"))
            }
            Unit::Rate(unit) => Some(format!("{name} {median:>12.1} {min:>12.1} {max:>12.1} {unit}")),
            Unit::Memory => Some(format!("{name} {:>8.0} MiB", median / 1024.0)),
            // It says something beside other libraries only.
            Unit::Check => None,
        }
    }
}

fn readable(nanoseconds: f64) -> String {
    match nanoseconds {
        ns if ns < 1e3 => format!("{ns:.1} ns"),
        ns if ns < 1e6 => format!("{:.2} us", ns / 1e3),
        ns => format!("{:.2} ms", ns / 1e6),
    }
}
