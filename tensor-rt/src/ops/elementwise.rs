//! Methods that map every element by itself.

use crate::device::Device;
use crate::element::Float;
use crate::error::Result;
use crate::mode::{GradMode, NoGrad};
use crate::relation::WithoutGradient;
use crate::tensor::Tensor;
use crate::tensor_fn;

mod kernel {
    use super::tensor_fn;

    tensor_fn! {
        pub(super) fn exp(x: &Tensor[..]) -> Tensor[..] { exp(x) }
        pub(super) fn exp2(x: &Tensor[..]) -> Tensor[..] { exp2(x) }
        pub(super) fn ln(x: &Tensor[..]) -> Tensor[..] { ln(x) }
        pub(super) fn log2(x: &Tensor[..]) -> Tensor[..] { log2(x) }
        pub(super) fn log10(x: &Tensor[..]) -> Tensor[..] { log10(x) }
        pub(super) fn log1p(x: &Tensor[..]) -> Tensor[..] { log1p(x) }
        pub(super) fn expm1(x: &Tensor[..]) -> Tensor[..] { expm1(x) }
        pub(super) fn sqrt(x: &Tensor[..]) -> Tensor[..] { sqrt(x) }
        pub(super) fn rsqrt(x: &Tensor[..]) -> Tensor[..] { rsqrt(x) }
        pub(super) fn cbrt(x: &Tensor[..]) -> Tensor[..] { cbrt(x) }
        pub(super) fn recip(x: &Tensor[..]) -> Tensor[..] { recip(x) }
        pub(super) fn square(x: &Tensor[..]) -> Tensor[..] { x * x }
        pub(super) fn abs(x: &Tensor[..]) -> Tensor[..] { abs(x) }
        pub(super) fn sin(x: &Tensor[..]) -> Tensor[..] { sin(x) }
        pub(super) fn cos(x: &Tensor[..]) -> Tensor[..] { cos(x) }
        pub(super) fn tan(x: &Tensor[..]) -> Tensor[..] { tan(x) }
        pub(super) fn asin(x: &Tensor[..]) -> Tensor[..] { asin(x) }
        pub(super) fn acos(x: &Tensor[..]) -> Tensor[..] { acos(x) }
        pub(super) fn atan(x: &Tensor[..]) -> Tensor[..] { atan(x) }
        pub(super) fn sinh(x: &Tensor[..]) -> Tensor[..] { sinh(x) }
        pub(super) fn cosh(x: &Tensor[..]) -> Tensor[..] { cosh(x) }
        pub(super) fn tanh(x: &Tensor[..]) -> Tensor[..] { tanh(x) }
        pub(super) fn sigmoid(x: &Tensor[..]) -> Tensor[..] { sigmoid(x) }
        pub(super) fn softplus(x: &Tensor[..]) -> Tensor[..] { softplus(x) }
        pub(super) fn erf(x: &Tensor[..]) -> Tensor[..] { erf(x) }
        pub(super) fn erfc(x: &Tensor[..]) -> Tensor[..] { erfc(x) }
        pub(super) fn relu(x: &Tensor[..]) -> Tensor[..] { relu(x) }

        pub(super) fn powi(x: &Tensor[..], exponent: i64) -> Tensor[..] { powi(x, exponent) }
        pub(super) fn powf(x: &Tensor[..], exponent: float) -> Tensor[..] { powf(x, exponent) }
        pub(super) fn clamp(x: &Tensor[..], low: float, high: float) -> Tensor[..] { clamp(x, low, high) }

        pub(super) fn sign(x: &Tensor[..]) -> Tensor[..] { sign(x) }
        pub(super) fn floor(x: &Tensor[..]) -> Tensor[..] { floor(x) }
        pub(super) fn ceil(x: &Tensor[..]) -> Tensor[..] { ceil(x) }
        pub(super) fn round(x: &Tensor[..]) -> Tensor[..] { round(x) }
        pub(super) fn trunc(x: &Tensor[..]) -> Tensor[..] { trunc(x) }

        pub(super) fn is_nan(x: &Tensor[..]) -> Tensor<bool>[..] { is_nan(x) }
        pub(super) fn is_finite(x: &Tensor[..]) -> Tensor<bool>[..] { is_finite(x) }
    }
}

