//! One kernel at one point, in every layout and with every combination of tracked inputs.

use tensor_rt::Slice;
use tensor_rt::prelude::*;
use tests::device::Read;

/// An input without a gradient.
pub type Input<D> = Tensor<D, NoGrad, f64>;

/// How the elements of an input lie in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Layout {
    Dense,
    Transposed,
    Sliced,
    Flipped,
    /// One element for all along the first axis.
    Broadcast,
}

/// What a call with one combination of tracked inputs gave.
pub struct Combination {
    pub values: Vec<f64>,
    /// Of each input that is tracked.
    pub gradients: Vec<Option<Vec<f64>>>,
}

/// A kernel, and where it is checked on a device.
pub struct Case<D: Device> {
    /// The function, the reduction or the kernel.
    pub name: &'static str,
    /// Shape and range of each input.
    pub inputs: Vec<(Vec<usize>, (f64, f64))>,
    /// The values of the kernel.
    pub value: fn(&[Input<D>]) -> Result<Vec<f64>>,
    /// Every combination, the one in which all inputs are tracked first.
    pub combinations: fn(&[Input<D>]) -> Result<Vec<Combination>>,
}

/// Cases of the device `D`: a name, the inputs with shape and range, and the call.
macro_rules! cases {
    ($($name:ident: |$($x:ident: $shape:tt in $low:literal..$high:literal),+| $call:expr;)*) => {
        vec![$($crate::check::Case::<D> {
            name: stringify!($name),
            inputs: vec![$((Vec::from($shape), ($low, $high))),+],
            value: |inputs| {
                let [$($x),+] = inputs else { panic!("one tensor per input") };
                ::tests::device::Read::read(&$call?)
            },
            combinations: |inputs| {
                let [$($x),+] = inputs else { panic!("one tensor per input") };
                let mut found = vec![];
                $crate::check::combinations!([] [$($x)+] found, $call);
                Ok(found)
            },
        }),*]
    };
}

/// Makes a call with every combination of tracked inputs.
macro_rules! combinations {
    ([$($done:ident)*] [] $found:ident, $call:expr) => {
        $found.push($crate::check::Output::combination($call?, &[$($crate::check::Leaf::leaf($done)),*])?);
    };
    ([$($done:ident)*] [$next:ident $($rest:ident)*] $found:ident, $call:expr) => {
        {
            let $next = &$next.clone().requires_grad();
            $crate::check::combinations!([$($done)* $next] [$($rest)*] $found, $call);
        }
        $crate::check::combinations!([$($done)* $next] [$($rest)*] $found, $call);
    };
}

pub(crate) use {cases, combinations};

/// An input of a call: a leaf of a graph, or nothing of the kind.
pub trait Leaf<D: Device> {
    fn leaf(&self) -> Option<&Tensor<D, Grad, f64>>;
}

impl<D: Device> Leaf<D> for Tensor<D, Grad, f64> {
    fn leaf(&self) -> Option<&Tensor<D, Grad, f64>> {
        Some(self)
    }
}

impl<D: Device> Leaf<D> for Tensor<D, NoGrad, f64> {
    fn leaf(&self) -> Option<&Tensor<D, Grad, f64>> {
        None
    }
}

/// The result of a call.
pub trait Output<D: Device> {
    fn combination(self, leaves: &[Option<&Tensor<D, Grad, f64>>]) -> Result<Combination>;
}

impl<D: Device> Output<D> for Tensor<D, Grad, f64> {
    fn combination(self, leaves: &[Option<&Tensor<D, Grad, f64>>]) -> Result<Combination> {
        let values = self.read()?;
        let cotangent = Tensor::from_vec(&self.device(), (0..self.len()).map(weight).collect(), self.shape())?;
        let gradients = self.backward_with(&cotangent)?;
        let gradient = |leaf: &Option<&Tensor<D, Grad, f64>>| match leaf {
            Some(leaf) => gradients.get(*leaf).map(|gradient| gradient.read()).transpose(),
            None => Ok(None),
        };
        Ok(Combination { values, gradients: leaves.iter().map(gradient).collect::<Result<_>>()? })
    }
}

impl<D: Device> Output<D> for Tensor<D, NoGrad, f64> {
    fn combination(self, leaves: &[Option<&Tensor<D, Grad, f64>>]) -> Result<Combination> {
        Ok(Combination { values: self.read()?, gradients: vec![None; leaves.len()] })
    }
}

/// The cotangent of an element: of either sign, different for each, and not small.
fn weight(element: usize) -> f64 {
    let phase = (element as f64 * 0.618_033_988_749_895).fract();
    if element.is_multiple_of(2) { 0.5 + phase } else { -0.5 - phase }
}

