//! Every kernel of the library with a gradient.

use tensor_rt::Result;
use tensor_rt::prelude::*;
use tensor_rt_kernels::{
    activation, attention, contraction, conv, dropout, elementwise, index, loss, norm, pool, softmax, statistics,
};

use crate::check::{Case, cases};

/// What edits in place, and what is no kernel.
pub const WITHOUT_GRADIENT: [&str; 7] =
    ["scatter_add_into", "Sgd", "Adam", "AdamW", "RmsProp", "clip_by_norm", "Linear"];

/// The names in the table of the library's documentation.
pub fn table() -> Vec<String> {
    let text = include_str!("../../../kernels/src/lib.rs");
    let rows = text.lines().filter_map(|line| line.strip_prefix("//! | "));
    let quoted = rows.filter_map(|row| row.split('|').nth(1)).flat_map(|cell| cell.split('`').skip(1).step_by(2));
    quoted.flat_map(str::split_whitespace).map(str::to_owned).collect()
}

/// Positions, which are no inputs of a case.
fn positions<D: Device, const RANK: usize>(
    device: &D,
    values: &[i64],
    shape: [usize; RANK],
) -> Result<Tensor<D, NoGrad, i64>> {
    Tensor::from_vec(device, values.to_vec(), shape)
}

fn mask<D: Device, const RANK: usize>(
    device: &D,
    values: &[bool],
    shape: [usize; RANK],
) -> Result<Tensor<D, NoGrad, bool>> {
    Tensor::from_vec(device, values.to_vec(), shape)
}

fn weights<D: Device>(device: &D, values: &[f64]) -> Result<Tensor<D, NoGrad, f64>> {
    Tensor::from_vec(device, values.to_vec(), [values.len()])
}

/// Cases of every kernel with a gradient.
pub fn cases<D: Device>() -> Vec<Case<D>> {
    let mut cases = activations();
    cases.extend(rows());
    cases.extend(contractions());
    cases.extend(windows());
    cases.extend(elements());
    cases.extend(indices());
    cases.extend(losses());
    cases
}

fn activations<D: Device>() -> Vec<Case<D>> {
    cases! {
        relu: |x: [2, 3] in -2.0..2.0| activation::relu(x);
        leaky_relu: |x: [2, 3] in -2.0..2.0| activation::leaky_relu(x, 0.1);
        elu: |x: [2, 3] in -2.0..2.0| activation::elu(x, 0.7);
        selu: |x: [2, 3] in -2.0..2.0| activation::selu(x);
        gelu: |x: [2, 3] in -2.0..2.0| activation::gelu(x);
        gelu_erf: |x: [2, 3] in -2.0..2.0| activation::gelu_erf(x);
        silu: |x: [2, 3] in -2.0..2.0| activation::silu(x);
        softplus: |x: [2, 3] in -2.0..2.0| activation::softplus(x);
        mish: |x: [2, 3] in -2.0..2.0| activation::mish(x);
        hardswish: |x: [2, 3] in -2.0..2.0| activation::hardswish(x);
        sigmoid: |x: [2, 3] in -2.0..2.0| activation::sigmoid(x);
        tanh: |x: [2, 3] in -2.0..2.0| activation::tanh(x);
        prelu: |x: [2, 3, 2] in -2.0..2.0, slope: [3] in 0.1..0.9| activation::prelu(x, slope);
    }
}

