//! Schedules, kernel by kernel, with every residual and temp as an array.
//!
//! A kernel that edits a parameter stores each row as soon as it is computed, so that an illegal read of another row
//! shows in the result.

use std::collections::HashMap;

use super::{Array, Fault, Interpreter, Outcome, Value};
use crate::ir::{self, AxisId, Backward, Saved, Source, Target, Write};
use crate::schedule::{Kernel, Schedule};

/// The outputs and edits of a forward schedule, and the residuals that the backward pass reads.
pub fn forward_schedule(
    kernel: &ir::Kernel,
    saved: &[Saved],
    schedule: &Schedule,
    sizes: &[usize],
    arrays: &[Array],
    scalars: &[Value],
) -> (Outcome, Vec<Array>) {
    let mut run = Run::new(kernel, saved, schedule, sizes, scalars);
    run.set(Target::Edit, arrays);
    run.kernels();
    run.check();
    let edited = |target: &Target| matches!(target, Target::Edit(_));
    let mut edits: Vec<(u32, Array)> = vec![];
    for root in schedule.kernels.iter().flat_map(|kernel| &kernel.writes).filter(|root| edited(&root.target)) {
        if let Target::Edit(param) = root.target {
            edits.retain(|&(other, _)| other != param);
            edits.push((param, run.arrays[&root.target].clone()));
        }
    }
    let outputs: Vec<Option<Array>> =
        (0..kernel.outputs.len() as u32).map(|position| run.arrays.get(&Target::Output(position)).cloned()).collect();
    let residuals = (saved.iter().enumerate())
        .map(|(position, residual)| match residual.output {
            Some(output) => outputs[output as usize].clone().expect("every output is written"),
            None => run.arrays[&Target::Saved(position as u32)].clone(),
        })
        .collect();
    (Outcome { arrays: outputs, edits, faults: run.faults }, residuals)
}

/// The gradients of a backward schedule, for the residuals of the forward schedule and one cotangent per output.
#[expect(clippy::too_many_arguments, reason = "everything a backward pass reads")]
pub fn backward_schedule(
    kernel: &ir::Kernel,
    backward: &Backward,
    schedule: &Schedule,
    sizes: &[usize],
    arrays: &[Array],
    scalars: &[Value],
    cotangents: &[Array],
    residuals: &[Array],
) -> Outcome {
    let mut run = Run::new(kernel, &backward.saved, schedule, sizes, scalars);
    run.set(Target::Edit, arrays);
    run.set(Target::Saved, residuals);
    run.cotangents = cotangents.to_vec();
    run.kernels();
    let gradients =
        (0..kernel.tensors.len() as u32).map(|param| run.arrays.get(&Target::Gradient(param)).cloned()).collect();
    Outcome { arrays: gradients, edits: vec![], faults: run.faults }
}

/// One execution of a schedule.
struct Run<'a> {
    kernel: &'a ir::Kernel,
    saved: &'a [Saved],
    schedule: &'a Schedule,
    sizes: &'a [usize],
    scalars: &'a [Value],
    cotangents: Vec<Array>,
    /// By target; parameters are held as edits.
    arrays: HashMap<Target, Array>,
    faults: Vec<Fault>,
}

impl<'a> Run<'a> {
    fn new(
        kernel: &'a ir::Kernel,
        saved: &'a [Saved],
        schedule: &'a Schedule,
        sizes: &'a [usize],
        scalars: &'a [Value],
    ) -> Self {
        let (cotangents, arrays, faults) = (vec![], HashMap::new(), vec![]);
        Self { kernel, saved, schedule, sizes, scalars, cotangents, arrays, faults }
    }

    fn set(&mut self, target: impl Fn(u32) -> Target, arrays: &[Array]) {
        for (position, array) in arrays.iter().enumerate() {
            self.arrays.insert(target(position as u32), array.clone());
        }
    }

    fn kernels(&mut self) {
        for kernel in &self.schedule.kernels {
            match kernel.writes.iter().any(|root| matches!(root.target, Target::Edit(_))) {
                true => self.rows(kernel),
                false => self.whole(kernel),
            }
        }
    }

