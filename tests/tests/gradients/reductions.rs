//! Every reduction of the language that has a gradient: over the last axis, a middle one, the first, several, and all.

use tensor_rt::prelude::*;

use crate::check::{Case, cases};

/// Reductions whose results are positions or conditions.
pub const WITHOUT_GRADIENT: [&str; 4] = ["argmax", "argmin", "any", "all"];

/// A kernel for each way in which the reduced axes may lie, for each reduction.
macro_rules! kernels {
    ($($name:ident;)*) => {
        mod kernels {
            $(pub mod $name {
                tensor_rt::tensor_fn! {
                    pub fn last(x: &Tensor[.., C]) -> Tensor[..] { $name[C](x * x + x) }
                    pub fn middle(x: &Tensor[N, C, ..]) -> Tensor[N, ..] { $name[C](x * x + x) }
                    pub fn first(x: &Tensor[N, ..]) -> Tensor[..] { $name[N](x * x + x) }
                    pub fn both_ends(x: &Tensor[N, C, K]) -> Tensor[C] { $name[N, K](x * x + x) }
                    pub fn every(x: &Tensor[..]) -> Tensor[] { $name[..](x * x + x) }
                    /// Beside its own elements.
                    pub fn beside(x: &Tensor[.., C], y: &Tensor[C]) -> Tensor[.., C] { x * $name[C](x * y) + y }
                }
            })*
        }
    };
}

kernels! { sum; prod; max; min; mean; var; logsumexp; }

tensor_fn! {
    fn product_with_zero(x: &Tensor[N, C]) -> Tensor[N] { prod[C](if C == 1 { 0.0 * x } else { x }) }
}

macro_rules! all_ways {
    ($($name:ident: $low:literal..$high:literal;)*) => {{
        let mut all = vec![];
        $(all.extend(cases! {
            $name: |x: [2, 3, 4] in $low..$high| kernels::$name::last(x);
            $name: |x: [2, 4, 3] in $low..$high| kernels::$name::middle(x);
            $name: |x: [2, 3, 4] in $low..$high| kernels::$name::both_ends(&x.transpose(0, 1)?);
            $name: |x: [3, 4, 2] in $low..$high, y: [2] in $low..$high| kernels::$name::beside(x, y);
        });)*
        all
    }};
}

/// Ties are kinks of these where the first axis is reduced and broadcast.
macro_rules! first_axis {
    ($($name:ident: $low:literal..$high:literal;)*) => {{
        let mut all = vec![];
        $(all.extend(cases! {
            $name: |x: [4, 2, 3] in $low..$high| kernels::$name::first(x);
            $name: |x: [3, 4] in $low..$high| kernels::$name::every(x);
        });)*
        all
    }};
}

/// Cases of every reduction with a gradient.
pub fn cases<D: Device>() -> Vec<Case<D>> {
    let mut cases = all_ways! {
        sum: -2.0..2.0;
        prod: 0.4..1.5;
        max: 0.1..2.0;
        min: 0.1..2.0;
        mean: -2.0..2.0;
        var: -2.0..2.0;
        logsumexp: -2.0..2.0;
    };
    cases.extend(first_axis! {
        sum: -2.0..2.0;
        prod: 0.4..1.5;
        mean: -2.0..2.0;
        var: -2.0..2.0;
        logsumexp: -2.0..2.0;
    });
    cases.extend(cases! {
        prod: |x: [2, 3] in 0.5..1.5| product_with_zero(x);
        max: |x: [1, 4, 3] in 0.1..2.0| kernels::max::middle(x);
        max: |x: [1, 12] in 0.1..2.0| kernels::max::every(x);
        min: |x: [1, 12] in 0.1..2.0| kernels::min::every(x);
        max: |x: [1, 4] in 0.1..2.0| kernels::max::first(&x.transpose(0, 1)?);
        min: |x: [1, 4] in 0.1..2.0| kernels::min::first(&x.transpose(0, 1)?);
    });
    cases
}
