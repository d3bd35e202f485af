//! One benchmark per kernel of each family, and one of its gradient: `cargo bench -p tensor-rt-kernels`, or with a name
//! behind `--`. Times are of calls as a user makes them, with fresh results; a gradient includes the forward pass.

use std::time::Duration;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, criterion_group, criterion_main};
use tensor_rt::prelude::*;
use tensor_rt_kernels::activation::{gelu, gelu_erf, relu, silu};
use tensor_rt_kernels::attention::causal_attention;
use tensor_rt_kernels::contraction::{batched_matmul, linear, matmul, pairwise_distance_squared};
use tensor_rt_kernels::conv::{conv2d, depthwise_conv2d};
use tensor_rt_kernels::dropout::dropout;
use tensor_rt_kernels::elementwise::{power, where_mask};
use tensor_rt_kernels::index::{embedding, gather, scatter_add, segment_sum};
use tensor_rt_kernels::loss::{cross_entropy, huber, mse};
use tensor_rt_kernels::norm::{batch_norm, group_norm, layer_norm, rms_norm};
use tensor_rt_kernels::optimizer::{adamw_step, sgd_momentum_step};
use tensor_rt_kernels::pool::{avg_pool2d, max_pool2d};
use tensor_rt_kernels::softmax::{log_softmax, logsumexp, softmax};
use tensor_rt_kernels::statistics::{cosine_similarity, cumsum, product, variance};

/// Elements of the larger operands: more than the nearest caches hold, less than the last one.
const LEN: usize = 1 << 20;
const ROWS: usize = 1 << 10;

type Group<'a> = BenchmarkGroup<'a, WallTime>;

/// Two benchmarks of a call: of its result for an untracked operand, and of the gradient for a tracked one.
macro_rules! forward_and_gradient {
    ($group:expr, $name:literal, $x:ident => $call:expr) => {{
        let untracked = &$x;
        $group.bench_function($name, |bencher| {
            let $x = untracked;
            bencher.iter(|| $call.expect("the shapes fit"));
        });
        let tracked = untracked.clone().requires_grad();
        let $x = &tracked;
        let ones =
            Tensor::ones(&Cpu, $call.expect("the shapes fit").shape().to_vec()).expect("memory for the cotangent");
        $group.bench_function(concat!($name, "/gradient"), |bencher| {
            bencher.iter(|| $call.expect("the shapes fit").backward_with(&ones).expect("a gradient"));
        });
    }};
}

fn activation(group: &mut Group<'_>) -> Result<()> {
    let x = Tensor::randn(&Cpu, [LEN], 1)?;
    forward_and_gradient!(group, "relu", x => relu(x));
    forward_and_gradient!(group, "gelu", x => gelu(x));
    forward_and_gradient!(group, "gelu_erf", x => gelu_erf(x));
    forward_and_gradient!(group, "silu", x => silu(x));
    Ok(())
}

fn elementwise(group: &mut Group<'_>) -> Result<()> {
    let (x, z) = (Tensor::rand(&Cpu, [LEN], 1)?, Tensor::randn(&Cpu, [LEN], 2)?);
    let mask = z.gt(0.0)?;
    forward_and_gradient!(group, "where_mask", x => where_mask(&mask, x, &z));
    forward_and_gradient!(group, "power", x => power(x, &z));
    forward_and_gradient!(group, "dropout", x => dropout(x, 0.1, 7));
    Ok(())
}

fn rows(group: &mut Group<'_>) -> Result<()> {
    let x = Tensor::randn(&Cpu, [ROWS, LEN / ROWS], 1)?;
    let (gamma, beta) = (Tensor::rand(&Cpu, [LEN / ROWS], 2)?, Tensor::rand(&Cpu, [LEN / ROWS], 3)?);
    forward_and_gradient!(group, "softmax", x => softmax(x));
    forward_and_gradient!(group, "log_softmax", x => log_softmax(x));
    forward_and_gradient!(group, "logsumexp", x => logsumexp(x));
    forward_and_gradient!(group, "layer_norm", x => layer_norm(x, &gamma, &beta, 1e-5));
    forward_and_gradient!(group, "rms_norm", x => rms_norm(x, &gamma, 1e-5));
    forward_and_gradient!(group, "variance", x => variance(x));
    forward_and_gradient!(group, "product", x => product(x));
    forward_and_gradient!(group, "cosine_similarity", x => cosine_similarity(x, &x.detach(), 1e-8));
    forward_and_gradient!(group, "cumsum", x => cumsum(x));
    Ok(())
}

/// Normalization over axes that are not the last one alone.
fn channels(group: &mut Group<'_>) -> Result<()> {
    let x = Tensor::randn(&Cpu, [16, 64, 32, 32], 1)?;
    let (gamma, beta) = (Tensor::rand(&Cpu, [64], 2)?, Tensor::rand(&Cpu, [64], 3)?);
    forward_and_gradient!(group, "batch_norm", x => batch_norm(x, &gamma, &beta, 1e-5).map(|(y, _, _)| y));
    let x = x.reshape([16, 8, 8, 32, 32])?;
    let (gamma, beta) = (gamma.reshape([8, 8])?, beta.reshape([8, 8])?);
    forward_and_gradient!(group, "group_norm", x => group_norm(x, &gamma, &beta, 1e-5));
    Ok(())
}

