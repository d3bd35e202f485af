//! What a kernel means, by the interpreter.

use tensor_rt_compiler::errors::Errors;
use tensor_rt_compiler::interp::{self, Array, Fault, Value};
use tensor_rt_compiler::ir::{Backward, Kernel, ScalarTy};
use tensor_rt_compiler::schedule::Schedule;
use tensor_rt_compiler::{Compiled, check, compile, parse};

/// A kernel, as the interpreter runs it.
pub struct Reference {
    /// As it was checked; nothing was derived or scheduled.
    checked: Kernel,
    /// As differentiation left it, with its schedules, which only the histogram reads.
    pub compiled: Compiled,
}

/// What the interpreter says.
pub struct Meaning {
    /// The outputs.
    pub values: Vec<Array>,
    /// The gradients by parameter.
    pub gradients: Vec<Option<Array>>,
    /// What goes wrong in the forward pass.
    pub faults: Vec<Fault>,
}

impl Reference {
    /// The meaning of the one kernel of `source`.
    pub fn of(source: &str) -> Self {
        let mut errors = Errors::new();
        let (functions, helpers) = parse(source.parse().expect("a kernel has tokens"), &mut errors);
        let checked = check::kernel(&functions[0], &helpers, &mut errors).expect("the build compiled it").kernel;
        let compiled = compile(&functions[0], &helpers, &mut errors).expect("the build compiled it");
        Self { checked, compiled }
    }

    /// The kernel as it was checked.
    pub fn kernel(&self) -> &Kernel {
        &self.checked
    }

    /// The derivative, if there is one.
    pub fn backward(&self) -> Option<&Backward> {
        self.compiled.backward.as_ref().map(|(backward, _)| backward)
    }

    /// Every schedule of the kernel.
    pub fn schedules(&self) -> impl Iterator<Item = &Schedule> {
        let backward = self.compiled.backward.as_ref().map(|(_, schedule)| schedule);
        std::iter::once(&self.compiled.forward).chain(backward)
    }

    /// The values of the scalar parameters, as `random_kernels::SCALARS` has them.
    pub fn scalars(&self) -> Vec<Value> {
        let value = |ty| match ty {
            ScalarTy::Float | ScalarTy::F32 | ScalarTy::F64 => Value::Float(0.75),
            ScalarTy::I64 | ScalarTy::Usize | ScalarTy::U64 => Value::Int(2),
            ScalarTy::Bool => Value::Bool(true),
        };
        self.checked.scalars.iter().map(|scalar| value(scalar.ty)).collect()
    }

    /// The size of each extent.
    pub fn sizes(&self, arrays: &[Array]) -> Vec<usize> {
        interp::sizes(&self.checked, arrays, &self.scalars()).expect("the arrays agree in their sizes")
    }

    /// The outputs, and the gradients if `cotangents` are given.
    pub fn run(&self, arrays: &[Array], cotangents: Option<&[Array]>) -> Meaning {
        let (sizes, scalars) = (self.sizes(arrays), self.scalars());
        let forward = interp::forward(&self.checked, &sizes, arrays, &scalars);
        let gradients = match (self.backward(), cotangents) {
            (Some(backward), Some(cotangents)) => {
                let kernel = &self.compiled.kernel;
                // Schedules rename axes and add some of the same extents.
                interp::backward(kernel, backward, &sizes, arrays, &scalars, cotangents).arrays
            }
            _ => vec![None; arrays.len()],
        };
        let values = forward.arrays.into_iter().map(|array| array.expect("every output is written")).collect();
        Meaning { values, gradients, faults: forward.faults }
    }

    /// The derivative of the sum of products of outputs and cotangents as the parameter `param` moves along `direction`:
    /// two central differences, the second one twice as wide.
    pub fn differences(&self, arrays: &[Array], cotangents: &[Array], param: usize, direction: &[f64]) -> [f64; 2] {
        let at = |step: f64| {
            let mut moved = arrays.to_vec();
            for (value, &along) in moved[param].values.iter_mut().zip(direction) {
                *value = Value::Float(value.float() + step * along);
            }
            let values = self.run(&moved, None).values;
            values.iter().zip(cotangents).map(|(value, cotangent)| dot(value, cotangent)).sum::<f64>()
        };
        [1e-5, 2e-5].map(|step| (at(step) - at(-step)) / (2.0 * step))
    }
}

/// The sum of products of two arrays; outputs that are no floats count nothing.
pub fn dot(x: &Array, y: &Array) -> f64 {
    let float = |value: &Value| if let Value::Float(value) = value { *value } else { 0.0 };
    x.values.iter().zip(&y.values).map(|(x, y)| float(x) * float(y)).sum()
}
