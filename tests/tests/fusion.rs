//! What each kernel of the library costs: launches, passes over the data, and buffers, forward and backward.
//!
//! A kernel that is one fused pass must not become two, nor keep a temporary. The table says what every kernel takes on
//! tracked arguments: a buffer for each output and each residual that the backward pass needs, and in the backward pass one
//! for each gradient. A row that changes for the better is corrected here; one that changes for the worse is a bug.

use tensor_rt::accounting::{Counters, measure};
use tensor_rt::prelude::*;
use tensor_rt_kernels::activation::{gelu, hardswish, prelu, relu, sigmoid, silu, tanh};
use tensor_rt_kernels::attention::causal_attention;
use tensor_rt_kernels::contraction::{batched_matmul, linear, matmul};
use tensor_rt_kernels::dropout::dropout;
use tensor_rt_kernels::elementwise::{clamp, maximum};
use tensor_rt_kernels::index::embedding;
use tensor_rt_kernels::loss::{bce_with_logits, cross_entropy, mse};
use tensor_rt_kernels::norm::{batch_norm, layer_norm, rms_norm};
use tensor_rt_kernels::optimizer::{adamw_step, sgd_momentum_step};
use tensor_rt_kernels::pool::max_pool2d;
use tensor_rt_kernels::softmax::{log_softmax, logsumexp, softmax};
use tensor_rt_kernels::statistics::variance;

/// Launches, passes and allocations.
type Cost = [u64; 3];

fn cost(counters: Counters) -> Cost {
    [counters.launches, counters.passes, counters.allocations]
}

/// Tracked numbers.
fn t<const RANK: usize>(shape: [usize; RANK]) -> Result<Tensor<Cpu, Grad>> {
    Tensor::rand(&Cpu, shape, 7).map(Tensor::requires_grad)
}

/// Untracked integers below `bound`.
fn ids<const RANK: usize>(shape: [usize; RANK], bound: i64) -> Result<Tensor<Cpu, NoGrad, i64>> {
    let count = shape.iter().product::<usize>() as i64;
    Tensor::from_vec(&Cpu, (0..count).map(|i| i * 5 % bound).collect(), shape)
}

/// A call on tracked arguments that exist already.
type Run = Box<dyn Fn() -> Result<Tensor<Cpu, Grad>>>;

/// A call whose arguments are made outside of what is measured.
macro_rules! call {
    ($($argument:ident = $value:expr),* => $call:expr) => {{
        $(let $argument = $value?;)*
        let run: Run = Box::new(move || $call);
        run
    }};
}

