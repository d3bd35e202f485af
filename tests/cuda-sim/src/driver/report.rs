//! What the simulator noticed, and how often each driver function was called.

use std::{collections::BTreeMap, fmt};

/// What a report is about.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[repr(u32)]
#[non_exhaustive]
pub enum Category {
    /// A kernel or a copy was stopped; the context is lost.
    Fault = 1,
    /// Two streams touch the same bytes, one of them writes, and no event orders them.
    Race = 2,
    /// Memory was given back while work that uses it had not been waited for.
    InFlight = 3,
    /// Memory or objects were left when their context ended.
    Leak = 4,
    /// A call that a real driver refuses, or answers with undefined behavior.
    Misuse = 5,
    /// A function that the simulator does not implement was called.
    Unsupported = 6,
    /// The simulator itself failed.
    Internal = 7,
}

impl Category {
    /// All categories, in the order of their numbers.
    pub const ALL: [Category; 7] = [
        Category::Fault,
        Category::Race,
        Category::InFlight,
        Category::Leak,
        Category::Misuse,
        Category::Unsupported,
        Category::Internal,
    ];
}

impl fmt::Display for Category {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Category::Fault => "fault",
            Category::Race => "cross-stream race",
            Category::InFlight => "in flight",
            Category::Leak => "leak",
            Category::Misuse => "misuse",
            Category::Unsupported => "unsupported",
            Category::Internal => "simulator failure",
        })
    }
}

/// Reports are cut off here: a race in a loop says the same over and over.
const MOST: usize = 1000;

/// Everything noticed so far.
#[derive(Default)]
pub(crate) struct Log {
    reports: Vec<(Category, String)>,
    /// Calls by name of the function.
    pub(crate) calls: BTreeMap<&'static str, u64>,
    /// Launches and what they cost, by kernel.
    pub(crate) kernels: BTreeMap<String, KernelCost>,
    /// Also write each report to the standard error stream.
    pub(crate) echo: bool,
}

/// What all launches of a kernel cost together.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct KernelCost {
    /// How often it ran.
    pub launches: u64,
    /// Instructions, each counted once a warp.
    pub warp_instructions: u64,
    /// Instructions, each counted once a thread.
    pub thread_instructions: u64,
}

impl Log {
    /// Keeps a report, unless the same has been said before.
    pub(crate) fn report(&mut self, category: Category, text: String) {
        if self.reports.len() >= MOST || self.reports.iter().any(|report| report.0 == category && report.1 == text) {
            return;
        }
        if self.echo {
            eprintln!("cuda-sim: {category}: {text}");
        }
        self.reports.push((category, text));
    }

    pub(crate) fn reports(&self) -> &[(Category, String)] {
        &self.reports
    }

    pub(crate) fn clear_reports(&mut self) {
        self.reports.clear();
    }

    pub(crate) fn count(&mut self, function: &'static str) {
        *self.calls.entry(function).or_default() += 1;
    }
}
