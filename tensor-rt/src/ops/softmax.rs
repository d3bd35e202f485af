//! Softmax along an axis.

use super::axes::{axis_back, axis_last};
use crate::device::Device;
use crate::element::Float;
use crate::error::Result;
use crate::mode::GradMode;
use crate::shape::Axis;
use crate::tensor::Tensor;
use crate::tensor_fn;

mod kernel {
    use super::tensor_fn;

    tensor_fn! {
        pub(super) fn softmax(x: &Tensor[.., C]) -> Tensor[.., C] {
            let m = detach(max[C](x));
            let e = exp(x - if m == -inf { 0.0 } else { m });
            let s = sum[C](e);
            if s == 0.0 { 0.0 } else { e * recip(s) }
        }

        pub(super) fn log_softmax(x: &Tensor[.., C]) -> Tensor[.., C] {
            x - logsumexp[C](x)
        }
    }
}

impl<D: Device, G: GradMode, T: Float> Tensor<D, G, T> {
    /// `e^x / sum(e^x)` along an axis, without overflow. A row of -inf, one that is wholly masked, gives zeros with zero
    /// gradient (PyTorch: NaN).
    ///
    /// Gradient: `dx = y (dy - sum(y dy))`.
    /// # Errors
    /// Fails if there is no such axis, or the device is out of memory.
    #[track_caller]
    pub fn softmax(&self, axis: impl Into<Axis>) -> Result<Self> {
        let (view, axis) = axis_last("softmax", self, axis.into())?;
        axis_back(kernel::softmax(&view)?, axis)
    }

    /// `x - ln(sum(e^x))` along an axis, without overflow.
    ///
    /// Gradient: `dx = dy - e^y sum(dy)`.
    /// # Errors
    /// Fails if there is no such axis, or the device is out of memory.
    #[track_caller]
    pub fn log_softmax(&self, axis: impl Into<Axis>) -> Result<Self> {
        let (view, axis) = axis_last("log_softmax", self, axis.into())?;
        axis_back(kernel::log_softmax(&view)?, axis)
    }
}
