//! Gradients of compiled kernels against central differences, in `f64`: every function and reduction of the language, and
//! every kernel of the library.
//!
//! Each case runs with dense, transposed, sliced, flipped and broadcast inputs. Every combination of tracked and
//! untracked inputs gives the same values and, where there are any, the same gradients, to the last bit. Points are away
//! from kinks. The lists are complete: a name of the language or of the library that is in none of them is an error.

mod check;
mod functions;
mod halves;
mod library;
mod reductions;

use check::Case;
use halves::residuals_of_halves_are_not_rounded;
use tensor_rt::prelude::*;

/// Checks all cases, and reports all failures.
fn check_all<D: Device>(device: &D, cases: &[Case<D>]) {
    let failures: Vec<String> = cases.iter().filter_map(|case| case.check(device).err()).collect();
    assert!(failures.is_empty(), "{} of {} cases\n{}", failures.len(), cases.len(), failures.join("\n"));
}

fn functions_match_differences<D: Device>(device: &D) {
    check_all(device, &functions::cases());
}

fn reductions_match_differences<D: Device>(device: &D) {
    check_all(device, &reductions::cases());
}

fn library_kernels_match_differences<D: Device>(device: &D) {
    check_all(device, &library::cases());
}

/// A wrong gradient, and one that depends on what is tracked, are noticed.
fn wrong_gradients_are_noticed<D: Device>(device: &D) {
    for case in functions::wrong() {
        let failure = case.check(device).expect_err("the gradient is wrong");
        assert!(failure.contains("the difference quotient"), "{failure}");
    }
}

#[test]
fn every_function_of_the_language_is_checked() {
    let cases = functions::cases::<Cpu>();
    let missing: Vec<&str> = tensor_rt_compiler::check::function_names()
        .filter(|name| !functions::WITHOUT_GRADIENT.contains(name))
        .filter(|name| cases.iter().all(|case| case.name != *name))
        .collect();
    assert!(missing.is_empty(), "functions without a gradient test: {missing:?}");
}

#[test]
fn every_reduction_of_the_language_is_checked() {
    let cases = reductions::cases::<Cpu>();
    let missing: Vec<&str> = tensor_rt_compiler::check::reduction_names()
        .filter(|name| !reductions::WITHOUT_GRADIENT.contains(name))
        .filter(|name| cases.iter().all(|case| case.name != *name))
        .collect();
    assert!(missing.is_empty(), "reductions without a gradient test: {missing:?}");
}

#[test]
fn every_kernel_of_the_library_is_checked() {
    let cases = library::cases::<Cpu>();
    let table = library::table();
    assert!(table.len() > 50, "the table was not found: {table:?}");
    let missing: Vec<&String> = table
        .iter()
        .filter(|name| !library::WITHOUT_GRADIENT.contains(&name.as_str()))
        .filter(|name| cases.iter().all(|case| case.name != name.as_str()))
        .collect();
    assert!(missing.is_empty(), "kernels without a gradient test: {missing:?}");
}

tests::on_each_device! {
    functions_match_differences,
    reductions_match_differences,
    library_kernels_match_differences,
    wrong_gradients_are_noticed,
    residuals_of_halves_are_not_rounded,
}