fn rows<D: Device>() -> Vec<Case<D>> {
    cases! {
        softmax: |x: [2, 5] in -2.0..2.0| softmax::softmax(x);
        log_softmax: |x: [2, 5] in -2.0..2.0| softmax::log_softmax(x);
        softmax_channels: |x: [2, 4, 3] in -2.0..2.0| softmax::softmax_channels(x);
        log_softmax_channels: |x: [2, 4, 3] in -2.0..2.0| softmax::log_softmax_channels(x);
        logsumexp: |x: [2, 5] in -2.0..2.0| softmax::logsumexp(x);
        layer_norm: |x: [3, 5] in -2.0..2.0, gamma: [5] in 0.5..1.5, beta: [5] in -1.0..1.0|
            norm::layer_norm(x, gamma, beta, 1e-3);
        rms_norm: |x: [3, 5] in -2.0..2.0, gamma: [5] in 0.5..1.5| norm::rms_norm(x, gamma, 1e-3);
        group_norm: |x: [2, 2, 3, 2] in -2.0..2.0, gamma: [2, 3] in 0.5..1.5, beta: [2, 3] in -1.0..1.0|
            norm::group_norm(x, gamma, beta, 1e-3);
        instance_norm: |x: [2, 3, 4] in -2.0..2.0, gamma: [3] in 0.5..1.5, beta: [3] in -1.0..1.0|
            norm::instance_norm(x, gamma, beta, 1e-3);
        batch_norm: |x: [3, 2, 3] in -2.0..2.0, gamma: [2] in 0.5..1.5, beta: [2] in -1.0..1.0|
            norm::batch_norm(x, gamma, beta, 1e-3).map(|(y, _, _)| y);
        batch_norm: |x: [3, 2, 3] in -2.0..2.0, gamma: [2] in 0.5..1.5, beta: [2] in -1.0..1.0|
            norm::batch_norm(x, gamma, beta, 1e-3).and_then(|(y, mean, var)| y.sum()? + (mean * var)?.sum()?);
        batch_norm_running: |x: [3, 2, 3] in -2.0..2.0, gamma: [2] in 0.5..1.5, beta: [2] in -1.0..1.0|
            norm::batch_norm_running(x, gamma, beta, &weights(&x.device(), &[0.1, -0.2])?, &weights(&x.device(), &[0.5, 1.5])?, 1e-3);
        variance: |x: [3, 5] in -2.0..2.0| statistics::variance(x);
        standard_deviation: |x: [3, 5] in -2.0..2.0| statistics::standard_deviation(x);
        norm: |x: [3, 5] in -2.0..2.0| statistics::norm(x);
        product: |x: [3, 4] in 0.5..1.5| statistics::product(x);
        cosine_similarity: |x: [3, 4] in -2.0..2.0, z: [3, 4] in 0.5..2.0| statistics::cosine_similarity(x, z, 1e-8);
        cumsum: |x: [3, 4] in -2.0..2.0| statistics::cumsum(x);
    }
}

fn contractions<D: Device>() -> Vec<Case<D>> {
    cases! {
        linear: |x: [2, 2, 3] in -2.0..2.0, w: [4, 3] in -1.0..1.0, b: [4] in -1.0..1.0| contraction::linear(x, w, b);
        matmul: |a: [2, 2, 3] in -2.0..2.0, b: [3, 4] in -1.0..1.0| contraction::matmul(a, b);
        batched_matmul: |a: [2, 2, 3] in -2.0..2.0, b: [2, 3, 4] in -1.0..1.0| contraction::batched_matmul(a, b);
        bilinear: |x: [3, 2] in -2.0..2.0, w: [2, 2, 3] in -1.0..1.0, z: [3, 3] in -1.0..1.0, b: [2] in -1.0..1.0|
            contraction::bilinear(x, w, z, b);
        pairwise_distance_squared: |x: [3, 4] in -2.0..2.0, z: [2, 4] in -1.0..1.0|
            contraction::pairwise_distance_squared(x, z);
        attention: |q: [2, 3, 2] in -1.0..1.0, k: [2, 4, 2] in -1.0..1.0, v: [2, 4, 3] in -1.0..1.0|
            attention::attention(q, k, v);
        causal_attention: |q: [2, 4, 2] in -1.0..1.0, k: [2, 4, 2] in -1.0..1.0, v: [2, 4, 3] in -1.0..1.0|
            attention::causal_attention(q, k, v);
        masked_attention: |q: [2, 2, 2] in -1.0..1.0, k: [2, 3, 2] in -1.0..1.0, v: [2, 3, 2] in -1.0..1.0|
            attention::masked_attention(q, k, v, &mask(
                &q.device(),
                &[true, true, false, false, true, true, false, false, false, true, false, true],
                [2, 2, 3],
            )?);
    }
}

fn windows<D: Device>() -> Vec<Case<D>> {
    cases! {
        conv1d: |x: [2, 2, 5] in -2.0..2.0, k: [2, 2, 3] in -1.0..1.0, b: [2] in -1.0..1.0| conv::conv1d(x, k, b, 2, 1, 1);
        conv2d: |x: [2, 2, 4, 3] in -2.0..2.0, k: [2, 2, 2, 2] in -1.0..1.0, b: [2] in -1.0..1.0|
            conv::conv2d(x, k, b, 1, 1, 2);
        grouped_conv2d: |x: [1, 2, 2, 3, 3] in -2.0..2.0, k: [2, 1, 2, 2, 2] in -1.0..1.0, b: [2, 1] in -1.0..1.0|
            conv::grouped_conv2d(x, k, b, 1, 0, 1);
        depthwise_conv2d: |x: [2, 2, 3, 4] in -2.0..2.0, k: [2, 2, 3] in -1.0..1.0| conv::depthwise_conv2d(x, k, 1, 1, 1);
        max_pool1d: |x: [2, 7] in -2.0..2.0| pool::max_pool1d(x, 3, 2, 1);
        avg_pool1d: |x: [2, 7] in -2.0..2.0| pool::avg_pool1d(x, 3, 2, 1);
        max_pool2d: |x: [2, 4, 5] in -2.0..2.0| pool::max_pool2d(x, 2, 1, 1);
        avg_pool2d: |x: [2, 4, 5] in -2.0..2.0| pool::avg_pool2d(x, 2, 2, 0);
    }
}

