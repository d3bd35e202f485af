//! A library of kernels written with [`tensor_fn!`](tensor_rt::tensor_fn), and the small layers, losses and optimizers
//! on them.
//!
//! Every kernel is a function with the gradient derived by the macro (`cumsum` alone is written by hand); its documentation
//! states the formula and the gradient. `..` stands for any number of axes.
//!
//! | module | kernel | shapes |
//! |---|---|---|
//! | [`activation`] | `relu leaky_relu elu selu gelu gelu_erf silu softplus mish hardswish sigmoid tanh` | `[..] -> [..]` |
//! | | `prelu` | `[N, C, ..], [C] -> [N, C, ..]` |
//! | [`softmax`] | `softmax log_softmax` | `[.., C] -> [.., C]` |
//! | | `softmax_channels log_softmax_channels` | `[N, C, ..] -> [N, C, ..]` |
//! | | `logsumexp` | `[.., C] -> [..]` |
//! | [`norm`] | `layer_norm rms_norm` | `[.., C] -> [.., C]` |
//! | | `group_norm` | `[N, G, C, ..] -> [N, G, C, ..]` |
//! | | `instance_norm batch_norm batch_norm_running` | `[N, C, ..] -> [N, C, ..]` |
//! | [`contraction`] | `linear` | `[.., I], [O, I], [O] -> [.., O]` |
//! | | `matmul` | `[.., M, K], [K, N] -> [.., M, N]` |
//! | | `batched_matmul` | `[.., M, K], [.., K, N] -> [.., M, N]` |
//! | | `bilinear` | `[N, I], [O, I, J], [N, J], [O] -> [N, O]` |
//! | | `pairwise_distance_squared` | `[N, D], [M, D] -> [N, M]` |
//! | [`conv`] | `conv1d` | `[N, C, L], [O, C, W], [O] -> [N, O, P]` |
//! | | `conv2d` | `[N, C, H, W], [O, C, R, S], [O] -> [N, O, P, Q]` |
//! | | `grouped_conv2d` | `[N, G, C, H, W], [G, O, C, R, S], [G, O] -> [N, G, O, P, Q]` |
//! | | `depthwise_conv2d` | `[N, C, H, W], [C, R, S] -> [N, C, P, Q]` |
//! | [`pool`] | `max_pool1d avg_pool1d` | `[.., L] -> [.., P]` |
//! | | `max_pool2d avg_pool2d` | `[.., H, W] -> [.., P, Q]` |
//! | [`attention`] | `attention causal_attention masked_attention` | `[.., T, K], [.., S, K], [.., S, V] -> [.., T, V]` |
//! | [`elementwise`] | `where_mask masked_fill clamp minimum maximum power` | `[..] -> [..]` |
//! | [`dropout`] | `dropout` | `[..] -> [..]` |
//! | [`statistics`] | `variance standard_deviation norm product` | `[.., C] -> [..]` |
//! | | `cosine_similarity` | `[.., D], [.., D] -> [..]` |
//! | | `cumsum` | `[.., T] -> [.., T]` |
//! | [`index`] | `embedding` | `[V, C], ids [..] -> [.., C]` |
//! | | `gather` | `[N, C], i [N, K] -> [N, K]` |
//! | | `index_select` | `[N, ..], i [K] -> [K, ..]` |
//! | | `index_select_last` | `[.., C], i [K] -> [.., K]` |
//! | | `scatter_add scatter_add_into` | `[N, C], i [N, K], [N, K] -> [N, C]` |
//! | | `segment_sum` | `[N, ..], ids [N] -> [S, ..]` |
//! | | `slice_assign` | `[.., C], [.., K] -> [.., C]` |
//! | [`loss`] | `cross_entropy cross_entropy_ignoring cross_entropy_weighted nll` | `[N, C], target [N] -> []` |
//! | | `kl_div` | `[N, ..], [N, ..] -> []` |
//! | | `bce_with_logits mse l1 huber smooth_l1` | `[..], [..] -> []` |
//! | [`optimizer`] | `Sgd Adam AdamW RmsProp` and their steps, `clip_by_norm` | in place |
//! | [`layer`] | `Linear` | `[.., I] -> [.., O]` |
//!
//! Where a convention differs from PyTorch's, the kernel's documentation says so.

#![forbid(unsafe_code)]

pub mod activation;
pub mod attention;
pub mod contraction;
pub mod conv;
pub mod dropout;
pub mod elementwise;
pub mod index;
pub mod layer;
pub mod loss;
pub mod norm;
pub mod optimizer;
pub mod pool;
pub mod softmax;
pub mod statistics;

#[cfg(test)]
mod testing;
