//! A crate that denies every warning, has no prelude, forbids unsafe code and hides the names that generated code might use.

#![deny(missing_docs, warnings, unused, nonstandard_style, rust_2018_idioms)]
#![deny(
    unused_qualifications,
    unused_results,
    unreachable_pub,
    single_use_lifetimes,
    trivial_casts,
    let_underscore_drop
)]
#![deny(
    missing_debug_implementations,
    missing_copy_implementations,
    elided_lifetimes_in_paths,
    explicit_outlives_requirements
)]
#![forbid(unsafe_code)]
#![no_implicit_prelude]

/// A module in which the usual names mean something else.
mod shadowed {
    #![allow(dead_code, unused_imports, missing_docs, missing_debug_implementations, missing_copy_implementations)]

    pub(crate) struct Result;
    pub(crate) struct Option;
    pub(crate) struct Vec;
    pub(crate) struct Tensor;
    pub(crate) struct Error;
    pub(crate) struct PhantomData;
    pub(crate) trait Clone {}
    pub(crate) trait Device {}
    pub(crate) trait Float {}
    pub(crate) trait Element {}
    pub(crate) mod std {}
    pub(crate) mod core {}
    pub(crate) mod tensor_rt {}
    pub(crate) enum Shadow {
        Ok,
        Err,
        Some,
        None,
    }
    pub(crate) use Shadow::{Err, None, Ok, Some};

    ::tensor_rt::tensor_fn! {
        /// Softmax over the last axis.
        pub(crate) fn softmax(x: &Tensor[.., C]) -> Tensor[.., C] {
            let e = exp(x - max[C](x));
            e / sum[C](e)
        }

        /// y <- y + a x
        pub(super) fn axpy(y: &mut Tensor[N], x: &Tensor[N], a: float) { y += a * x; }

        /// The loss of each row's target.
        pub(in crate::pass::strict_crate::shadowed) fn cross_entropy(logits: &Tensor[N, C], target: &Tensor<i64>[N]) -> Tensor[] {
            mean[N](logsumexp[C](logits) - logits[N, target])
        }
    }

    /// Calls the kernel that only this module sees.
    pub(crate) fn loss<M: ::tensor_rt::GradMode>(
        logits: &::tensor_rt::Tensor<::tensor_rt::Cpu, M>,
        target: &::tensor_rt::Tensor<::tensor_rt::Cpu, ::tensor_rt::NoGrad, i64>,
    ) -> ::tensor_rt::Result<::tensor_rt::Tensor<::tensor_rt::Cpu, M>> {
        cross_entropy(logits, target)
    }
}

/// A public module, in which every public item is documented.
pub mod documented {
    ::tensor_rt::tensor_fn! {
        /// A kernel without generic types, of no inputs.
        pub fn ramp(count: usize) -> Tensor<f32>[N = count] { N }

        /// The parameter that is not used warns of nothing, and neither does the long list of the others.
        pub fn many(x: &Tensor[N], a: float, b: float, c: float, d: float, e: float, f: float, unused: bool) -> Tensor[N] {
            x + a + b + c + d + e + f
        }

        /// Exists.
        #[cfg(all())]
        pub fn present(x: &Tensor[N]) -> Tensor[N] { x }

        /// Does not exist: its twin would be declared twice.
        #[cfg(any())]
        pub fn present(x: &Tensor[N]) -> Tensor[N] { -x }

        #[doc = "Documented by an attribute."]
        #[must_use = "the result is the point"]
        #[inline]
        pub fn attributes(x: &Tensor[N]) -> (Tensor[N], Tensor<i64>[]) { (x, argmax[N](x)) }

        #[expect(missing_docs, reason = "a lint is forwarded")]
        pub fn undocumented(x: &Tensor[N]) -> Tensor[N] { x }
    }
}

/// Runs the kernels.
pub fn main() -> ::tensor_rt::Result<()> {
    use ::std::assert_eq;
    use ::std::result::Result::Ok;

    let x = ::tensor_rt::Tensor::zeros(&::tensor_rt::Cpu, [1, 2])?;
    assert_eq!(shadowed::softmax(&x)?.to_vec()?, [0.5, 0.5]);
    let mut y = documented::ramp(&::tensor_rt::Cpu, 2)?;
    let same = documented::present(&y)?;
    shadowed::axpy(&mut y, &same, 2.0)?;
    assert_eq!(y.to_vec()?, [0.0, 3.0]);
    let y = documented::many(&documented::undocumented(&y)?, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, true)?;
    let (same, place) = documented::attributes(&y)?;
    assert_eq!(same.to_vec()?, [21.0, 24.0]);
    assert_eq!(place.item()?, 1);
    let target = ::tensor_rt::Tensor::zeros_of::<i64>(&::tensor_rt::Cpu, [1])?;
    let x = x.requires_grad();
    let gradients = shadowed::loss(&x, &target)?.backward()?;
    let gradient = gradients.get(&x).expect("`x` took part");
    assert_eq!(gradient.to_vec()?, [-0.5, 0.5]);
    Ok(())
}
