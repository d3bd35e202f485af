//! What the callers of the kernels use: arguments without types, and results without types.

use std::any::Any;

use tensor_rt::prelude::*;
use tensor_rt_compiler::interp::{Array, Value};
use tests::device::Read;

use crate::layout::Layout;

/// A kernel of the table, as a device runs it.
pub struct Case<D: Device> {
    /// Its text.
    pub source: &'static str,
    /// Its own float element.
    pub element: &'static str,
    /// True if its gradients and difference quotients agree almost everywhere.
    pub smooth: bool,
    /// Calls it with the combination of tracked arguments that the bits of a number say.
    pub call: fn(&Arguments<D>, u32) -> Result<Results>,
}

/// The arguments of one call.
pub struct Arguments<D: Device> {
    /// Where the call runs.
    pub device: D,
    /// A tensor for each parameter.
    pub tensors: Vec<Box<dyn Any>>,
    /// The cotangent of each output, by its elements, and how it lies in memory.
    pub cotangents: Vec<(Array, Layout)>,
}

/// What a call gave.
#[derive(Default)]
pub struct Results {
    /// The outputs.
    pub values: Vec<Array>,
    /// The gradient of each tracked parameter.
    pub gradients: Vec<Option<Array>>,
    /// Parameters that can be tracked; only what a call with an impossible combination gives.
    pub differentiable: Vec<usize>,
}

/// An element as a value of the interpreter.
pub trait Number: Element {
    fn value(self) -> Value;
    /// The nearest element.
    fn of(value: Value) -> Self;
}

macro_rules! numbers {
    ($($element:ty: $variant:ident, |$x:ident| $to:expr, |$y:ident| $from:expr;)*) => {$(
        impl Number for $element {
            fn value(self) -> Value {
                let $x = self;
                Value::$variant($to)
            }

            fn of(value: Value) -> Self {
                match value {
                    Value::$variant($y) => $from,
                    other => panic!("{other:?} is no {}", stringify!($element)),
                }
            }
        }
    )*};
}

numbers! {
    f64: Float, |x| x, |y| y;
    f32: Float, |x| x.into(), |y| y as f32;
    f16: Float, |x| x.to_f64(), |y| f16::from_f64(y);
    bf16: Float, |x| x.to_f64(), |y| bf16::from_f64(y);
    i64: Int, |x| x, |y| y;
    i32: Int, |x| x.into(), |y| y as i32;
    u8: Int, |x| x.into(), |y| y as u8;
    bool: Bool, |x| x, |y| y;
}

impl Results {
    pub fn of(values: Vec<Array>) -> Self {
        let gradients = vec![];
        Self { values, gradients, differentiable: vec![] }
    }

    pub fn differentiable(params: &[usize]) -> Self {
        Self { differentiable: params.to_vec(), ..Self::default() }
    }
}

impl<D: Device> Arguments<D> {
    /// The argument of a parameter.
    pub fn tensor<T: Element>(&self, param: usize) -> &Tensor<D, NoGrad, T> {
        self.tensors[param].downcast_ref().expect("the argument has the parameter's element")
    }

    /// The gradients for the cotangents of the call, given its float outputs and their positions.
    pub fn backward<T: Float + Number>(&self, outputs: Vec<(usize, Tensor<D, Grad, T>)>) -> Result<Gradients> {
        let cotangent = |position: usize, output: &Tensor<D, Grad, T>| {
            let (array, layout) = &self.cotangents[position];
            layout.tensor::<D, T>(&self.device, &array.values, output.shape())
        };
        let mut loss: Option<Tensor<D, Grad, T>> = None;
        if let [(position, output)] = &outputs[..] {
            return output.clone().backward_with(&cotangent(*position, output)?);
        }
        for (position, output) in outputs {
            let part = (&output * &cotangent(position, &output)?)?.sum()?;
            loss = Some(match loss {
                Some(loss) => (loss + part)?,
                None => part,
            });
        }
        loss.expect("a kernel with a gradient has a float output").backward()
    }
}

/// The elements of a tensor; or the error of the device that was to compute them.
pub fn array<D: Device, G: GradMode, T: Number>(tensor: &Tensor<D, G, T>) -> Result<Array> {
    let values = tensor.read()?;
    Ok(Array { shape: tensor.shape().to_vec(), values: values.into_iter().map(Number::value).collect() })
}

/// The gradient of a leaf.
pub fn gradient<D: Device, T: Float + Number>(
    gradients: &Gradients,
    leaf: &Tensor<D, Grad, T>,
) -> Result<Option<Array>> {
    gradients.get(leaf).map(|gradient| array(&gradient)).transpose()
}
