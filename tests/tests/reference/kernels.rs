//! Which function of the library is meant by a name of the table.

use kernels::optimizer::{
    adam_step, adamw_step, clip_by_norm, rms_prop_momentum_step, rms_prop_step, sgd_momentum_step, sgd_step,
};
use kernels::{activation, attention, contraction, conv, elementwise, index, loss, norm, pool, softmax, statistics};
use tensor_rt::prelude::*;
use tensor_rt_kernels as kernels;

use crate::inputs::Inputs;
use crate::table::Case;

type Outputs<D, M, T> = Vec<Tensor<D, M, T>>;

/// Outputs of the kernel that the case names, in the table's order; none if it is an optimizer's.
pub fn call<D: Device, M: GradMode, T: Float>(
    case: &Case,
    inputs: &Inputs<D, M, T>,
) -> Result<Option<Outputs<D, M, T>>> {
    let x = || inputs.float("x");
    let s = |name| inputs.scalar(name);
    let size = |name, otherwise: usize| inputs.scalar_or(name, otherwise as f64) as usize;
    let middle = case.variant == "middle axis";
    let first = case.variant == "first axis";
    let output = match case.name.as_str() {
        "relu" => activation::relu(x()),
        "leaky_relu" => activation::leaky_relu(x(), s("slope")),
        "elu" => activation::elu(x(), s("alpha")),
        "selu" => activation::selu(x()),
        "gelu" => activation::gelu(x()),
        "gelu_erf" => activation::gelu_erf(x()),
        "silu" => activation::silu(x()),
        "softplus" => activation::softplus(x()),
        "mish" => activation::mish(x()),
        "hardswish" => activation::hardswish(x()),
        "sigmoid" => activation::sigmoid(x()),
        "tanh" => activation::tanh(x()),
        "prelu" => activation::prelu(x(), inputs.float("slope")),

        "softmax" if middle => softmax::softmax_channels(x()),
        "softmax" => softmax::softmax(x()),
        "log_softmax" if middle => softmax::log_softmax_channels(x()),
        "log_softmax" => softmax::log_softmax(x()),
        "logsumexp" => softmax::logsumexp(x()),

        "layer_norm" => norm::layer_norm(x(), inputs.float("gamma"), inputs.float("beta"), s("eps")),
        "rms_norm" => norm::rms_norm(x(), inputs.float("gamma"), s("eps")),
        "group_norm" => norm::group_norm(x(), inputs.float("gamma"), inputs.float("beta"), s("eps")),
        "instance_norm" => norm::instance_norm(x(), inputs.float("gamma"), inputs.float("beta"), s("eps")),
        "batch_norm" if inputs.has("running_mean") => norm::batch_norm_running(
            x(),
            inputs.float("gamma"),
            inputs.float("beta"),
            &inputs.fixed("running_mean"),
            &inputs.fixed("running_var"),
            s("eps"),
        ),
        "batch_norm" => {
            let (y, mean, var) = norm::batch_norm(x(), inputs.float("gamma"), inputs.float("beta"), s("eps"))?;
            return Ok(Some(vec![y, mean, var]));
        }

        "linear" => contraction::linear(x(), inputs.float("w"), inputs.float("b")),
        "batched_matmul" if case.variant == "plain" => {
            contraction::batched_matmul(inputs.float("a"), inputs.float("b"))
        }
        "matmul" | "batched_matmul" => contraction::matmul(inputs.float("a"), inputs.float("b")),
        "bilinear" => contraction::bilinear(x(), inputs.float("w"), inputs.float("z"), inputs.float("b")),
        "pairwise_distance_squared" => contraction::pairwise_distance_squared(x(), inputs.float("z")),
        "scaled_dot_product_attention" => {
            let (q, k, v) = (inputs.float("q"), inputs.float("k"), inputs.float("v"));
            if case.variant == "plain" { attention::attention(q, k, v) } else { attention::causal_attention(q, k, v) }
        }

        "masked_attention" => {
            let (q, k, v) = (inputs.float("q"), inputs.float("k"), inputs.float("v"));
            attention::masked_attention(q, k, v, inputs.mask("mask"))
        }

        "conv1d" => conv::conv1d(
            x(),
            inputs.float("k"),
            inputs.float("b"),
            size("stride", 1),
            size("padding", 0),
            size("dilation", 1),
        ),
        "conv2d_dilated" => conv::conv2d(
            x(),
            inputs.float("k"),
            inputs.float("b"),
            size("stride", 1),
            size("padding", 0),
            size("dilation", 1),
        ),
        "grouped_conv2d" => conv::grouped_conv2d(
            x(),
            inputs.float("k"),
            inputs.float("b"),
            size("stride", 1),
            size("padding", 0),
            size("dilation", 1),
        ),
        "depthwise_conv2d_dilated" => {
            conv::depthwise_conv2d(x(), inputs.float("k"), size("stride", 1), size("padding", 0), size("dilation", 1))
        }
        "conv2d" => conv::conv2d(x(), inputs.float("k"), inputs.float("b"), size("stride", 1), size("padding", 0), 1),
        "depthwise_conv2d" => conv::depthwise_conv2d(x(), inputs.float("k"), size("stride", 1), size("padding", 0), 1),
        "max_pool1d" => pool::max_pool1d(x(), size("window", 0), size("stride", 1), size("padding", 0)),
        "avg_pool1d" => pool::avg_pool1d(x(), size("window", 0), size("stride", 1), size("padding", 0)),
        "max_pool2d" => pool::max_pool2d(x(), size("window", 0), size("stride", 1), size("padding", 0)),
        "avg_pool2d" => pool::avg_pool2d(x(), size("window", 0), size("stride", 1), size("padding", 0)),

        "cross_entropy" => {
            let (logits, target) = (inputs.float("logits"), inputs.integer("target"));
            let smoothing = inputs.scalar_or("smoothing", 0.0);
            let ignore = inputs.scalar_or("ignore_index", -100.0) as i64;
            if inputs.has("weight") {
                loss::cross_entropy_weighted(logits, target, &inputs.fixed("weight"), smoothing, ignore)
            } else if inputs.has_scalar("ignore_index") || inputs.has_scalar("smoothing") {
                loss::cross_entropy_ignoring(logits, target, smoothing, ignore)
            } else {
                loss::cross_entropy(logits, target)
            }
        }
        "nll" => loss::nll(inputs.float("log_p"), inputs.integer("target")),
        "bce_with_logits" => loss::bce_with_logits(x(), inputs.float("target")),
        "mse" => loss::mse(x(), inputs.float("target")),
        "l1" => loss::l1(x(), inputs.float("target")),
        "huber" => loss::huber(x(), inputs.float("target"), s("delta")),
        "smooth_l1" => loss::smooth_l1(x(), inputs.float("target"), s("beta")),
        "kl_div" => loss::kl_div(inputs.float("log_q"), inputs.float("target")),
        "cosine_similarity" => statistics::cosine_similarity(x(), inputs.float("z"), 1e-8),

        "prod" => statistics::product(x()),
        "var" if first => statistics::variance(&x().transpose(0, 1)?),
        "var" => statistics::variance(x()),
        "std" => statistics::standard_deviation(x()),
        "norm" => statistics::norm(x()),
        "cumsum" if first => statistics::cumsum(&x().transpose(0, 1)?)?.transpose(0, 1),
        "cumsum" => statistics::cumsum(x()),

        "clamp" => elementwise::clamp(x(), s("low"), s("high")),
        "minimum" => elementwise::minimum(x(), &inputs.float("z").broadcast_to(x().shape())?),
        "maximum" => elementwise::maximum(x(), &inputs.float("z").broadcast_to(x().shape())?),
        "where" => {
            let (mask, a) = (inputs.mask("mask"), inputs.float("a"));
            elementwise::where_mask(mask, a, &inputs.float("b").broadcast_to(a.shape())?)
        }

        "masked_fill" => elementwise::masked_fill(x(), inputs.mask("mask"), s("value")),
        "power" => elementwise::power(x(), inputs.float("z")),

        "segment_sum" => index::segment_sum(x(), inputs.integer("ids"), size("segments", 0)),
        "embedding" => index::embedding(inputs.float("table"), inputs.integer("ids")),
        "gather" => index::gather(x(), inputs.integer("i")),
        "scatter_add" => index::scatter_add(x(), inputs.integer("i"), inputs.float("source")),
        "index_select" if first => index::index_select(x(), inputs.integer("i")),
        "index_select" => index::index_select_last(x(), inputs.integer("i")),
        "slice_assign" => index::slice_assign(x(), inputs.float("source"), s("start") as usize),

        _ => return Ok(None),
    };
    Ok(Some(vec![output?]))
}

