//! How fast the kernels are here: one line per workload, as a table or as JSON for a harness that compares libraries.
//!
//! The workloads are written as a user would write them, and allocate their results. Sizes, names and variants are those of
//! common comparisons: `gelu axpy norm reduce matmul transpose overhead mlp`, and `machine` for the limits.

use std::hint::black_box;
use std::time::Duration;

use clap::Parser;
use examples::measure::{Times, peak_memory, time};
use tensor_rt::prelude::*;
use tensor_rt_kernels::activation::relu;
use tensor_rt_kernels::contraction::{batched_matmul, matmul};
use tensor_rt_kernels::layer::Linear;
use tensor_rt_kernels::loss::cross_entropy;
use tensor_rt_kernels::norm::layer_norm;
use tensor_rt_kernels::optimizer::{AdamW, Optimizer, Sgd};
use tensor_rt_kernels::softmax::softmax;

tensor_fn! {
    fn gelu(x: &Tensor[..], scale: float, bias: float) -> Tensor[..] {
        let z = scale * x + bias;
        0.5 * z * (1.0 + tanh(0.7978845608028654 * (z + 0.044715 * z * z * z)))
    }

    fn axpy(y: &mut Tensor[N], x: &Tensor[N], a: float) { y += a * x; }

    fn add_transposed(a: &Tensor[J, I], b: &Tensor[J]) -> Tensor[I, J] { a[J, I] + b }
}

#[derive(Parser)]
struct Options {
    /// Print one JSON object per workload.
    #[arg(long)]
    json: bool,
    /// Groups to run, separated by commas; all without it.
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// The name of the column.
    #[arg(long, default_value = "ours")]
    peer: String,
    /// Measuring time of a case in milliseconds.
    #[arg(long, env = "PB_BUDGET_MS", default_value_t = 200)]
    budget: u64,
}

/// The workloads of a group.
type Run = fn(&Bench) -> Result<()>;

struct Bench {
    options: Options,
}

impl Bench {
    fn runs(&self, group: &str) -> bool {
        let only = &self.options.only;
        only.is_empty() || only.iter().any(|name| name == group)
    }

    fn time<R>(&self, workload: &str, variant: &str, call: impl FnMut() -> Result<R>) -> Result<Times> {
        self.time_each(workload, variant, 1, call)
    }

    fn time_each<R>(
        &self,
        workload: &str,
        variant: &str,
        operations: usize,
        call: impl FnMut() -> Result<R>,
    ) -> Result<Times> {
        let times = time(Duration::from_millis(self.options.budget), operations, call)?;
        let Times { median, min, max } = times;
        if self.options.json {
            let peer = &self.options.peer;
            println!(
                r#"{{"peer":"{peer}","workload":"{workload}","variant":"{variant}","median_ns":{median:.1},"min_ns":{min:.1},"max_ns":{max:.1}}}"#
            );
        } else {
            println!(
                "{workload:<12} {variant:<24} {:>12} {:>12} {:>12}",
                readable(median),
                readable(min),
                readable(max)
            );
        }
        Ok(times)
    }

    fn note(&self, text: &str) {
        if !self.options.json {
            println!("{text}");
        }
    }
}

fn main() -> Result<()> {
    let bench = Bench { options: Options::parse() };
    bench.note(&format!("{:<12} {:<24} {:>12} {:>12} {:>12}", "workload", "variant", "median", "min", "max"));
    let groups: [(&str, Run); 9] = [
        ("machine", machine),
        ("gelu", gelu_sizes),
        ("axpy", axpy_sizes),
        ("norm", norms),
        ("reduce", reductions),
        ("matmul", products),
        ("transpose", transposition),
        ("overhead", overhead),
        ("mlp", training),
    ];
    for (name, run) in groups {
        if bench.runs(name) {
            run(&bench)?;
        }
    }
    Ok(())
}

/// What the machine gives: the bandwidth of a copy that is larger than the caches, and the rate of a large matrix product.
fn machine(bench: &Bench) -> Result<()> {
    const LEN: usize = 1 << 25;
    let source = vec![1.0_f32; LEN];
    let mut target = vec![0.0_f32; LEN];
    let copy = bench.time("machine", "copy", || {
        target.copy_from_slice(black_box(&source));
        Ok(())
    })?;
    bench.note(&format!("  copy, one thread: {:.1} GB/s", 8.0 * LEN as f64 / copy.median));
    let x = random([2048, 2048], 1)?;
    let product = bench.time("machine", "matmul", || matmul(&x, &x))?;
    bench.note(&format!("  matrix product, all threads: {:.0} GFLOP/s", 2.0 * 2048_f64.powi(3) / product.median));
    Ok(())
}

fn gelu_sizes(bench: &Bench) -> Result<()> {
    for exponent in [10, 16, 22, 24] {
        let x = random([1 << exponent], 1)?;
        bench.time("gelu", &format!("2^{exponent}/fwd"), || gelu(&x, 1.25, -0.5))?;
        let ones = Tensor::ones_like(&x)?;
        let x = x.requires_grad();
        bench.time("gelu", &format!("2^{exponent}/fwd+bwd"), || gelu(&x, 1.25, -0.5)?.backward_with(&ones))?;
    }
    Ok(())
}

fn axpy_sizes(bench: &Bench) -> Result<()> {
    for exponent in [10, 16, 22, 24] {
        let (mut y, x) = (random([1 << exponent], 1)?, random([1 << exponent], 2)?);
        bench.time("axpy", &format!("2^{exponent}/inplace"), || axpy(&mut y, &x, 1e-6))?;
    }
    Ok(())
}