fn elements<D: Device>() -> Vec<Case<D>> {
    cases! {
        where_mask: |a: [2, 3] in -2.0..2.0, b: [2, 3] in -2.0..2.0|
            elementwise::where_mask(&mask(&a.device(), &[true, false, true, false, false, true], [2, 3])?, a, b);
        masked_fill: |x: [2, 3] in -2.0..2.0|
            elementwise::masked_fill(x, &mask(&x.device(), &[true, false, true, false, false, true], [2, 3])?, 0.5);
        clamp: |x: [2, 3] in -2.0..2.0| elementwise::clamp(x, -0.7, 0.9);
        minimum: |x: [2, 3] in -2.0..2.0, z: [2, 3] in -1.0..1.0| elementwise::minimum(x, z);
        maximum: |x: [2, 3] in -2.0..2.0, z: [2, 3] in -1.0..1.0| elementwise::maximum(x, z);
        dropout: |x: [4, 5] in -2.0..2.0| dropout::dropout(x, 0.4, 7);
        power: |x: [2, 3] in 0.3..2.0, z: [2, 3] in -1.0..2.0| elementwise::power(x, z);
    }
}

fn indices<D: Device>() -> Vec<Case<D>> {
    cases! {
        embedding: |table: [4, 3] in -2.0..2.0| index::embedding(table, &positions(&table.device(), &[1, 1, 3, 0], [2, 2])?);
        gather: |x: [2, 3] in -2.0..2.0| index::gather(x, &positions(&x.device(), &[2, 0, 2, 1, 1, 1], [2, 3])?);
        index_select: |x: [3, 2] in -2.0..2.0| index::index_select(x, &positions(&x.device(), &[2, 0, 2, 1], [4])?);
        index_select_last: |x: [2, 3] in -2.0..2.0| index::index_select_last(x, &positions(&x.device(), &[2, 0, 2, 1], [4])?);
        scatter_add: |x: [2, 3] in -2.0..2.0, source: [2, 2] in -2.0..2.0|
            index::scatter_add(x, &positions(&x.device(), &[2, 0, 1, 1], [2, 2])?, source);
        segment_sum: |x: [4, 2] in -2.0..2.0| index::segment_sum(x, &positions(&x.device(), &[2, 0, 2, 1], [4])?, 3);
        slice_assign: |x: [2, 5] in -2.0..2.0, source: [2, 2] in -2.0..2.0| index::slice_assign(x, source, 1);
    }
}

fn losses<D: Device>() -> Vec<Case<D>> {
    cases! {
        cross_entropy: |logits: [3, 4] in -2.0..2.0| loss::cross_entropy(logits, &positions(&logits.device(), &[2, 0, 3], [3])?);
        cross_entropy_ignoring: |logits: [3, 4] in -2.0..2.0|
            loss::cross_entropy_ignoring(logits, &positions(&logits.device(), &[2, -100, 3], [3])?, 0.1, -100);
        cross_entropy_weighted: |logits: [3, 4] in -2.0..2.0|
            loss::cross_entropy_weighted(logits, &positions(&logits.device(), &[2, 0, -100], [3])?, &weights(&logits.device(), &[0.5, 1.0, 1.5, 2.0])?, 0.1, -100);
        nll: |log_p: [3, 4] in -2.0..-0.1| loss::nll(log_p, &positions(&log_p.device(), &[2, 0, 3], [3])?);
        kl_div: |log_q: [3, 4] in -2.0..-0.1, target: [3, 4] in 0.1..0.9| loss::kl_div(log_q, target);
        bce_with_logits: |x: [2, 3] in -2.0..2.0, target: [2, 3] in 0.1..0.9| loss::bce_with_logits(x, target);
        mse: |x: [2, 3] in -2.0..2.0, target: [2, 3] in -2.0..2.0| loss::mse(x, target);
        l1: |x: [2, 3] in 0.1..2.0, target: [2, 3] in -2.0..-0.1| loss::l1(x, target);
        huber: |x: [2, 3] in -2.0..2.0, target: [2, 3] in -0.7..0.5| loss::huber(x, target, 0.8);
        smooth_l1: |x: [2, 3] in -2.0..2.0, target: [2, 3] in -0.7..0.5| loss::smooth_l1(x, target, 0.8);
    }
}
