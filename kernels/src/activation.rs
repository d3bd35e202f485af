//! Activations: functions of one element, applied to every element of a tensor of any rank.
//!
//! Invariants: all are finite wherever their limit is, at any magnitude, and so are their gradients; NaN gives NaN.

use tensor_rt::prelude::*;

tensor_fn! {
    /// Rectifier: `y = max(x, 0)`.
    ///
    /// Gradient: `dx = dy` where `x > 0` and at NaN, else 0 (0 at 0).
    /// # Errors
    /// Fails if memory runs out.
    pub fn relu(x: &Tensor[..]) -> Tensor[..] {
        max(x, 0.0)
    }

    /// Rectifier with a slope on the left: `y = x` where `x > 0`, else `slope x`.
    ///
    /// Gradient: `dx = dy` where `x > 0`, else `slope dy`.
    /// # Errors
    /// Fails if memory runs out.
    pub fn leaky_relu(x: &Tensor[..], slope: float) -> Tensor[..] {
        if x > 0.0 { x } else { slope * x }
    }

    /// Rectifier with a learned slope for each channel: `y = x` where `x > 0`, else `slope[c] x`.
    ///
    /// Gradient: `dx` as [`leaky_relu`]; `dslope[c]` is the sum of `x dy` over the elements of the channel that are not
    /// positive.
    /// # Errors
    /// Fails if `slope` has not one element for each channel, or memory runs out.
    pub fn prelu(x: &Tensor[N, C, ..], slope: &Tensor[C]) -> Tensor[N, C, ..] {
        if x > 0.0 { x } else { slope * x }
    }

    /// Exponential linear unit: `y = x` where `x > 0`, else `alpha (e^x - 1)`.
    ///
    /// Gradient: `dx = dy` where `x > 0`, else `alpha e^x dy`.
    /// # Errors
    /// Fails if memory runs out.
    pub fn elu(x: &Tensor[..], alpha: float) -> Tensor[..] {
        if x > 0.0 { x } else { alpha * expm1(x) }
    }

    /// Self-normalising exponential linear unit: `scale x` where `x > 0`, else `scale alpha (e^x - 1)`, with the two
    /// constants that keep mean 0 and variance 1 from layer to layer.
    ///
    /// Gradient: `dx = scale dy` where `x > 0`, else `scale alpha e^x dy`.
    /// # Errors
    /// Fails if memory runs out.
    pub fn selu(x: &Tensor[..]) -> Tensor[..] {
        1.0507009873554805 * if x > 0.0 { x } else { 1.6732632423543772 * expm1(x) }
    }

    /// Gaussian error linear unit, `tanh` form: `y = x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3)))`.
    ///
    /// Gradient: `dx = dy (1 + t + x (1 - t^2) sqrt(2 / pi) (1 + 0.134145 x^2)) / 2` with `t` the `tanh`.
    /// # Errors
    /// Fails if memory runs out.
    pub fn gelu(x: &Tensor[..]) -> Tensor[..] {
        0.5 * x * (1.0 + tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)))
    }

    /// Gaussian error linear unit, exact: `y = x Phi(x)`, with `Phi(x) = erfc(-x / sqrt(2)) / 2`, which keeps its digits
    /// far on the left.
    ///
    /// Gradient: `dx = dy (Phi(x) + x exp(-x^2 / 2) / sqrt(2 pi))`.
    /// # Errors
    /// Fails if memory runs out.
    pub fn gelu_erf(x: &Tensor[..]) -> Tensor[..] {
        0.5 * x * erfc(-0.7071067811865476 * x)
    }

    /// Sigmoid linear unit, or swish: `y = x sigmoid(x)`.
    ///
    /// Gradient: `dx = dy s (1 + x (1 - s))` with `s = sigmoid(x)`.
    /// # Errors
    /// Fails if memory runs out.
    pub fn silu(x: &Tensor[..]) -> Tensor[..] {
        x * sigmoid(x)
    }

    /// Smooth rectifier: `y = ln(1 + e^x)`, exact at both ends.
    ///
    /// Gradient: `dx = dy sigmoid(x)`.
    /// # Errors
    /// Fails if memory runs out.
    pub fn softplus(x: &Tensor[..]) -> Tensor[..] {
        softplus(x)
    }

    /// Mish: `y = x tanh(softplus(x))`.
    ///
    /// Gradient: `dx = dy (t + x (1 - t^2) sigmoid(x))` with `t = tanh(softplus(x))`.
    /// # Errors
    /// Fails if memory runs out.
    pub fn mish(x: &Tensor[..]) -> Tensor[..] {
        x * tanh(softplus(x))
    }

    /// Piecewise swish: `y = x clamp(x + 3, 0, 6) / 6`.
    ///
    /// Gradient: `dx = 0` left of -3, `dy` right of 3, `dy (2 x + 3) / 6` between them.
    /// # Errors
    /// Fails if memory runs out.
    pub fn hardswish(x: &Tensor[..]) -> Tensor[..] {
        x * clamp(x + 3.0, 0.0, 6.0) / 6.0
    }

    /// Logistic function: `y = 1 / (1 + e^-x)`.
    ///
    /// Gradient: `dx = dy y (1 - y)`.
    /// # Errors
    /// Fails if memory runs out.
    pub fn sigmoid(x: &Tensor[..]) -> Tensor[..] {
        sigmoid(x)
    }

    /// Hyperbolic tangent.
    ///
    /// Gradient: `dx = dy (1 - y^2)`.
    /// # Errors
    /// Fails if memory runs out.
    pub fn tanh(x: &Tensor[..]) -> Tensor[..] {
        tanh(x)
    }
}

