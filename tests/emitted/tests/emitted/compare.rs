//! Emitted code against the interpreter.

use random_kernels::Numbers;
use tensor_rt::prelude::*;
use tensor_rt::{Error, ErrorKind};
use tensor_rt_compiler::interp::{Array, Value};

use crate::arguments::{Round, Sample};
use crate::call::{Case, Number, Results};
use crate::histogram::Histogram;
use crate::reference::{Meaning, Reference, dot};

/// How often a kernel is called with other arguments.
const ROUNDS: [Round; 6] = [Round::Plain, Round::Odd, Round::Odd, Round::Odd, Round::Long, Round::Plain];

/// What was compared.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Kernels with a gradient.
    pub differentiable: usize,
    /// Calls, each with one combination of tracked arguments.
    pub calls: usize,
    /// Elements of outputs and gradients.
    pub elements: usize,
    /// Elements that the interpreter itself gives otherwise after a rounding of its inputs.
    pub unstable: usize,
    /// Calls that the interpreter says must fail.
    pub refused: usize,
    /// Gradients confirmed by difference quotients.
    pub differences: usize,
    /// Difference quotients that do not settle.
    pub unsettled: usize,
}

impl Tally {
    pub fn add(&mut self, other: &Self) {
        self.differentiable += other.differentiable;
        self.calls += other.calls;
        self.elements += other.elements;
        self.unstable += other.unstable;
        self.refused += other.refused;
        self.differences += other.differences;
        self.unsettled += other.unsettled;
    }

    /// Otherwise the comparison says little.
    pub fn assert_enough(&self) {
        assert!(self.differentiable >= 200, "{self:?}");
        assert!(self.elements >= 100_000 && self.unstable * 100 <= self.elements, "{self:?}");
        assert!(self.differences >= 200 && self.unsettled * 4 <= self.differences, "{self:?}");
    }
}

/// What rounding explains.
#[derive(Clone, Copy)]
struct Tolerance {
    /// Relative to the largest element.
    close: f64,
    /// A change of the inputs that is as good as none.
    nudge: f64,
}

/// Compares one kernel at several points.
pub fn check<D: Device>(device: &D, case: &Case<D>, seed: u64) -> (Result<Tally, String>, Histogram) {
    let reference = Reference::of(case.source);
    let mut histogram = Histogram::of(&reference);
    let result = match case.element {
        "f64" => rounds::<D, f64>(device, case, &reference, seed, &mut histogram),
        "f32" => rounds::<D, f32>(device, case, &reference, seed, &mut histogram),
        "f16" => rounds::<D, f16>(device, case, &reference, seed, &mut histogram),
        "bf16" => rounds::<D, bf16>(device, case, &reference, seed, &mut histogram),
        other => panic!("no kernel has the element `{other}`"),
    };
    (result, histogram)
}

fn rounds<D: Device, T: Float + Number>(
    device: &D,
    case: &Case<D>,
    reference: &Reference,
    seed: u64,
    histogram: &mut Histogram,
) -> Result<Tally, String> {
    let mut tally = Tally::default();
    let mut numbers = Numbers::new(seed);
    for (position, round) in ROUNDS.into_iter().enumerate() {
        let sample = Sample::random::<T>(device, reference, round, &mut numbers);
        histogram.layouts(&sample.layouts);
        let all = position < 3;
        compare(case, reference, &sample, all, &mut tally).map_err(|difference| {
            let inputs: Vec<String> = (reference.kernel().tensors.iter())
                .zip(&sample.arrays)
                .zip(&sample.layouts)
                .map(|((tensor, array), layout)| format!("  {} {layout:?} {}", tensor.name, shown(array)))
                .collect();
            let (sizes, inputs) = (&sample.sizes, inputs.join("\n"));
            format!("{difference}\n  {}\n  element {}, sizes {sizes:?}\n{inputs}", case.source, case.element)
        })?;
        if case.smooth && round == Round::Plain && T::DTYPE == tensor_rt::DType::F64 {
            differences(reference, &sample, &mut numbers, &mut tally)
                .map_err(|difference| format!("{difference}\n  {}, sizes {:?}", case.source, sample.sizes))?;
        }
    }
    Ok(tally)
}

/// The first elements of an array.
fn shown(array: &Array) -> String {
    let text = format!("{:?}", array.values.iter().take(40).collect::<Vec<_>>());
    format!("{:?} {}", array.shape, text.replace("Float", "").replace("Int", ""))
}