/// What the case's kernel makes of gradients; none if the case is no optimizer's.
pub fn optimize<D: Device, T: Float>(
    case: &Case,
    inputs: &Inputs<D, NoGrad, T>,
) -> Result<Option<Outputs<D, NoGrad, T>>> {
    Ok(match case.name.as_str() {
        "clip_by_norm" => {
            let gradient = inputs.fixed("gradient");
            let device = gradient.device();
            let parameter = Param::new(Tensor::zeros_like(&gradient)?);
            let mut gradients = Gradients::new();
            gradients.set(&parameter, gradient)?;
            let norm = clip_by_norm(&device, &[&parameter], &mut gradients, inputs.scalar("limit"))?;
            Some(vec![gradients.take(&parameter).expect("it was set"), norm.cast()?])
        }
        "sgd" | "sgd_momentum" | "sgd_nesterov" | "adam" | "adamw" | "rmsprop" => Some(vec![descend(case, inputs)?]),
        _ => None,
    })
}

/// The parameter after one step of the optimizer with each row of `gradients`.
fn descend<D: Device, T: Float>(case: &Case, inputs: &Inputs<D, NoGrad, T>) -> Result<Tensor<D, NoGrad, T>> {
    let (mut p, gradients) = (inputs.fixed("parameter"), inputs.float("gradients"));
    let (mut a, mut b) = (Tensor::zeros_like(&p)?, Tensor::zeros_like(&p)?);
    let s = |name| inputs.scalar(name);
    let decay = inputs.scalar_or("weight_decay", 0.0);
    for step in 0..gradients.shape()[0] {
        let g = &gradients.select(0, step)?;
        let unbias = |beta: f64| 1.0 / (1.0 - beta.powi(step as i32 + 1));
        match case.name.as_str() {
            "adam" | "adamw" => {
                let (beta1, beta2, rate) = (s("beta1"), s("beta2"), s("lr"));
                let adam = if case.name == "adam" { adam_step } else { adamw_step };
                let (mix1, mix2) = (1.0 - beta1, 1.0 - beta2);
                adam(&mut p, &mut a, &mut b, g, rate, mix1, mix2, unbias(beta1), unbias(beta2), s("eps"), decay)?;
            }
            "rmsprop" if inputs.has_scalar("momentum") => {
                let mix = 1.0 - s("alpha");
                rms_prop_momentum_step(&mut p, &mut a, &mut b, g, s("lr"), mix, s("eps"), s("momentum"))?;
            }
            "rmsprop" => rms_prop_step(&mut p, &mut a, g, s("lr"), 1.0 - s("alpha"), s("eps"))?,
            "sgd" => sgd_step(&mut p, g, s("lr"), decay)?,
            name => {
                let nesterov = name == "sgd_nesterov";
                sgd_momentum_step(&mut p, &mut a, g, s("lr"), s("momentum"), decay, nesterov)?;
            }
        }
    }
    Ok(p)
}
