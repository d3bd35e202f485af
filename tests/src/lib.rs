//! Support for the integration tests.

#![forbid(unsafe_code)]

pub mod device;

use std::path::{Path, PathBuf};

use tensor_rt::prelude::*;

use device::Read;

/// Asserts that a tensor has this shape and these elements, within a relative 1e-5 and an absolute 1e-6: what f32
/// arithmetic of a few operations keeps.
///
/// # Panics
/// Panics if the tensor differs.
#[track_caller]
pub fn assert_values<D: Device, G: GradMode>(found: &Tensor<D, G>, shape: &[usize], expected: &[f32]) {
    assert_eq!(found.shape(), shape);
    let found = found.read().expect("elements can be read");
    assert_eq!(found.len(), expected.len());
    for (place, (&found, &expected)) in found.iter().zip(expected).enumerate() {
        let close = found == expected
            || found.is_nan() && expected.is_nan()
            || (found - expected).abs() <= 1e-6 + 1e-5 * expected.abs();
        assert!(close, "element {place} is {found}, expected {expected}");
    }
}

/// Asserts that a compile-fail case exists and that its message says `sentence`. The case itself is run by the test `ui`.
///
/// # Panics
/// Panics if there is no such case, or its message says something else.
#[track_caller]
pub fn assert_does_not_compile(case: &str, sentence: &str) {
    let path = ui_case(case).with_extension("stderr");
    let message = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    assert!(message.contains(sentence), "{case} says:\n{message}");
}

/// The file of a compile-fail case, by its path below `tests/ui/fail` without the ending.
fn ui_case(case: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("ui/fail").join(case).with_extension("rs")
}