/// How close the results of a kernel have to be: its own element, or the one that it rounds to within.
fn tolerance<D: Device>(case: &Case<D>) -> Tolerance {
    let rounds_to = |element: &str| case.element == element || case.source.contains(&format!(" as {element} "));
    let (close, nudge) = match () {
        () if rounds_to("bf16") => (4e-2, 4e-3),
        () if rounds_to("f16") => (5e-3, 5e-4),
        () if rounds_to("f32") => (2e-5, 1e-6),
        () => (1e-10, 1e-13),
    };
    Tolerance { close, nudge }
}

/// Compares a call with every combination of tracked arguments (`all`), or with none and all.
fn compare<D: Device>(
    case: &Case<D>,
    reference: &Reference,
    sample: &Sample<D>,
    all: bool,
    tally: &mut Tally,
) -> Result<(), String> {
    let expected = reference.run(&sample.arrays, Some(&sample.cotangents));
    let empty = sample.sizes.iter().any(|(_, size)| *size == 0);
    let impossible = (case.call)(&sample.arguments, u32::MAX).map_err(|error| error.to_string())?;
    let differentiable = impossible.differentiable;
    let full = (1u32 << differentiable.len()) - 1;
    let mut masks: Vec<u32> = if all { (0..=full).collect() } else { vec![0, full] };
    masks.dedup();
    masks.reverse();
    let mut whole: Option<Results> = None;
    for tracked in masks {
        let results = match (case.call)(&sample.arguments, tracked) {
            Ok(results) => results,
            Err(_) if !expected.faults.is_empty() => {
                tally.refused += 1;
                continue;
            }
            // The maximum of nothing is refused before the launch, though a branch may leave it out; and what does not
            // vary along an empty summed axis may be computed before the sum.
            Err(error) if empty && [ErrorKind::EmptyReduction, ErrorKind::IndexOutOfRange].contains(&error.kind()) => {
                tally.refused += 1;
                continue;
            }
            Err(error) => return Err(refusal(tracked, &error)),
        };
        if !expected.faults.is_empty() {
            return Err(format!("tracked {tracked:b}: {:?} is not reported", expected.faults[0]));
        }
        tally.calls += 1;
        let params = differentiable.iter().enumerate().filter(|(bit, _)| tracked >> bit & 1 == 1);
        let pairs = (results.values.iter().zip(&expected.values).enumerate())
            .map(|(output, pair)| (format!("output {output}"), Some(pair.0), Some(pair.1)))
            .chain(params.map(|(_, &param)| {
                let name = &reference.kernel().tensors[param].name;
                (format!("d{name}"), results.gradients[param].as_ref(), expected.gradients[param].as_ref())
            }));
        for (what, found, expected) in pairs {
            let (Some(found), Some(expected)) = (found, expected) else {
                return Err(format!("{what} is {found:?}, expected {expected:?}, tracked {tracked:b}"));
            };
            let place = Place { case, reference, sample, what: &what, tracked };
            place.agree(found, expected, tally)?;
        }
        // What is tracked besides does not change a gradient, to the last bit.
        if let Some(whole) = &whole {
            for (param, gradient) in results.gradients.iter().enumerate() {
                if let (Some(found), Some(expected)) = (gradient, &whole.gradients[param])
                    && !same_bits(found, expected)
                {
                    return Err(format!("the gradient of parameter {param} depends on what is tracked: {tracked:b}"));
                }
            }
        } else if tracked == full {
            whole = Some(results);
        }
    }
    tally.differentiable += usize::from(!differentiable.is_empty() && all && tally.differentiable == 0);
    Ok(())
}

fn refusal(tracked: u32, error: &Error) -> String {
    format!("tracked {tracked:b}: {error}")
}

fn same_bits(x: &Array, y: &Array) -> bool {
    x.values.iter().zip(&y.values).all(|(x, y)| x.float().to_bits() == y.float().to_bits())
}

/// Which array is compared.
struct Place<'a, D: Device> {
    case: &'a Case<D>,
    reference: &'a Reference,
    sample: &'a Sample<D>,
    what: &'a str,
    tracked: u32,
}