impl<D: Device> Case<D> {
    /// Compares in every layout; the first difference.
    pub fn check(&self, device: &D) -> Result<(), String> {
        for layout in [Layout::Dense, Layout::Transposed, Layout::Sliced, Layout::Flipped, Layout::Broadcast] {
            self.compare(device, layout).map_err(|difference| format!("{}, {layout:?}: {difference}", self.name))?;
        }
        Ok(())
    }

    fn compare(&self, device: &D, layout: Layout) -> Result<(), String> {
        let text = |error: tensor_rt::Error| error.to_string();
        let mut seed = 1;
        let inputs: Vec<Input<D>> = (self.inputs.iter())
            .map(|(shape, range)| {
                let values = (0..shape.iter().product()).map(|_| number(&mut seed, *range)).collect();
                layout.tensor(device, values, shape)
            })
            .collect::<Result<_>>()
            .map_err(text)?;
        let combinations = (self.combinations)(&inputs).map_err(text)?;
        assert_eq!(combinations.len(), 1 << inputs.len());
        let all = &combinations[0];
        for combination in &combinations {
            if !same_bits(&combination.values, &all.values) {
                return Err("the values depend on what is tracked".to_owned());
            }
            for (input, gradient) in combination.gradients.iter().enumerate() {
                match (gradient, &all.gradients[input]) {
                    (Some(found), Some(expected)) if !same_bits(found, expected) => {
                        return Err(format!("the gradient of input {input} depends on what else is tracked"));
                    }
                    _ => {}
                }
            }
        }
        for (input, gradient) in all.gradients.iter().enumerate() {
            let Some(gradient) = gradient else { return Err(format!("input {input} has no gradient")) };
            self.differences(&inputs, input, gradient)?;
        }
        Ok(())
    }

    /// Compares one gradient with central differences.
    fn differences(&self, inputs: &[Input<D>], input: usize, gradient: &[f64]) -> Result<(), String> {
        const STEP: f64 = 1e-5;
        let values = inputs[input].read().expect("elements can be read");
        for (element, &found) in gradient.iter().enumerate() {
            let at = |offset: f64| {
                let mut moved = values.clone();
                moved[element] += offset;
                let mut inputs = inputs.to_vec();
                inputs[input] = Tensor::from_vec(&inputs[input].device(), moved, inputs[input].shape())?;
                let result = (self.value)(&inputs)?;
                Ok(result.iter().enumerate().map(|(element, value)| value * weight(element)).sum::<f64>())
            };
            let quotient = at(STEP).and_then(|above| Ok((above - at(-STEP)?) / (2.0 * STEP)));
            let quotient = quotient.map_err(|error: tensor_rt::Error| error.to_string())?;
            // The step squared times the third derivative, and rounding over the step, are below 1e-9.
            let close = (found - quotient).abs() <= 1e-7 * (1.0 + quotient.abs());
            if !close {
                return Err(format!("input {input}[{element}] has {found}, the difference quotient is {quotient}"));
            }
        }
        Ok(())
    }
}

fn same_bits(x: &[f64], y: &[f64]) -> bool {
    x.len() == y.len() && x.iter().zip(y).all(|(x, y)| x.to_bits() == y.to_bits())
}

/// A number in a range that is never near its middle, where kinks are.
fn number(seed: &mut u64, (low, high): (f64, f64)) -> f64 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    let phase = (*seed >> 33) as f64 / (1u64 << 31) as f64;
    let away = if phase < 0.5 { phase * 0.9 } else { 0.1 + phase * 0.9 };
    low + (high - low) * away
}

impl Layout {
    fn tensor<D: Device>(self, device: &D, values: Vec<f64>, shape: &[usize]) -> Result<Input<D>> {
        let dense = Tensor::from_vec(device, values, shape)?;
        let axes = 0..shape.len();
        match self {
            Layout::Dense => Ok(dense),
            Layout::Transposed => {
                let reversed: Vec<usize> = axes.rev().collect();
                dense.permute(reversed.clone())?.contiguous()?.permute(reversed)
            }
            Layout::Sliced => {
                // Every other element of a tensor that has NaN around them.
                let outer: Vec<usize> = shape.iter().map(|size| 2 * size + 1).collect();
                let ranges: Vec<Slice> = shape.iter().map(|size| Slice::from(1..2 * size + 1).step_by(2)).collect();
                let mut all = Tensor::full_of(device, outer, f64::NAN)?;
                all.view_mut()?.slice(&ranges[..])?.copy_from(&dense)?;
                all.slice(&ranges[..])
            }
            Layout::Flipped => {
                let flip = |tensor: Input<D>| axes.clone().try_fold(tensor, |tensor, axis| tensor.flip(axis));
                flip(flip(dense)?.contiguous()?)
            }
            Layout::Broadcast if shape.is_empty() => Ok(dense),
            Layout::Broadcast => dense.narrow(0, 0, 1)?.broadcast_to(shape),
        }
    }
}