macro_rules! methods {
    ($($(#[$doc:meta])* $name:ident($($argument:ident: $ty:ty),*);)*) => {
        impl<D: Device, G: GradMode, T: Float> Tensor<D, G, T> {
            $(
                $(#[$doc])*
                ///
                /// # Errors
                /// Fails if the device is out of memory.
                #[track_caller]
                pub fn $name(&self $(, $argument: $ty)*) -> Result<Self> {
                    kernel::$name(self $(, $argument)*)
                }
            )*
        }
    };
}

methods! {
    /// `e^x`.
    exp();
    /// `2^x`.
    exp2();
    /// Natural logarithm.
    ln();
    /// Logarithm to base 2.
    log2();
    /// Logarithm to base 10.
    log10();
    /// `ln(1 + x)`, accurate near 0.
    log1p();
    /// `e^x - 1`, accurate near 0.
    expm1();
    /// Square root.
    sqrt();
    /// `1 / sqrt(x)`.
    rsqrt();
    /// Cube root.
    cbrt();
    /// `1 / x`.
    recip();
    /// `x^2`.
    square();
    /// Absolute value; the derivative at 0 is 0.
    abs();
    /// Sine.
    sin();
    /// Cosine.
    cos();
    /// Tangent.
    tan();
    /// Arc sine.
    asin();
    /// Arc cosine.
    acos();
    /// Arc tangent.
    atan();
    /// Hyperbolic sine.
    sinh();
    /// Hyperbolic cosine.
    cosh();
    /// Hyperbolic tangent.
    tanh();
    /// `1 / (1 + e^-x)`.
    sigmoid();
    /// `ln(1 + e^x)`.
    softplus();
    /// Error function.
    erf();
    /// `1 - erf(x)`, accurate in the tail.
    erfc();
    /// `max(x, 0)`, NaN for NaN; the derivative at 0 is 0.
    relu();
    /// `x^exponent` for an integer exponent.
    powi(exponent: i64);
    /// `x^exponent`; see `Tensor::pow` for an exponent per element.
    powf(exponent: f64);
    /// `x` limited to `low ..= high`, NaN for NaN; the derivative at a bound is 0 (PyTorch: 1).
    clamp(low: f64, high: f64);
}

// Written out: an error that quotes a bound inside a macro quotes the macro too.
impl<D: Device, G: GradMode, T: Float> Tensor<D, G, T> {
    /// -1, 0 or 1; NaN for NaN. The derivative is 0 almost everywhere: for untracked tensors.
    ///
    /// # Errors
    /// Fails if the device is out of memory.
    #[track_caller]
    pub fn sign(&self) -> Result<Self>
    where
        G: WithoutGradient,
    {
        kernel::sign(&self.detach()).map(|result| Tensor::from_raw(result.raw))
    }

    /// Largest integer not above. The derivative is 0 almost everywhere: for untracked tensors.
    ///
    /// # Errors
    /// Fails if the device is out of memory.
    #[track_caller]
    pub fn floor(&self) -> Result<Self>
    where
        G: WithoutGradient,
    {
        kernel::floor(&self.detach()).map(|result| Tensor::from_raw(result.raw))
    }

    /// Smallest integer not below. The derivative is 0 almost everywhere: for untracked tensors.
    ///
    /// # Errors
    /// Fails if the device is out of memory.
    #[track_caller]
    pub fn ceil(&self) -> Result<Self>
    where
        G: WithoutGradient,
    {
        kernel::ceil(&self.detach()).map(|result| Tensor::from_raw(result.raw))
    }

    /// Nearest integer; halves go away from zero (PyTorch: to even). The derivative is 0 almost everywhere: for
    /// untracked tensors.
    ///
    /// # Errors
    /// Fails if the device is out of memory.
    #[track_caller]
    pub fn round(&self) -> Result<Self>
    where
        G: WithoutGradient,
    {
        kernel::round(&self.detach()).map(|result| Tensor::from_raw(result.raw))
    }

    /// Integer part. The derivative is 0 almost everywhere: for untracked tensors.
    ///
    /// # Errors
    /// Fails if the device is out of memory.
    #[track_caller]
    pub fn trunc(&self) -> Result<Self>
    where
        G: WithoutGradient,
    {
        kernel::trunc(&self.detach()).map(|result| Tensor::from_raw(result.raw))
    }
}

impl<D: Device, G: GradMode, T: Float> Tensor<D, G, T> {
    /// Whether each element is NaN. A mask has no gradient, so any tensor may be asked.
    ///
    /// # Errors
    /// Fails if the device is out of memory.
    #[track_caller]
    pub fn is_nan(&self) -> Result<Tensor<D, NoGrad, bool>> {
        kernel::is_nan(&self.detach())
    }

    /// Whether each element is neither infinite nor NaN. A mask has no gradient, so any tensor may be asked.
    ///
    /// # Errors
    /// Fails if the device is out of memory.
    #[track_caller]
    pub fn is_finite(&self) -> Result<Tensor<D, NoGrad, bool>> {
        kernel::is_finite(&self.detach())
    }
}