#[cfg(test)]
#[expect(clippy::approx_constant, reason = "values of a table")]
mod tests {
    use super::*;
    use crate::testing::{Array, Traced, array, assert_close, check_gradients};

    type Activation<M> = fn(&Tensor<Cpu, M, f64>) -> Result<Tensor<Cpu, M, f64>>;

    const X: [f64; 7] = [-2.5, -1.0, -0.25, 0.0, 0.5, 1.5, 4.0];

    #[test]
    fn values_of_every_activation() {
        let cases: [(&str, Activation<NoGrad>, [f64; 7]); 12] = [
            ("relu", |x| relu(x), [0.0, 0.0, 0.0, 0.0, 0.5, 1.5, 4.0]),
            ("leaky_relu", |x| leaky_relu(x, 0.125), [-0.3125, -0.125, -0.03125, 0.0, 0.5, 1.5, 4.0]),
            ("elu", |x| elu(x, 1.5), [-1.376872502, -0.9481808382, -0.3317988254, 0.0, 0.5, 1.5, 4.0]),
            (
                "selu",
                |x| selu(x),
                [-1.613785759, -1.111330738, -0.3888901975, 0.0, 0.5253504937, 1.576051481, 4.202803949],
            ),
            (
                "gelu",
                |x| gelu(x),
                [-0.01508426609, -0.1588080094, -0.1003246493, 0.0, 0.3457140098, 1.399571577, 3.999929754],
            ),
            (
                "gelu_erf",
                |x| gelu_erf(x),
                [-0.01552416331, -0.1586552539, -0.1003234186, 0.0, 0.3457312306, 1.399789198, 3.999873315],
            ),
            (
                "silu",
                |x| silu(x),
                [-0.1896454501, -0.2689414214, -0.1094558748, 0.0, 0.3112296656, 1.226361714, 3.92805516],
            ),
            (
                "softplus",
                |x| softplus(x),
                [0.07888973429, 0.3132616875, 0.5759394199, 0.6931471806, 0.9740769842, 1.701413278, 4.018149928],
            ),
            (
                "mish",
                |x| mish(x),
                [-0.1968162039, -0.3034014614, -0.1299269637, 0.0, 0.3752452113, 1.403378266, 3.997412807],
            ),
            (
                "hardswish",
                |x| hardswish(x),
                [-0.2083333333, -0.3333333333, -0.1145833333, 0.0, 0.2916666667, 1.125, 4.0],
            ),
            (
                "sigmoid",
                |x| sigmoid(x),
                [0.07585818002, 0.2689414214, 0.4378234991, 0.5, 0.6224593312, 0.8175744762, 0.98201379],
            ),
            (
                "tanh",
                |x| tanh(x),
                [-0.9866142982, -0.761594156, -0.2449186624, 0.0, 0.4621171573, 0.9051482536, 0.9993292997],
            ),
        ];
        for (name, activation, expected) in cases {
            // Ten digits are written down.
            assert_close(name, &activation(&array([7], &X)).unwrap(), &expected, 1e-9);
        }
    }

    #[test]
    fn gradients_of_every_activation() {
        let cases: [(&str, Activation<Grad>); 12] = [
            ("relu", |x| relu(x)),
            ("leaky_relu", |x| leaky_relu(x, 0.125)),
            ("elu", |x| elu(x, 1.5)),
            ("selu", |x| selu(x)),
            ("gelu", |x| gelu(x)),
            ("gelu_erf", |x| gelu_erf(x)),
            ("silu", |x| silu(x)),
            ("softplus", |x| softplus(x)),
            ("mish", |x| mish(x)),
            ("hardswish", |x| hardswish(x)),
            ("sigmoid", |x| sigmoid(x)),
            ("tanh", |x| tanh(x)),
        ];
        // No element is at a kink.
        let x: Array = array([2, 3], &[-3.5, -2.0, -0.25, 0.5, 1.5, 4.0]);
        for (name, activation) in cases {
            check_gradients(name, &[&x, &x.transpose(0, 1).unwrap()], |inputs: &[Traced]| {
                activation(&inputs[0])? * activation(&inputs[1])?.transpose(0, 1)?
            });
        }
    }

    #[test]
    fn prelu_has_a_slope_for_each_channel() {
        let x = array([1, 2, 3], &[-1.0, 2.0, -3.0, -4.0, 5.0, -6.0]);
        let slope = array([2], &[0.5, 0.25]);
        assert_close("prelu", &prelu(&x, &slope).unwrap(), &[-0.5, 2.0, -1.5, -1.0, 5.0, -1.5], 0.0);
        check_gradients("prelu", &[&x, &slope], |inputs: &[Traced]| prelu(&inputs[0], &inputs[1]));
        let wrong = prelu(&x, &array([3], &[0.5, 0.25, 0.125])).unwrap_err();
        assert!(wrong.to_string().starts_with("prelu: axis `C` is 2 in `x` and 3 in `slope`"), "{wrong}");
    }

    #[test]
    fn large_magnitudes_stay_finite() {
        let x = Tensor::new(&Cpu, [-1000.0, -104.0, 104.0, 1000.0]).unwrap();
        for activation in [gelu, gelu_erf, silu, mish, softplus, hardswish, selu, sigmoid, tanh] {
            let y = activation(&x).unwrap();
            assert!(y.as_slice().unwrap().iter().all(|y| y.is_finite()), "{y}");
        }
    }
}
