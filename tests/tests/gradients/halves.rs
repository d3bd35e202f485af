//! Gradients in half precision, where a residual is no output: an output is rounded, and a residual is not.

use tensor_rt::prelude::*;
use tensor_rt_kernels::{attention, softmax, statistics};
use tests::device::Read;

type Traced<D, T> = Tensor<D, Grad, T>;

/// The gradient of `kernel` in the element `T` at values that every element has.
fn gradient<D: Device, T: Float>(
    device: &D,
    shape: [usize; 3],
    kernel: impl Fn(&Traced<D, T>) -> Result<Traced<D, T>>,
) -> Result<Vec<f64>> {
    let values = |count: usize, step: usize| (0..count).map(move |i| ((i * step) % 17) as f64 / 8.0 - 1.0).collect();
    let x = Tensor::from_vec(device, values(shape.iter().product(), 5), shape)?.cast::<T>()?.requires_grad();
    let y = kernel(&x)?;
    let cotangent = Tensor::from_vec(device, values(y.len(), 7), y.shape())?.cast::<T>()?;
    let gradients = y.backward_with(&cotangent)?;
    gradients.get(&x).expect("a gradient").cast::<f64>()?.read()
}

/// Compares the gradients in `f16` and `bf16` with the one in `f64`: all that is rounded is the result.
macro_rules! assert_halves_agree {
    ($device:ident $($name:literal: |$x:ident| $kernel:expr;)*) => {$(
        let exact = gradient::<D, f64>($device, [2, 3, 4], |$x| $kernel).expect("the kernel runs");
        assert_close($name, &gradient::<D, f16>($device, [2, 3, 4], |$x| $kernel).expect("the kernel runs"), &exact, 1.0 / 2048.0);
        assert_close($name, &gradient::<D, bf16>($device, [2, 3, 4], |$x| $kernel).expect("the kernel runs"), &exact, 1.0 / 256.0);
    )*};
}

#[track_caller]
fn assert_close(name: &str, found: &[f64], exact: &[f64], rounding: f64) {
    for (element, (found, exact)) in found.iter().zip(exact).enumerate() {
        // A difference of products is rounded as they are.
        let close = (found - exact).abs() <= rounding * (0.01 + exact.abs());
        assert!(close, "{name}: element {element} is {found}, not {exact}");
    }
}

pub fn residuals_of_halves_are_not_rounded<D: Device>(device: &D) {
    assert_halves_agree! {
        device
        "softmax": |x| softmax::softmax(x);
        "softmax_channels": |x| softmax::softmax_channels(x);
        "log_softmax": |x| softmax::log_softmax(x);
        "logsumexp": |x| softmax::logsumexp(x);
        "standard_deviation": |x| statistics::standard_deviation(x);
        "norm": |x| statistics::norm(x);
        "product": |x| statistics::product(x);
        "attention": |x| attention::attention(x, &x.detach(), &x.detach());
    }
}
