//! Gradients against central differences in `f64`.

use super::{Derived, derive};
use crate::interp::{Array, Value};
use crate::ir::{Extent, ScalarTy};

/// A generator of numbers; the same ones on every machine.
pub(super) struct Numbers(u64);

impl Numbers {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A number below `limit`.
    pub(super) fn below(&mut self, limit: usize) -> usize {
        self.next() as usize % limit
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    fn float(&mut self, (low, high): (f64, f64)) -> f64 {
        low + (high - low) * (self.next() as f64 / (1u64 << 31) as f64)
    }
}

/// A kernel and what its arguments may be.
#[derive(Clone)]
pub(super) struct Case {
    pub source: String,
    /// Range of float elements and scalars.
    pub range: (f64, f64),
    /// Integer elements are below the size of this axis, if one is given.
    pub below: Option<&'static str>,
    /// Sizes that are tried.
    pub sizes: &'static [usize],
    /// Integer scalars.
    pub scalars: Vec<i64>,
    /// Elements at which the difference quotient says nothing are left out.
    pub rough: bool,
}

impl Case {
    pub(super) fn new(source: &str) -> Self {
        let sizes: &[usize] = &[0, 1, 2, 3];
        Self { source: source.to_owned(), range: (-2.0, 2.0), below: None, sizes, scalars: vec![], rough: false }
    }

    pub(super) fn range(self, low: f64, high: f64) -> Self {
        Self { range: (low, high), ..self }
    }

    pub(super) fn below(self, axis: &'static str) -> Self {
        Self { below: Some(axis), ..self }
    }

    pub(super) fn sizes(self, sizes: &'static [usize]) -> Self {
        Self { sizes, ..self }
    }

    pub(super) fn scalars(self, scalars: &[i64]) -> Self {
        Self { scalars: scalars.to_vec(), ..self }
    }

    pub(super) fn rough(self) -> Self {
        Self { rough: true, ..self }
    }

    /// Compares at several sizes and points; the first difference.
    pub(super) fn check(&self) -> Result<(), String> {
        let derived = derive(&self.source);
        let mut compared = 0;
        for seed in 0..12 {
            compared += self.compare(&derived, &mut Numbers::new(seed + 1))?;
        }
        // Otherwise every size was empty, and nothing was shown.
        if compared > 4 { Ok(()) } else { Err(format!("only {compared} elements were compared: {}", self.source)) }
    }

    /// Compares at one point; the number of elements compared. A kernel without derivative has none.
    pub(super) fn compare_once(&self, seed: u64) -> Result<usize, String> {
        let derived = derive(&self.source);
        match derived.backward {
            Some(_) => self.compare(&derived, &mut Numbers::new(seed)),
            None => Ok(0),
        }
    }

