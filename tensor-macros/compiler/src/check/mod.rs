//! Syntax tree to IR: names, types, axes.
//!
//! Vocabulary: a value is *typed* or *adapts* (see `value`); the *path* is the condition under which an expression is
//! evaluated, made of the enclosing branches; an axis is *free* in a value that varies along it.
//!
//! Invariants:
//! - a function that gives `None` has reported why, and checking goes on beside a mistake, so that all are reported;
//! - loads that could fail and integer divisions that could fail carry the path;
//! - a kernel that is returned satisfies [`ir::Graph::verify`].

mod assertion;
mod axes;
mod by_hand;
mod control;
mod expression;
mod functions;
mod index;
mod other_names;
mod padding;
mod places;
mod random;
mod reductions;
mod refuse;
mod scatter;
mod scope;
mod signature;
mod sizes;
mod statements;
mod substitute;
mod suggest;
mod value;

#[cfg(test)]
mod tests;

pub use functions::function_names;
pub use places::Places;
pub use reductions::names as reduction_names;

use std::collections::{BTreeMap, HashMap};

use value::{Kind, Value};

use crate::errors::Errors;
use crate::ir::{self, NodeId, Target, Ty, Write};
use crate::syntax::ast;

/// A kernel without mistakes, and where its expressions were written.
#[derive(Debug)]
pub struct Checked {
    /// The kernel.
    pub kernel: ir::Kernel,
    /// Where its expressions were written.
    pub places: Places,
    /// How a hand-written one is launched on a CUDA device, but for the sizes that it takes.
    pub launch: Option<ir::CudaLaunch>,
}

/// Checks one function; `helpers` are those of the same block. Every mistake is reported. A hand-written kernel has no
/// roots: what it writes is its outputs and its edited parameters.
pub fn kernel(function: &ast::Function, helpers: &[ast::Helper], errors: &mut Errors) -> Option<Checked> {
    let before = errors.len();
    let mut checker = Checker {
        errors,
        function,
        helpers,
        graph: ir::Graph::new(),
        places: Places::default(),
        names: BTreeMap::new(),
        float: Ty::Float,
        axes: axes::Axes::default(),
        params: HashMap::new(),
        tensors: Vec::new(),
        scalars: Vec::new(),
        outputs: Vec::new(),
        edits: Vec::new(),
        roots: Vec::new(),
        scope: Vec::new(),
        helper: None,
        path: None,
        scope_axes: scope::ScopeAxes::default(),
        streams: 0,
        assertions: Vec::new(),
        in_expression: false,
        in_size: false,
        evaluated: 0,
        launch: None,
    };
    checker.signature();
    match &function.body {
        Some(_) if !function.sound => return None,
        Some(body) => {
            checker.body(body);
            checker.finish_edits(before);
        }
        None => checker.by_hand(),
    }
    checker.check_has_effect(before);
    let Checker { errors, graph, places, names, tensors, scalars, outputs, roots, assertions, launch, .. } = checker;
    if errors.len() != before {
        return None;
    }
    let kernel = ir::Kernel {
        name: function.name.to_string(),
        graph,
        tensors,
        scalars,
        outputs,
        roots,
        assertions,
        no_grad: function.no_grad.is_some(),
        names,
    };
    Some(Checked { kernel, places, launch })
}

/// The state of checking one kernel.
struct Checker<'a> {
    errors: &'a mut Errors,
    function: &'a ast::Function,
    helpers: &'a [ast::Helper],
    graph: ir::Graph,
    places: Places,
    names: BTreeMap<NodeId, String>,
    /// The computing type of the kernel's own floats.
    float: Ty,
    axes: axes::Axes,
    params: HashMap<String, Param>,
    tensors: Vec<ir::Tensor>,
    scalars: Vec<ir::Scalar>,
    outputs: Vec<ir::Output>,
    /// One per tensor.
    edits: Vec<Edited>,
    roots: Vec<ir::Root>,
    /// Names bound by `let`, or the parameters of the helper; innermost last. `None` after a mistake in the value.
    scope: Vec<(String, Option<Value>)>,
    /// The helper being inlined, and those that call it.
    helper: Option<Inlined>,
    path: Option<NodeId>,
    scope_axes: scope::ScopeAxes,
    /// Random numbers written so far.
    streams: u32,
    assertions: Vec<ir::Assertion>,
    /// True within a block that has a value, where nothing is assigned.
    in_expression: bool,
    /// True within a size expression.
    in_size: bool,
    /// Expressions evaluated so far.
    evaluated: usize,
    /// Of a hand-written kernel.
    launch: Option<ir::CudaLaunch>,
}

/// A parameter of the kernel.
#[derive(Clone, Copy, Debug)]
enum Param {
    /// A tensor, by position, and its first dimension that has a literal size instead of a name.
    Tensor { position: u32, unnamed: Option<usize> },
    /// A scalar, by position.
    Scalar(u32),
}

/// What was written into a `&mut` parameter so far.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct Edited {
    /// The new value of the element at the parameter's own axes.
    value: Option<NodeId>,
    /// True after `p[i] += e`: the new values have no expression.
    scattered: bool,
}

/// A helper that is being inlined.
#[derive(Clone, Debug)]
struct Inlined {
    /// Names of the helpers from the outermost call to this one.
    calls: Vec<String>,
    /// Where its names begin in the scope.
    base: usize,
}

impl Checker<'_> {
    /// Fills in the final values of edited parameters, whose roots stand at their first assignment. `before` is the
    /// number of mistakes before this kernel.
    fn finish_edits(&mut self, before: usize) {
        for (position, edited) in self.edits.iter().enumerate() {
            let target = Target::Edit(position as u32);
            if let Some(value) = edited.value {
                let root = self.roots.iter_mut().find(|root| root.target == target && is_dense(root));
                root.expect("an assignment adds a root").value = value;
            }
        }
        for (position, tensor) in self.tensors.iter().enumerate() {
            let written = self.roots.iter().any(|root| root.target == Target::Edit(position as u32));
            let (fact, remedy) = match tensor.intent {
                ir::Intent::Edit => ("is `&mut` but is never written", "="),
                ir::Intent::Atomic => ("is `&atomic` but nothing is accumulated into it", "+="),
                ir::Intent::Read | ir::Intent::Donate => continue,
            };
            // A body with mistakes may lack the assignment because of them.
            if !written && self.errors.len() == before {
                let param = self.function.params.iter().find(|param| param.name == tensor.name);
                let name = &param.expect("a tensor is a parameter").name;
                self.errors
                    .error(name, format!("`{name}` {fact}\nhelp: pass it by `&`, or write `{name} {remedy} ..`"));
            }
        }
    }

    /// A kernel has an output, or edits a parameter. A body with mistakes may try to edit one that is not `&mut`.
    fn check_has_effect(&mut self, before: usize) {
        let function = self.function;
        let edits = self.tensors.iter().any(|tensor| matches!(tensor.intent, ir::Intent::Edit | ir::Intent::Atomic));
        if function.outputs.is_empty() && !edits && self.errors.len() == before {
            let help = "declare an output, `-> Tensor[..]`, or edit a parameter in place, `y: &mut Tensor[..]`";
            self.errors.error(&function.name, format!("kernel `{}` has no effect\nhelp: {help}", function.name));
        }
    }
}

fn is_dense(root: &ir::Root) -> bool {
    matches!(root.write, Write::Dense { .. })
}
