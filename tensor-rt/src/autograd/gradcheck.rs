//! Gradients against finite differences.

use crate::device::Device;
use crate::error::{Error, Origin, Result};
use crate::mode::{Grad, NoGrad};
use crate::tensor::Tensor;

/// How [`gradcheck_with`] compares.
#[derive(Clone, Copy, Debug)]
pub struct Tolerance {
    /// Half the distance of the two points of a central difference.
    pub step: f64,
    /// Allowed difference relative to the larger of the two numbers.
    pub relative: f64,
    /// Allowed difference beside that.
    pub absolute: f64,
}

impl Default for Tolerance {
    /// A step of 1e-6; 1e-5 relative and 1e-7 absolute, which leaves room for the rounding of differences in `f64`.
    fn default() -> Self {
        Tolerance { step: 1e-6, relative: 1e-5, absolute: 1e-7 }
    }
}

/// Compares the gradients of `f` at `inputs` with central differences, in `f64`.
///
/// `f` gets the inputs as tracked leaves and may return any shape: the gradient of a fixed weighted sum of the elements
/// is checked. What must not be tracked is captured by the closure.
///
/// ```
/// use tensor_rt::gradcheck;
/// use tensor_rt::prelude::*;
///
/// let x = Tensor::from_vec(&Cpu, vec![1.0_f64, 2.0, 3.0], [3])?;
/// gradcheck(|x| x[0].softmax(0), &[x])?;
/// # Ok::<(), tensor_rt::Error>(())
/// ```
/// # Errors
/// Fails with [`Error::GradientMismatch`] at the first element that differs, and with whatever `f` reports.
#[track_caller]
pub fn gradcheck<D, F>(f: F, inputs: &[Tensor<D, NoGrad, f64>]) -> Result<()>
where
    D: Device,
    F: Fn(&[Tensor<D, Grad, f64>]) -> Result<Tensor<D, Grad, f64>>,
{
    check(f, inputs, Tolerance::default(), Origin::of("gradcheck"))
}

/// As [`gradcheck`], with a tolerance.
///
/// # Errors
/// As [`gradcheck`].
#[track_caller]
pub fn gradcheck_with<D, F>(f: F, inputs: &[Tensor<D, NoGrad, f64>], tolerance: Tolerance) -> Result<()>
where
    D: Device,
    F: Fn(&[Tensor<D, Grad, f64>]) -> Result<Tensor<D, Grad, f64>>,
{
    check(f, inputs, tolerance, Origin::of("gradcheck_with"))
}

fn check<D, F>(f: F, inputs: &[Tensor<D, NoGrad, f64>], tolerance: Tolerance, origin: Origin) -> Result<()>
where
    D: Device,
    F: Fn(&[Tensor<D, Grad, f64>]) -> Result<Tensor<D, Grad, f64>>,
{
    let leaves: Vec<_> = inputs.iter().map(|input| input.clone().requires_grad()).collect();
    let result = f(&leaves)?;
    let weights: Vec<f64> = (0..result.len()).map(weight).collect();
    let cotangent = Tensor::from_vec(&result.device(), weights.clone(), result.shape())?;
    let gradients = result.backward_with(&cotangent)?;
    for (position, (input, leaf)) in inputs.iter().zip(&leaves).enumerate() {
        let analytic = match gradients.get(leaf) {
            Some(gradient) => gradient.to_host()?.to_vec()?,
            None => vec![0.0; input.len()],
        };
        let values = input.to_host()?.to_vec()?;
        for (element, analytic) in analytic.into_iter().enumerate() {
            let at = |offset: f64| {
                let mut values = values.clone();
                values[element] += offset;
                let moved = Tensor::from_vec(&input.device(), values, input.shape())?;
                let mut points = inputs.to_vec();
                points[position] = moved;
                let points: Vec<_> = points.into_iter().map(Tensor::requires_grad).collect();
                let result = f(&points)?.detach().to_host()?.to_vec()?;
                Ok(result.iter().zip(&weights).map(|(value, weight)| value * weight).sum::<f64>())
            };
            let numeric = (at(tolerance.step)? - at(-tolerance.step)?) / (2.0 * tolerance.step);
            let allowed = tolerance.absolute + tolerance.relative * analytic.abs().max(numeric.abs());
            // Written so that NaN is a mismatch.
            let close = (analytic - numeric).abs() <= allowed;
            if !close {
                let Origin { op, at } = origin;
                return Err(Error::GradientMismatch { op, input: position, element, analytic, numeric, at });
            }
        }
    }
    Ok(())
}

/// Different for every element, of either sign, and none of them small.
fn weight(element: usize) -> f64 {
    let phase = (element as f64 * 0.618_033_988_749_895).fract();
    if element.is_multiple_of(2) { 0.5 + phase } else { -0.5 - phase }
}
