//! Values and gradients of the library's kernels against a table computed with PyTorch in f64.
//!
//! `tests/reference/reference.json` and `library.json` have the cases, and the scripts beside them made them; this project's own
//! conventions (a fully masked row, a loss without rows, ties) are in the table with a note. Every case runs in f32 within
//! the table's tolerance and in f64 within a hundred-thousandth of it, tracked and untracked, with dense, transposed and
//! reversed inputs. A case whose kernel the library does not have fails.

mod inputs;
mod kernels;
mod table;

use inputs::{Inputs, Layout};
use table::{Array, Case, Table, Tolerance};
use tensor_rt::prelude::*;
use tests::device::Read;

/// Cases of the table.
const CASES: usize = 125 + 20;

#[test]
fn the_table_is_complete() {
    let table = Table::read();
    assert_eq!(table.cases.len(), CASES);
    let mut names: Vec<&str> = table.cases.iter().map(|case| case.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), 71);
}

fn f32_agrees_with_the_table<D: Device>(device: &D) {
    run::<D, f32>(device, 1.0);
}

fn f64_agrees_with_the_table<D: Device>(device: &D) {
    // The table has twelve digits; the smallest tolerance left is 1e-10.
    run::<D, f64>(device, 1e-5);
}

/// Runs every case in the element `T`; tolerances are the table's times `factor`.
fn run<D: Device, T: Float>(device: &D, factor: f64) {
    let mut failures = Vec::new();
    let mut passed = 0;
    for case in &Table::read().cases {
        for layout in [Layout::Dense, Layout::Transposed, Layout::Reversed] {
            match check::<D, T>(device, case, layout, factor) {
                Ok(()) => passed += 1,
                Err(failure) => failures.push(format!("{case}, {layout:?}: {failure}")),
            }
        }
    }
    assert!(failures.is_empty(), "{} of the runs failed:\n{}", failures.len(), failures.join("\n"));
    assert_eq!(passed, 3 * CASES);
}

/// An error if the library does not have the kernel, or does not agree with the table.
fn check<D: Device, T: Float>(
    device: &D,
    case: &Case,
    layout: Layout,
    factor: f64,
) -> Result<(), Box<dyn std::error::Error>> {
    let tolerance = case.tolerance_f32.times(factor);

    let untracked = Inputs::<D, NoGrad, T>::of(device, case, layout, Ok);
    if let Some(outputs) = kernels::optimize(case, &untracked)? {
        return compare_outputs(case, &outputs, tolerance);
    }
    let outputs = kernels::call(case, &untracked)?.ok_or("the library has no such kernel")?;
    compare_outputs(case, &outputs, tolerance)?;

    let tracked = Inputs::<D, Grad, T>::of(device, case, layout, |input| Ok(input.requires_grad()));
    let outputs = kernels::call(case, &tracked)?.ok_or("tracked and untracked calls differ")?;
    compare_outputs(case, &outputs, tolerance)?;
    if case.gradients.is_empty() {
        return Ok(());
    }

    let gradients = backward(case, outputs)?;
    for (name, expected) in &case.gradients {
        let found = gradients.get(tracked.leaf(name)).ok_or_else(|| format!("`{name}` has no gradient"))?;
        compare(&format!("gradient of `{name}`"), &found, expected, tolerance)?;
    }
    Ok(())
}

/// Walks back from all outputs with the cotangents of the case.
fn backward<D: Device, T: Float>(
    case: &Case,
    outputs: Vec<Tensor<D, Grad, T>>,
) -> Result<Gradients, Box<dyn std::error::Error>> {
    let mut loss: Option<Tensor<D, Grad, T>> = None;
    let alone = outputs.len() == 1;
    for ((name, _), output) in case.outputs.iter().zip(outputs) {
        // A cotangent without axes is a view with strides 0.
        let cotangent =
            inputs::dense::<D, T>(&output.device(), &case.cotangents[name])?.broadcast_to(output.shape())?;
        if alone {
            return Ok(output.backward_with(&cotangent)?);
        }
        // The cotangent of `y` is `c` if the loss is the sum of `y c`.
        let term = (output * cotangent)?.sum()?;
        loss = Some(match loss {
            None => term,
            Some(sum) => (sum + term)?,
        });
    }
    Ok(loss.ok_or("the case has no output")?.backward()?)
}

fn compare_outputs<D: Device, M: GradMode, T: Float>(
    case: &Case,
    outputs: &[Tensor<D, M, T>],
    tolerance: Tolerance,
) -> Result<(), Box<dyn std::error::Error>> {
    if outputs.len() != case.outputs.len() {
        return Err(format!("{} outputs, expected {}", outputs.len(), case.outputs.len()).into());
    }
    for ((name, expected), output) in case.outputs.iter().zip(outputs) {
        compare(&format!("output `{name}`"), &output.detach(), expected, tolerance)?;
    }
    Ok(())
}

fn compare<D: Device, T: Float>(
    what: &str,
    found: &Tensor<D, NoGrad, T>,
    expected: &Array,
    tolerance: Tolerance,
) -> Result<(), Box<dyn std::error::Error>> {
    if found.shape() != expected.shape.as_slice() {
        return Err(format!("{what} has shape {:?}, expected {:?}", found.shape(), expected.shape).into());
    }
    for (place, (&found, expected)) in found.cast::<f64>()?.read()?.iter().zip(expected.floats()).enumerate() {
        if !tolerance.holds(found, expected) {
            return Err(format!("element {place} of the {what} is {found}, expected {expected}").into());
        }
    }
    Ok(())
}

tests::on_each_device! {
    f32_agrees_with_the_table,
    f64_agrees_with_the_table,
}