impl<D: Device> Place<'_, D> {
    /// The first element that differs by more than rounding explains.
    fn agree(&self, found: &Array, expected: &Array, tally: &mut Tally) -> Result<(), String> {
        let Place { what, tracked, .. } = self;
        if found.values.len() != expected.values.len() {
            return Err(format!("{what} has {:?}, expected {:?}, tracked {tracked:b}", found.shape, expected.shape));
        }
        let Tolerance { close, nudge } = tolerance(self.case);
        let finite =
            |value: &Value| if let Value::Float(x) = value { Some(x.abs()).filter(|x| x.is_finite()) } else { None };
        let scale = expected.values.iter().filter_map(finite).fold(1.0, f64::max);
        tally.elements += found.values.len();
        let mut moved: Option<Vec<Array>> = None;
        for (element, (&x, &y)) in found.values.iter().zip(&expected.values).enumerate() {
            if is_close(x, y, close * scale) || self.case.element == "f16" && is_beyond_half(y) {
                continue;
            }
            let moved = moved.get_or_insert_with(|| self.nudged(nudge));
            let explained = |other: &Array| match (x, y, other.values[element]) {
                (Value::Float(x), Value::Float(y), Value::Float(other)) => {
                    (y - other).abs() * 4.0 >= (x - y).abs() || other.is_nan()
                }
                (_, y, other) => y != other,
            };
            if moved.iter().any(explained) {
                tally.unstable += 1;
                continue;
            }
            return Err(format!("{what}[{element}] is {x:?}, expected {y:?}, tracked {tracked:b}"));
        }
        Ok(())
    }

    /// The same array for arguments that differ in their last digits.
    fn nudged(&self, nudge: f64) -> Vec<Array> {
        (0..4)
            .map(|seed| {
                let mut numbers = Numbers::new(seed);
                let mut arrays = self.sample.arrays.clone();
                for value in arrays.iter_mut().flat_map(|array| &mut array.values) {
                    if let Value::Float(x) = value {
                        *x += nudge * (1.0 + x.abs()) * numbers.between(-1.0, 1.0);
                    }
                }
                let Meaning { values, gradients, .. } = self.reference.run(&arrays, Some(&self.sample.cotangents));
                let tensors = &self.reference.kernel().tensors;
                let is_gradient = |param: &usize| self.what == format!("d{}", tensors[*param].name);
                match (0..tensors.len()).find(is_gradient) {
                    Some(param) => gradients[param].clone().expect("it was there before"),
                    None => {
                        let position = self.what.strip_prefix("output ").and_then(|text| text.parse::<usize>().ok());
                        values[position.expect("the name of an output")].clone()
                    }
                }
            })
            .collect()
    }
}

fn is_close(found: Value, expected: Value, tolerance: f64) -> bool {
    match (found, expected) {
        (Value::Float(x), Value::Float(y)) => x == y || x.is_nan() && y.is_nan() || (x - y).abs() <= tolerance,
        (x, y) => x == y,
    }
}

/// `f16` has no such number.
fn is_beyond_half(value: Value) -> bool {
    matches!(value, Value::Float(x) if x.abs() > 60_000.0)
}

/// Gradients against difference quotients, both interpreted.
fn differences<D: Device>(
    reference: &Reference,
    sample: &Sample<D>,
    numbers: &mut Numbers,
    tally: &mut Tally,
) -> Result<(), String> {
    let meaning = reference.run(&sample.arrays, Some(&sample.cotangents));
    if !meaning.faults.is_empty() {
        return Ok(());
    }
    for (param, gradient) in meaning.gradients.iter().enumerate() {
        let Some(gradient) = gradient else { continue };
        let direction: Vec<f64> = gradient.values.iter().map(|_| numbers.between(-1.0, 1.0)).collect();
        let found = dot(gradient, &Array::floats(&gradient.shape, &direction));
        let [quotient, wider] = reference.differences(&sample.arrays, &sample.cotangents, param, &direction);
        let scale = 1.0 + found.abs() + quotient.abs();
        // Something between the points is not smooth, or all is rounding.
        if (quotient - wider).abs() > 1e-6 * scale {
            tally.unsettled += 1;
            continue;
        }
        // The error of a central difference is step^2 times the third derivative, plus rounding over the step.
        if (found - quotient).abs() > 1e-5 * scale {
            let name = &reference.kernel().tensors[param].name;
            return Err(format!("d{name} along a direction is {found}, the difference quotient {quotient}"));
        }
        tally.differences += 1;
    }
    Ok(())
}