fn rows() -> Result<Vec<(&'static str, Cost, Cost, Run)>> {
    Ok(vec![
        ("relu", [1, 1, 1], [1, 1, 1], call!(x = t([8, 16]) => relu(&x))),
        ("gelu", [1, 1, 1], [1, 1, 1], call!(x = t([8, 16]) => gelu(&x))),
        ("silu", [1, 1, 1], [1, 1, 1], call!(x = t([8, 16]) => silu(&x))),
        ("hardswish", [1, 1, 1], [1, 1, 1], call!(x = t([8, 16]) => hardswish(&x))),
        ("sigmoid", [1, 1, 1], [1, 1, 1], call!(x = t([8, 16]) => sigmoid(&x))),
        ("tanh", [1, 1, 1], [1, 1, 1], call!(x = t([8, 16]) => tanh(&x))),
        ("clamp", [1, 1, 1], [1, 1, 1], call!(x = t([8, 16]) => clamp(&x, 0.2, 0.8))),
        ("dropout", [1, 1, 1], [1, 1, 1], call!(x = t([8, 16]) => dropout(&x, 0.5, 3))),
        ("maximum", [1, 1, 1], [1, 1, 2], call!(x = t([8, 16]), y = t([8, 16]) => maximum(&x, &y))),
        // The gradient of both is the cotangent as it stands.
        ("add", [1, 1, 1], [0, 0, 0], call!(x = t([8, 16]), y = t([8, 16]) => &x + &y)),
        ("prelu", [1, 1, 1], [1, 1, 2], call!(x = t([8, 4, 16]), a = t([4]) => prelu(&x, &a))),
        ("softmax", [1, 3, 3], [1, 2, 1], call!(x = t([8, 16]) => softmax(&x))),
        ("log_softmax", [1, 3, 3], [1, 2, 1], call!(x = t([8, 16]) => log_softmax(&x))),
        ("logsumexp", [1, 2, 3], [1, 1, 1], call!(x = t([8, 16]) => logsumexp(&x))),
        ("variance", [1, 2, 2], [1, 1, 1], call!(x = t([8, 16]) => variance(&x))),
        (
            "layer_norm",
            [1, 3, 4],
            [2, 3, 3],
            call!(x = t([8, 16]), g = t([16]), b = t([16]) => layer_norm(&x, &g, &b, 1e-5)),
        ),
        ("rms_norm", [1, 2, 2], [2, 3, 2], call!(x = t([8, 16]), g = t([16]) => rms_norm(&x, &g, 1e-5))),
        (
            "batch_norm",
            [3, 3, 6],
            [2, 2, 7],
            call!(x = t([8, 4, 6]), g = t([4]), b = t([4]) => batch_norm(&x, &g, &b, 1e-5).map(|(y, ..)| y)),
        ),
        ("matmul", [1, 1, 1], [2, 2, 2], call!(a = t([8, 16]), b = t([16, 4]) => matmul(&a, &b))),
        ("batched_matmul", [1, 1, 1], [2, 2, 2], call!(a = t([2, 8, 16]), b = t([2, 16, 4]) => batched_matmul(&a, &b))),
        ("linear", [1, 1, 1], [3, 3, 3], call!(x = t([8, 16]), w = t([4, 16]), b = t([4]) => linear(&x, &w, &b))),
        (
            "causal_attention",
            [3, 4, 4],
            [5, 5, 6],
            call!(q = t([2, 8, 4]), k = t([2, 8, 4]), v = t([2, 8, 4]) => causal_attention(&q, &k, &v)),
        ),
        ("max_pool2d", [1, 1, 2], [2, 2, 2], call!(x = t([2, 8, 8]) => max_pool2d(&x, 2, 2, 0))),
        ("embedding", [1, 1, 1], [1, 1, 1], call!(w = t([10, 4]), i = ids([6], 10) => embedding(&w, &i))),
        ("mse", [1, 1, 1], [1, 1, 2], call!(x = t([8, 16]), y = t([8, 16]) => mse(&x, &y))),
        ("bce_with_logits", [1, 1, 1], [1, 1, 2], call!(x = t([8, 16]), y = t([8, 16]) => bce_with_logits(&x, &y))),
        ("cross_entropy", [2, 3, 3], [1, 1, 1], call!(x = t([8, 16]), i = ids([8], 16) => cross_entropy(&x, &i))),
    ])
}

#[test]
fn every_kernel_costs_what_the_table_says() -> Result<()> {
    let mut wrong = String::new();
    for (name, forward, backward, run) in rows()? {
        let (result, there) = measure(&run);
        let result = result?;
        let ones = Tensor::ones_like(&result.detach())?;
        let (gradients, back) = measure(|| result.backward_with(&ones));
        gradients?;
        let found = (cost(there.total()), cost(back.total()));
        if found != (forward, backward) {
            wrong += &format!("{name}: {found:?}, not {:?}\n", (forward, backward));
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
    Ok(())
}

/// Steps of optimizers edit in place: one pass and no buffer.
#[test]
fn a_step_of_an_optimizer_is_one_pass_without_a_buffer() -> Result<()> {
    let vector = |seed| Tensor::rand(&Cpu, [64], seed);
    let (mut p, mut m, mut v, g) = (vector(1)?, vector(2)?, vector(3)?, vector(4)?);
    let (result, report) = measure(|| sgd_momentum_step(&mut p, &mut m, &g, 0.1, 0.9, 0.0, false));
    result?;
    assert_eq!(cost(report.total()), [1, 1, 0]);
    let step = || adamw_step(&mut p, &mut m, &mut v, &g, 0.1, 0.1, 0.001, 1.0, 1.0, 1e-8, 0.01);
    let (result, report) = measure(step);
    result?;
    assert_eq!(cost(report.total()), [1, 1, 0]);
    Ok(())
}
