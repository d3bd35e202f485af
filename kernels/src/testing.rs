//! Comparisons for the tests of the kernels.

use tensor_rt::gradcheck;
use tensor_rt::prelude::*;

pub(crate) type Array = Tensor<Cpu, NoGrad, f64>;
pub(crate) type Traced = Tensor<Cpu, Grad, f64>;

pub(crate) fn array<const RANK: usize>(shape: [usize; RANK], values: &[f64]) -> Array {
    Tensor::from_vec(&Cpu, values.to_vec(), shape).unwrap()
}

/// `|found - expected| <= tolerance max(1, |expected|)` for every element; NaN meets NaN.
#[track_caller]
pub(crate) fn assert_close(what: &str, found: &Array, expected: &[f64], tolerance: f64) {
    let found = found.to_vec().unwrap();
    assert_eq!(found.len(), expected.len(), "{what}: {found:?}, expected {expected:?}");
    for (&found, &expected) in found.iter().zip(expected) {
        let close = found == expected
            || found.is_nan() && expected.is_nan()
            || (found - expected).abs() <= tolerance * expected.abs().max(1.0);
        assert!(close, "{what}: {found}, expected {expected}");
    }
}

/// The gradient of `x` if the cotangent of `f(x)` is `cotangent`.
#[track_caller]
pub(crate) fn gradient(x: &Array, cotangent: &Array, f: impl Fn(&Traced) -> Result<Traced>) -> Array {
    let x = x.clone().requires_grad();
    f(&x).unwrap().backward_with(cotangent).unwrap().get(&x).unwrap()
}

/// Compares the gradients of all inputs with finite differences, for dense inputs and for strided ones.
#[track_caller]
pub(crate) fn check_gradients(what: &str, inputs: &[&Array], f: impl Fn(&[Traced]) -> Result<Traced>) {
    let strided = |x: &Array| {
        let axes: Vec<usize> = (0..x.rank()).rev().collect();
        x.permute(axes.clone()).unwrap().contiguous().unwrap().permute(axes).unwrap()
    };
    for arrange in [&|x: &Array| x.clone(), &strided as &dyn Fn(&Array) -> Array] {
        let inputs: Vec<Array> = inputs.iter().map(|x| arrange(x)).collect();
        // Weights that differ tell the elements of the output apart.
        let weighted = |inputs: &[Traced]| {
            let y = f(inputs)?;
            let count = y.len();
            let weights = (0..count).map(|i| 1.0 + 0.5 * (i as f64 * 1.7).sin()).collect();
            (&y * Tensor::from_vec(&Cpu, weights, y.shape())?)?.sum()
        };
        if let Err(error) = gradcheck(weighted, &inputs) {
            panic!("{what}: {error}");
        }
    }
}

/// The values of one parameter after each step from `start`.
pub(crate) fn descend(
    optimizer: &mut impl crate::optimizer::Optimizer<Cpu, f64>,
    start: f64,
    steps: usize,
    loss: impl Fn(&Traced) -> Result<Traced>,
) -> Array {
    let mut parameter = Param::new(array([1], &[start]));
    let mut path = Vec::new();
    for _ in 0..steps {
        let gradients = loss(&parameter.tracked()).unwrap().backward().unwrap();
        assert_eq!(optimizer.step(&mut [&mut parameter], &gradients).unwrap(), 1);
        path.extend(parameter.value().to_vec().unwrap());
    }
    Tensor::from_vec(&Cpu, path, [steps]).unwrap()
}