fn contraction(group: &mut Group<'_>) -> Result<()> {
    let (a, b) = (Tensor::randn(&Cpu, [256, 256], 1)?, Tensor::randn(&Cpu, [256, 256], 2)?);
    let bias = Tensor::rand(&Cpu, [256], 3)?;
    forward_and_gradient!(group, "matmul", a => matmul(a, &b));
    forward_and_gradient!(group, "linear", a => linear(a, &b, &bias));
    forward_and_gradient!(group, "pairwise_distance_squared", a => pairwise_distance_squared(a, &b));
    let (a, b) = (Tensor::randn(&Cpu, [16, 128, 64], 1)?, Tensor::randn(&Cpu, [16, 64, 128], 2)?);
    forward_and_gradient!(group, "batched_matmul", a => batched_matmul(a, &b));
    let q = Tensor::randn(&Cpu, [8, 128, 32], 1)?;
    forward_and_gradient!(group, "causal_attention", q => causal_attention(q, &q.detach(), &q.detach()));
    Ok(())
}

fn windows(group: &mut Group<'_>) -> Result<()> {
    let x = Tensor::randn(&Cpu, [4, 16, 32, 32], 1)?;
    let (kernels, bias) = (Tensor::randn(&Cpu, [16, 16, 3, 3], 2)?, Tensor::rand(&Cpu, [16], 3)?);
    forward_and_gradient!(group, "conv2d", x => conv2d(x, &kernels, &bias, 1, 1, 1));
    let kernels = Tensor::randn(&Cpu, [16, 3, 3], 2)?;
    forward_and_gradient!(group, "depthwise_conv2d", x => depthwise_conv2d(x, &kernels, 1, 1, 1));
    forward_and_gradient!(group, "max_pool2d", x => max_pool2d(x, 2, 2, 0));
    forward_and_gradient!(group, "avg_pool2d", x => avg_pool2d(x, 2, 2, 0));
    Ok(())
}

fn index(group: &mut Group<'_>) -> Result<()> {
    let x = Tensor::randn(&Cpu, [ROWS, 64], 1)?;
    let ids = |len: usize, below: i64| (0..len as i64).map(move |i| i * 7919 % below).collect::<Vec<_>>();
    let rows = Tensor::from_vec(&Cpu, ids(ROWS, ROWS as i64), [ROWS])?;
    let columns = Tensor::from_vec(&Cpu, ids(ROWS * 16, 64), [ROWS, 16])?;
    let source = Tensor::rand(&Cpu, [ROWS, 16], 2)?;
    forward_and_gradient!(group, "embedding", x => embedding(x, &rows));
    forward_and_gradient!(group, "gather", x => gather(x, &columns));
    forward_and_gradient!(group, "scatter_add", x => scatter_add(x, &columns, &source));
    forward_and_gradient!(group, "segment_sum", x => segment_sum(x, &rows, ROWS));
    Ok(())
}

fn loss(group: &mut Group<'_>) -> Result<()> {
    let (x, z) = (Tensor::randn(&Cpu, [ROWS, 256], 1)?, Tensor::randn(&Cpu, [ROWS, 256], 2)?);
    let target = Tensor::from_vec(&Cpu, (0..ROWS as i64).map(|i| i * 31 % 256).collect(), [ROWS])?;
    forward_and_gradient!(group, "cross_entropy", x => cross_entropy(x, &target));
    forward_and_gradient!(group, "mse", x => mse(x, &z));
    forward_and_gradient!(group, "huber", x => huber(x, &z, 1.0));
    Ok(())
}

fn optimizer(group: &mut Group<'_>) -> Result<()> {
    let gradient = Tensor::randn(&Cpu, [LEN], 1)?;
    let [mut p, mut m, mut v] = [2, 3, 4].map(|seed| Tensor::rand(&Cpu, [LEN], seed).expect("memory for the state"));
    group.bench_function("sgd_momentum_step", |bencher| {
        bencher.iter(|| sgd_momentum_step(&mut p, &mut m, &gradient, 1e-6, 0.9, 0.0, false).expect("the shapes fit"));
    });
    group.bench_function("adamw_step", |bencher| {
        bencher.iter(|| {
            adamw_step(&mut p, &mut m, &mut v, &gradient, 1e-6, 0.1, 0.001, 1.0, 1.0, 1e-8, 0.01)
                .expect("the shapes fit")
        });
    });
    Ok(())
}

/// The benchmarks of a family.
type Family = fn(&mut Group<'_>) -> Result<()>;

fn families(criterion: &mut Criterion) {
    let families: [(&str, Family); 9] = [
        ("activation", activation),
        ("elementwise", elementwise),
        ("rows", rows),
        ("channels", channels),
        ("contraction", contraction),
        ("windows", windows),
        ("index", index),
        ("loss", loss),
        ("optimizer", optimizer),
    ];
    for (name, family) in families {
        let mut group = criterion.benchmark_group(name);
        family(&mut group).expect("memory for the operands");
        group.finish();
    }
}

criterion_group! {
    name = kernels;
    config = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(100))
        .measurement_time(Duration::from_millis(300))
        .without_plots();
    targets = families
}
criterion_main!(kernels);
