//! Whole kernels.

use super::{Array, Fault, Interpreter, Value};
use crate::ir::{AxisId, Backward, Extent, Kernel, Source, Target};

/// What a kernel wrote.
#[derive(Clone, PartialEq, Debug)]
pub struct Outcome {
    /// The outputs of a forward pass in order, or the gradients of a backward pass, one per tensor parameter (`None`
    /// without a gradient).
    pub arrays: Vec<Option<Array>>,
    /// The new values of edited parameters, by position.
    pub edits: Vec<(u32, Array)>,
    /// The errors met.
    pub faults: Vec<Fault>,
}

/// The size of each extent, read from the arguments; `arrays` and `scalars` are in the order of the signature.
///
/// # Errors
/// A dimension that disagrees with another, or a negative size.
pub fn sizes(kernel: &Kernel, arrays: &[Array], scalars: &[Value]) -> Result<Vec<usize>, String> {
    let graph = &kernel.graph;
    let mut sizes: Vec<Option<usize>> = graph
        .all_extents()
        .map(|(_, extent)| match extent {
            Extent::Literal(size) => Some(size as usize),
            Extent::Declared | Extent::Computed(_) => None,
        })
        .collect();
    for (tensor, array) in kernel.tensors.iter().zip(arrays) {
        for (&axis, &size) in tensor.axes.iter().zip(&array.shape) {
            let axis = graph.axis(axis);
            if matches!(graph.extent(axis.extent), Extent::Computed(_)) {
                continue;
            }
            match &mut sizes[axis.extent.0 as usize] {
                Some(known) if *known != size => {
                    return Err(format!("axis `{}` is {known} and {size} in `{}`", axis.name, tensor.name));
                }
                known => *known = Some(size),
            }
        }
    }
    // A computed size may use another one, of a smaller id or not.
    for _ in 0..sizes.len() {
        for (id, extent) in graph.all_extents() {
            if let Extent::Computed(node) = extent {
                let known = sizes.iter().map(|size| size.unwrap_or(0)).collect();
                let size = Interpreter::new(graph, known, scalars.to_vec()).value(node, &[]).int();
                if size < 0 {
                    return Err(format!("the size {size} is negative"));
                }
                sizes[id.0 as usize] = Some(size as usize);
            }
        }
    }
    Ok(sizes.into_iter().map(|size| size.unwrap_or(0)).collect())
}

/// The outputs and edits of a kernel.
pub fn forward(kernel: &Kernel, sizes: &[usize], arrays: &[Array], scalars: &[Value]) -> Outcome {
    let mut interpreter = with_params(kernel, sizes, arrays, scalars);
    let mut outputs = vec![None; kernel.outputs.len()];
    let mut edits: Vec<(u32, Array)> = vec![];
    let mut failed = vec![];
    for (position, assertion) in kernel.assertions.iter().enumerate() {
        if interpreter.array(assertion.condition, &assertion.axes).values.contains(&Value::Bool(false)) {
            failed.push(Fault::Assertion(position as u32));
        }
    }
    for root in &kernel.roots {
        match root.target {
            Target::Output(position) => {
                let slot = &mut outputs[position as usize];
                *slot = Some(interpreter.root(root, &kernel.outputs[position as usize].axes, slot.take()));
            }
            Target::Edit(param) => {
                let place = edits.iter().position(|(edited, _)| *edited == param);
                let old = place.map_or_else(|| arrays[param as usize].clone(), |place| edits.remove(place).1);
                let new = interpreter.root(root, &kernel.tensors[param as usize].axes, Some(old));
                edits.push((param, new));
            }
            other => panic!("{other:?} is not written by a forward pass"),
        }
    }
    let faults = interpreter.faults().iter().copied().chain(failed).collect();
    Outcome { arrays: outputs, edits, faults }
}

/// The gradients of a kernel, for one cotangent per output.
pub fn backward(
    kernel: &Kernel,
    backward: &Backward,
    sizes: &[usize],
    arrays: &[Array],
    scalars: &[Value],
    cotangents: &[Array],
) -> Outcome {
    let mut interpreter = with_params(kernel, sizes, arrays, scalars);
    // What a residual meets is an error of the forward pass, if an output depends on it.
    let mut residuals = with_params(kernel, sizes, arrays, scalars);
    for (position, saved) in backward.saved.iter().enumerate() {
        interpreter.set_array(Source::Saved(position as u32), residuals.array(saved.node, &saved.axes));
    }
    for (position, cotangent) in cotangents.iter().enumerate() {
        interpreter.set_array(Source::Cotangent(position as u32), cotangent.clone());
    }
    for (position, temp) in backward.temps.iter().enumerate() {
        let array = interpreter.array(temp.node, &temp.axes);
        interpreter.set_array(Source::Temp(position as u32), array);
    }
    let mut gradients: Vec<Option<Array>> = vec![None; kernel.tensors.len()];
    for root in &backward.roots {
        let Target::Gradient(param) = root.target else {
            panic!("{:?} is not written by a backward pass", root.target);
        };
        let axes: &[AxisId] = &kernel.tensors[param as usize].axes;
        let slot = &mut gradients[param as usize];
        *slot = Some(interpreter.root(root, axes, slot.take()));
    }
    Outcome { arrays: gradients, edits: vec![], faults: interpreter.faults().to_vec() }
}

fn with_params<'kernel>(
    kernel: &'kernel Kernel,
    sizes: &[usize],
    arrays: &[Array],
    scalars: &[Value],
) -> Interpreter<'kernel> {
    let mut interpreter = Interpreter::new(&kernel.graph, sizes.to_vec(), scalars.to_vec());
    for (position, array) in arrays.iter().enumerate() {
        interpreter.set_array(Source::Param(position as u32), array.clone());
    }
    interpreter
}
