//! Tests of the derivative: kernels are written as text, interpreted, and compared with exact vectors and with finite
//! differences.

mod differences;
mod mutations;
mod operations;
mod random;
mod structure;
mod vectors;

pub(in crate::diff) use mutations::scaled;

use std::str::FromStr;

use proc_macro2::TokenStream;

use crate::check;
use crate::errors::Errors;
use crate::interp::{self, Array, Outcome, Value};
use crate::ir::{Backward, Kernel};
use crate::syntax::{self, ast};

/// A kernel and its derivative.
struct Derived {
    kernel: Kernel,
    backward: Option<Backward>,
}

/// Parses, checks and differentiates the one kernel of a block.
fn derive(source: &str) -> Derived {
    let mut errors = Errors::new();
    let items = syntax::parse(TokenStream::from_str(source).expect("the source has tokens"), &mut errors);
    let (mut functions, mut helpers) = (vec![], vec![]);
    for item in items {
        match item {
            ast::Item::Function(function) => functions.push(function),
            ast::Item::Helper(helper) => helpers.push(helper),
        }
    }
    assert_eq!(functions.len(), 1, "one kernel is expected: {source}");
    let checked = check::kernel(&functions[0], &helpers, &mut errors);
    let messages: Vec<String> = errors.iter().map(ToString::to_string).collect();
    assert!(messages.is_empty(), "{source}\n{messages:#?}");
    let mut kernel = checked.expect("a kernel without mistakes").kernel;
    let forward = kernel.graph.clone();
    let backward = super::backward(&mut kernel);
    kernel.graph.verify();
    for index in 0..forward.len() as u32 {
        let id = crate::ir::NodeId(index);
        assert_eq!(forward.node(id), kernel.graph.node(id), "forward nodes do not change");
    }
    Derived { kernel, backward }
}

impl Derived {
    fn sizes(&self, arrays: &[Array], scalars: &[Value]) -> Vec<usize> {
        interp::sizes(&self.kernel, arrays, scalars).expect("the shapes agree")
    }

    fn forward(&self, arrays: &[Array], scalars: &[Value]) -> Outcome {
        interp::forward(&self.kernel, &self.sizes(arrays, scalars), arrays, scalars)
    }

    fn backward(&self, arrays: &[Array], scalars: &[Value], cotangents: &[Array]) -> Outcome {
        let backward = self.backward.as_ref().expect("the kernel has a derivative");
        interp::backward(&self.kernel, backward, &self.sizes(arrays, scalars), arrays, scalars, cotangents)
    }
}

/// The values of one array.
fn values(outcome: &Outcome, position: usize) -> Vec<f64> {
    outcome.arrays[position].as_ref().expect("the array is written").to_floats()
}

/// True if all values agree to 1e-12 of their size: the interpreter computes in `f64`, with other orders of operations.
fn agree(found: &[f64], expected: &[f64]) -> bool {
    found.len() == expected.len()
        && found.iter().zip(expected).all(|(&found, &expected)| {
            found == expected
                || (found.is_nan() && expected.is_nan())
                || (found - expected).abs() <= 1e-12 * (1.0 + expected.abs())
        })
}