    /// An interpreter that sees all arrays as they are.
    fn interpreter(&self) -> Interpreter<'a> {
        let mut interpreter = Interpreter::new(&self.kernel.graph, self.sizes.to_vec(), self.scalars.to_vec());
        for (target, array) in &self.arrays {
            let source = match *target {
                Target::Edit(param) => Source::Param(param),
                Target::Saved(saved) => Source::Saved(saved),
                Target::Temp(temp) => Source::Temp(temp),
                Target::Output(_) | Target::Gradient(_) | Target::Assertion(_) => continue,
            };
            interpreter.set_array(source, array.clone());
        }
        for (position, cotangent) in self.cotangents.iter().enumerate() {
            interpreter.set_array(Source::Cotangent(position as u32), cotangent.clone());
        }
        interpreter
    }

    /// All writes of a kernel that edits nothing.
    fn whole(&mut self, kernel: &Kernel) {
        let mut interpreter = self.interpreter();
        for root in &kernel.writes {
            let new = interpreter.root(root, self.axes(root.target), self.arrays.remove(&root.target));
            self.arrays.insert(root.target, new);
        }
        self.faults.extend_from_slice(interpreter.faults());
    }

    /// All writes of a kernel that edits, row by row.
    fn rows(&mut self, kernel: &Kernel) {
        let interpreter = self.interpreter();
        for root in &kernel.writes {
            let shape = interpreter.shape(self.axes(root.target));
            let ty = self.kernel.graph.ty(root.value);
            self.arrays.entry(root.target).or_insert_with(|| Array::filled(&shape, Value::poison(ty)));
        }
        let shape = interpreter.shape(&kernel.free);
        for row in points(&kernel.free, &shape) {
            let mut interpreter = self.interpreter();
            let mut stores: Vec<(Target, Vec<i64>, Value)> = vec![];
            for root in &kernel.writes {
                if let Write::Scatter { .. } = root.write {
                    // A scatter is a kernel of its own, and its order does not matter.
                    return self.whole(kernel);
                }
                let Write::Dense { axes } = &root.write else { unreachable!("checked above") };
                let inner: Vec<AxisId> = axes.iter().copied().filter(|axis| !kernel.free.contains(axis)).collect();
                let shape = interpreter.shape(&inner);
                for element in points(&inner, &shape) {
                    let point: Vec<(AxisId, i64)> = row.iter().chain(&element).copied().collect();
                    let value = interpreter.value(root.value, &point);
                    let index = |axis: &AxisId| point.iter().find(|(other, _)| other == axis).expect("a point").1;
                    stores.push((root.target, axes.iter().map(index).collect(), value));
                }
            }
            self.faults.extend_from_slice(interpreter.faults());
            for (target, index, value) in stores {
                let array = self.arrays.get_mut(&target).expect("it was made above");
                let position = array.position(&index).expect("a write is in bounds");
                array.values[position] = value;
            }
        }
    }

    /// The axes of a target.
    fn axes(&self, target: Target) -> &'a [AxisId] {
        match target {
            Target::Output(position) => &self.kernel.outputs[position as usize].axes,
            Target::Edit(param) | Target::Gradient(param) => &self.kernel.tensors[param as usize].axes,
            Target::Saved(position) => &self.saved[position as usize].axes,
            Target::Temp(position) => &self.schedule.temps[position as usize].axes,
            Target::Assertion(position) => &self.kernel.assertions[position as usize].axes,
        }
    }

    /// Turns assertions that did not hold into faults.
    fn check(&mut self) {
        for position in 0..self.kernel.assertions.len() as u32 {
            let holds = self.arrays.get(&Target::Assertion(position));
            if holds.is_some_and(|holds| holds.values.contains(&Value::Bool(false))) {
                self.faults.push(Fault::Assertion(position));
            }
        }
    }
}

/// Every point over `axes`, row-major.
fn points(axes: &[AxisId], shape: &[usize]) -> Vec<Vec<(AxisId, i64)>> {
    let mut points = vec![vec![]];
    for (&axis, &size) in axes.iter().zip(shape) {
        points = (points.into_iter())
            .flat_map(|point: Vec<(AxisId, i64)>| {
                (0..size as i64).map(move |index| {
                    let mut longer = point.clone();
                    longer.push((axis, index));
                    longer
                })
            })
            .collect();
    }
    points
}