    fn compare(&self, derived: &Derived, numbers: &mut Numbers) -> Result<usize, String> {
        let kernel = &derived.kernel;
        let sizes: Vec<usize> = (kernel.graph.all_extents())
            .map(|(_, extent)| match extent {
                Extent::Literal(size) => size as usize,
                Extent::Declared | Extent::Computed(_) => self.sizes[numbers.next() as usize % self.sizes.len()],
            })
            .collect();
        let size_of = |axis| sizes[kernel.graph.axis(axis).extent.0 as usize];
        let mut arrays = vec![];
        for tensor in &kernel.tensors {
            let shape: Vec<usize> = tensor.axes.iter().map(|&axis| size_of(axis)).collect();
            let count = shape.iter().product();
            arrays.push(match (tensor.elem.is_float(), self.below) {
                (true, _) => Array::floats(&shape, &(0..count).map(|_| numbers.float(self.range)).collect::<Vec<_>>()),
                (false, Some(axis)) => {
                    let axis =
                        kernel.graph.all_axes().find(|(_, named)| named.name == axis).expect("the axis exists").0;
                    let below = size_of(axis).max(1);
                    Array::ints(&shape, &(0..count).map(|_| numbers.next() as i64 % below as i64).collect::<Vec<_>>())
                }
                (false, None) => {
                    Array::bools(&shape, &(0..count).map(|_| numbers.next().is_multiple_of(2)).collect::<Vec<_>>())
                }
            });
        }
        let mut integers = self.scalars.iter();
        let scalars: Vec<Value> = (kernel.scalars.iter())
            .map(|scalar| match scalar.ty {
                ScalarTy::Float | ScalarTy::F32 | ScalarTy::F64 => Value::Float(numbers.float(self.range)),
                ScalarTy::Bool => Value::Bool(true),
                ScalarTy::I64 | ScalarTy::Usize | ScalarTy::U64 => {
                    Value::Int(*integers.next().expect("an integer scalar is given"))
                }
            })
            .collect();
        let Ok(sizes) = crate::interp::sizes(kernel, &arrays, &scalars) else {
            return Ok(0);
        };
        let forward = crate::interp::forward(kernel, &sizes, &arrays, &scalars);
        if !forward.faults.is_empty() {
            return Ok(0);
        }
        let cotangents: Vec<Array> = (forward.arrays.iter().flatten())
            .map(|output| {
                let cotangent: Vec<f64> = output.values.iter().map(|_| numbers.float((-1.0, 1.0))).collect();
                Array::floats(&output.shape, &cotangent)
            })
            .collect();
        let backward = derived.backward(&arrays, &scalars, &cotangents);
        // The interpreter does not look into an empty sum; what would fail there fails on the host before any launch.
        if !backward.faults.is_empty() && sizes.contains(&0) {
            return Ok(0);
        }
        if !backward.faults.is_empty() {
            return Err(format!("{:?} in backward of {}", backward.faults, self.source));
        }
        let loss = |arrays: &[Array]| -> f64 {
            let outcome = crate::interp::forward(kernel, &sizes, arrays, &scalars);
            let pairs = outcome.arrays.iter().flatten().zip(&cotangents);
            pairs.map(|(output, cotangent)| dot(output, cotangent)).sum()
        };
        let mut compared = 0;
        for (param, gradient) in backward.arrays.iter().enumerate() {
            let Some(gradient) = gradient else { continue };
            assert_eq!(gradient.shape, arrays[param].shape);
            for element in 0..gradient.values.len() {
                let x = arrays[param].values[element].float();
                let step = 1e-5 * (1.0 + x.abs());
                let at = |x: f64| {
                    let mut arrays = arrays.clone();
                    arrays[param].values[element] = Value::Float(x);
                    loss(&arrays)
                };
                let quotient = |step: f64| (at(x + step) - at(x - step)) / (2.0 * step);
                let [expected, wider] = [quotient(step), quotient(2.0 * step)];
                let found = gradient.values[element].float();
                // Between the two points something is not smooth, or everything is rounding.
                if self.rough && (expected - wider).abs() > 1e-6 * (1.0 + expected.abs()) {
                    continue;
                }
                // The error of a central difference is step^2 times the third derivative, plus rounding over the step.
                if (found - expected).abs() > 1e-6 * (1.0 + expected.abs() + found.abs())
                    && !(found.is_nan() && expected.is_nan())
                {
                    let name = &kernel.tensors[param].name;
                    return Err(format!(
                        "d{name}[{element}] is {found}, the difference quotient {expected}, sizes {sizes:?}: {}",
                        self.source
                    ));
                }
                compared += 1;
            }
        }
        Ok(compared)
    }
}

/// The sum of products of two arrays; outputs that are no floats count nothing.
fn dot(x: &Array, y: &Array) -> f64 {
    let float = |value: &Value| if let Value::Float(value) = value { *value } else { 0.0 };
    x.values.iter().zip(&y.values).map(|(x, y)| float(x) * float(y)).sum()
}
