//! Losses: one number that says how far a prediction is from its target.
//!
//! Invariants: a loss never broadcasts, so shapes that differ are an error; it is a mean over the rows or elements that
//! count, and 0 with a zero gradient if none does.

mod classification;
mod regression;

pub use classification::{bce_with_logits, cross_entropy, cross_entropy_ignoring, cross_entropy_weighted, kl_div, nll};
pub use regression::{huber, l1, mse, smooth_l1};
