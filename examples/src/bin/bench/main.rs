//! How fast the kernels are here, beside what the machine gives.
//!
//! ```text
//! cargo run --release -p examples --bin bench
//! cargo run --release -p examples --bin bench -- --only gelu,axpy --rounds 7 --threads 1
//! ```
//!
//! The workloads are written as a user would write them, and allocate their results. A round runs each case of a group until
//! its budget is spent; what is printed is the median of the rounds' medians, so that a disturbance of some seconds does
//! not stay. With `--json` every case is one object on one line, for a harness that compares libraries: the names of
//! workloads and variants, the sizes and the numbers in the arrays are those that other libraries are measured with.

mod machine;
mod numbers;
mod overhead;
mod pointwise;
mod products;
mod reductions;
mod report;
mod rows;
mod training;

use clap::{Parser, ValueEnum};
use report::Report;

/// Times kernels and training steps on this machine.
#[derive(Parser)]
struct Options {
    /// Groups to run, separated by commas; all without it.
    #[arg(long, value_delimiter = ',')]
    only: Vec<Group>,
    /// How often each group is run.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// Measuring time of a case in a round, in milliseconds.
    #[arg(long, env = "PB_BUDGET_MS", default_value_t = 200)]
    budget: u64,
    /// Threads to use; as many as the machine runs at once without it.
    #[arg(long)]
    threads: Option<usize>,
    /// Print one JSON object per case.
    #[arg(long)]
    json: bool,
    /// The name under which JSON objects are filed.
    #[arg(long, default_value = "ours")]
    peer: String,
}

/// Workloads that are run together.
#[derive(Clone, Copy, ValueEnum)]
enum Group {
    /// Bandwidth of the memory and rate of fused multiply-adds, on one thread and on all.
    Machine,
    /// GELU of `1.25 x - 0.5`, and its gradient.
    Gelu,
    /// `y += a x`.
    Axpy,
    /// Softmax and layer norm of 4096 rows.
    Norm,
    /// Sum, mean and maximum of a matrix, of its rows and of its columns.
    Reduce,
    /// Matrix products.
    Matmul,
    /// A transposed matrix plus a row.
    Transpose,
    /// What a call costs: additions of four elements.
    Overhead,
    /// A training step of a perceptron.
    Mlp,
}

impl Group {
    fn run(self, report: &mut Report) -> Result<(), tensor_rt::Error> {
        match self {
            Group::Machine => {
                machine::measure(report);
                Ok(())
            }
            Group::Gelu => pointwise::gelu_of_all_sizes(report),
            Group::Axpy => pointwise::axpy_of_all_sizes(report),
            Group::Norm => rows::softmax_and_layer_norm(report),
            Group::Reduce => reductions::of_a_matrix(report),
            Group::Matmul => products::of_matrices(report),
            Group::Transpose => pointwise::transposition(report),
            Group::Overhead => overhead::of_an_addition(report),
            Group::Mlp => training::of_a_perceptron(report),
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let options = Options::parse();
    if let Some(threads) = options.threads {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build_global()?;
    }
    let groups = if options.only.is_empty() { Group::value_variants() } else { &options.only };
    let mut report =
        Report::new(options.json.then_some(options.peer), std::time::Duration::from_millis(options.budget));
    for group in groups {
        for _ in 0..options.rounds {
            group.run(&mut report)?;
        }
        report.finish_group();
    }
    Ok(())
}