fn norms(bench: &Bench) -> Result<()> {
    let x = random([4096, 1024], 1)?;
    let (gamma, beta) = (random([1024], 2)?, random([1024], 3)?);
    let ones = Tensor::ones_like(&x)?;
    bench.time("softmax", "fwd", || softmax(&x))?;
    bench.time("layernorm", "fwd", || layer_norm(&x, &gamma, &beta, 1e-5))?;
    let [x, gamma, beta] = [x, gamma, beta].map(Tensor::requires_grad);
    bench.time("softmax", "fwd+bwd", || softmax(&x)?.backward_with(&ones))?;
    bench.time("layernorm", "fwd+bwd", || layer_norm(&x, &gamma, &beta, 1e-5)?.backward_with(&ones))?;
    Ok(())
}

fn reductions(bench: &Bench) -> Result<()> {
    let x = random([4096, 4096], 1)?;
    bench.time("reduce", "sum/all", || x.sum())?;
    bench.time("reduce", "sum/last", || x.sum_over(1))?;
    bench.time("reduce", "sum/first", || x.sum_over(0))?;
    bench.time("reduce", "mean/all", || x.mean())?;
    bench.time("reduce", "mean/last", || x.mean_over(1))?;
    bench.time("reduce", "mean/first", || x.mean_over(0))?;
    bench.time("reduce", "max/all", || x.max())?;
    bench.time("reduce", "max/last", || x.max_over(1))?;
    bench.time("reduce", "max/first", || x.max_over(0))?;
    Ok(())
}

fn products(bench: &Bench) -> Result<()> {
    for size in [64, 256, 1024, 2048] {
        let (a, b) = (random([size, size], 1)?, random([size, size], 2)?);
        bench.time("matmul", &size.to_string(), || matmul(&a, &b))?;
    }
    let (a, b) = (random([16, 128, 64], 1)?, random([16, 64, 128], 2)?);
    bench.time("matmul", "batched16x128x64x128", || batched_matmul(&a, &b))?;
    Ok(())
}

fn transposition(bench: &Bench) -> Result<()> {
    let (a, b) = (random([4096, 4096], 1)?, random([4096], 2)?);
    bench.time("transpose", "4096", || add_transposed(&a, &b))?;
    Ok(())
}

/// A chain of additions on four elements: what a call costs.
fn overhead(bench: &Bench) -> Result<()> {
    const CHAIN: usize = 100;
    let (x, y) = (random([4], 1)?, random([4], 2)?);
    bench.time_each("overhead", "add4/nograd", CHAIN, || {
        let mut sum = (&x + &y)?;
        for _ in 1..CHAIN {
            sum = (&sum + &y)?;
        }
        Ok(sum)
    })?;
    let ones = Tensor::ones_like(&x)?;
    let x = x.requires_grad();
    let chain = || -> Result<Tensor<Cpu, Grad>> {
        let mut sum = (&x + &y)?;
        for _ in 1..CHAIN {
            sum = (&sum + &y)?;
        }
        Ok(sum)
    };
    bench.time_each("overhead", "add4/grad-fwd", CHAIN, chain)?;
    bench.time_each("overhead", "add4/grad-fwd+bwd", CHAIN, || chain()?.backward_with(&ones))?;
    Ok(())
}

/// A perceptron with two hidden layers.
struct Net([Linear<Cpu>; 3]);

impl Net {
    fn new() -> Result<Net> {
        Ok(Net([Linear::new(&Cpu, 784, 512, 1)?, Linear::new(&Cpu, 512, 256, 2)?, Linear::new(&Cpu, 256, 10, 3)?]))
    }

    fn step(
        &mut self,
        x: &Tensor,
        target: &Tensor<Cpu, NoGrad, i64>,
        optimizer: &mut impl Optimizer<Cpu, f32>,
    ) -> Result<usize> {
        let [first, second, third] = &self.0;
        let hidden = relu(&first.forward::<Grad, _>(x)?)?;
        let hidden = relu(&second.forward::<Grad, _>(&hidden)?)?;
        let gradients = cross_entropy(&third.forward::<Grad, _>(&hidden)?, target)?.backward()?;
        let mut parameters: Vec<_> = self.0.iter_mut().flat_map(Linear::parameters).collect();
        optimizer.step(&mut parameters, &gradients)
    }
}

fn training(bench: &Bench) -> Result<()> {
    let x = random([128, 784], 1)?;
    let target = Tensor::from_vec(&Cpu, (0..128).map(|i| i * 7 % 10).collect::<Vec<i64>>(), [128])?;
    let mut net = Net::new()?;
    let mut sgd = Sgd::new(0.01);
    sgd.momentum = 0.9;
    bench.time("mlp", "sgd-momentum", || net.step(&x, &target, &mut sgd))?;
    let mut net = Net::new()?;
    let mut adamw = AdamW::new(1e-3);
    bench.time("mlp", "adamw", || net.step(&x, &target, &mut adamw))?;
    let kib = peak_memory();
    match bench.options.json {
        true => println!(r#"{{"peer":"{}","workload":"mlp","variant":"rss","rss_kb":{kib}}}"#, bench.options.peer),
        false => println!("  largest memory of the process: {} MiB", kib / 1024),
    }
    Ok(())
}

fn random<const RANK: usize>(shape: [usize; RANK], seed: u64) -> Result<Tensor> {
    Tensor::rand(&Cpu, shape, seed)
}

fn readable(nanoseconds: f64) -> String {
    match nanoseconds {
        ns if ns < 1e3 => format!("{ns:.1} ns"),
        ns if ns < 1e6 => format!("{:.2} us", ns / 1e3),
        ns => format!("{:.2} ms", ns / 1e6),
    }
}
