//! Arguments at random: sizes, elements and layouts.

use std::any::Any;

use random_kernels::Numbers;
use tensor_rt::prelude::*;
use tensor_rt_compiler::interp::{Array, Value};
use tensor_rt_compiler::ir::{AxisId, Elem, Extent, Kernel};

use crate::call::{Arguments, Number, array};
use crate::layout::Layout;
use crate::reference::Reference;

/// What a round tries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Round {
    /// Dense arguments of a few elements in general position.
    Plain,
    /// Any layout, sizes from 0, ties and zeros.
    Odd,
    /// Any layout, and one axis longer than a block of the engine.
    Long,
}

/// The arguments of a call, and the same for the interpreter.
pub struct Sample<D: Device> {
    pub arguments: Arguments<D>,
    pub arrays: Vec<Array>,
    pub cotangents: Vec<Array>,
    /// The layouts of the arguments.
    pub layouts: Vec<Layout>,
    /// The size of each declared axis, for messages.
    pub sizes: Vec<(String, usize)>,
}

impl<D: Device> Sample<D> {
    /// Arguments for a kernel whose own element is `T`.
    pub fn random<T: Float + Number>(device: &D, reference: &Reference, round: Round, numbers: &mut Numbers) -> Self {
        let kernel = reference.kernel();
        let declared = extents(kernel, round, numbers);
        let size_of = |axis: AxisId| declared[kernel.graph.axis(axis).extent.0 as usize];
        let position_limit = |name: &str| {
            let axis = name.strip_prefix("ids_")?.to_uppercase();
            let (axis, _) = kernel.graph.all_axes().find(|(_, named)| named.name == axis)?;
            Some(size_of(axis))
        };
        // One way for all parameters to be of several dimensions.
        let split = numbers.below(3);
        let (mut tensors, mut arrays, mut layouts): (Vec<Box<dyn Any>>, _, _) = (vec![], vec![], vec![]);
        for tensor in &kernel.tensors {
            let flat: Vec<usize> = tensor.axes.iter().map(|&axis| size_of(axis)).collect();
            let shape = tensor.axes.iter().flat_map(|&axis| match kernel.graph.axis(axis).rest {
                true => dimensions(size_of(axis), split),
                false => vec![size_of(axis)],
            });
            let shape: Vec<usize> = shape.collect();
            let layout = layout(&shape, round, numbers);
            let limit = position_limit(&tensor.name).unwrap_or(3).max(1);
            let mut draw = |elem: Elem| match elem {
                Elem::Bool => Value::Bool(numbers.one_in(2)),
                elem if elem.is_float() && round == Round::Plain => Value::Float(numbers.between(-2.0, 2.0)),
                elem if elem.is_float() => Value::Float(numbers.float()),
                _ => Value::Int(numbers.below(limit) as i64),
            };
            let values: Vec<Value> = (0..shape.iter().product()).map(|_| draw(tensor.elem)).collect();
            let (boxed, read) = match tensor.elem {
                Elem::Generic => boxed::<D, T>(device, layout, &values, &shape),
                Elem::I64 => boxed::<D, i64>(device, layout, &values, &shape),
                Elem::I32 => boxed::<D, i32>(device, layout, &values, &shape),
                Elem::U8 => boxed::<D, u8>(device, layout, &values, &shape),
                Elem::Bool => boxed::<D, bool>(device, layout, &values, &shape),
                other => panic!("random kernels have no parameter of element {other:?}"),
            };
            tensors.push(boxed);
            arrays.push(Array { shape: flat, values: read.values });
            layouts.push(layout);
        }
        let sizes = reference.sizes(&arrays);
        let mut cotangents = vec![];
        let mut given = vec![];
        for output in &kernel.outputs {
            let shape: Vec<usize> =
                output.axes.iter().map(|&axis| sizes[kernel.graph.axis(axis).extent.0 as usize]).collect();
            let values: Vec<Value> =
                (0..shape.iter().product()).map(|_| T::of(Value::Float(numbers.between(-1.0, 1.0))).value()).collect();
            let cotangent = Array { shape, values };
            let layout = match (round, numbers.below(4)) {
                (Round::Plain, _) => Layout::Dense,
                (_, choice) => [Layout::Dense, Layout::Permuted, Layout::Flipped, Layout::Sliced][choice],
            };
            given.push((cotangent.clone(), layout));
            cotangents.push(cotangent);
        }
        let sizes = kernel.graph.all_axes().map(|(axis, named)| (named.name.clone(), size_of(axis))).collect();
        Self {
            arguments: Arguments { device: device.clone(), tensors, cotangents: given },
            arrays,
            cotangents,
            layouts,
            sizes,
        }
    }
}

/// A tensor, and the elements that it has.
fn boxed<D: Device, T: Number>(device: &D, layout: Layout, values: &[Value], shape: &[usize]) -> (Box<dyn Any>, Array) {
    let tensor = layout.tensor::<D, T>(device, values, shape).expect("a tensor can be made");
    let read = array(&tensor).expect("elements can be read");
    (Box::new(tensor), read)
}

/// The size of every extent: few points in all, so that the interpreter keeps up.
fn extents(kernel: &Kernel, round: Round, numbers: &mut Numbers) -> Vec<usize> {
    let declared: Vec<usize> = (kernel.graph.all_extents())
        .filter(|(_, extent)| matches!(extent, Extent::Declared))
        .map(|(id, _)| id.0 as usize)
        .collect();
    let mut sizes: Vec<usize> = kernel.graph.all_extents().map(|_| 1).collect();
    let mut points = 1;
    for &extent in &declared {
        let size = match round {
            Round::Plain => 2 + numbers.below(3),
            Round::Odd => numbers.choose(&[0, 1, 1, 2, 3, 5, 8, 17]),
            Round::Long => 1 + numbers.below(2),
        };
        sizes[extent] = if points * size > 400 { 2 } else { size };
        points *= sizes[extent].max(1);
    }
    if let (Round::Long, false) = (round, declared.is_empty()) {
        let long = numbers.choose(&declared);
        sizes[long] = numbers.choose(&[33, 100, 257]);
    }
    sizes
}

/// The dimensions that `..` stands for.
fn dimensions(size: usize, split: usize) -> Vec<usize> {
    match split {
        0 if size == 1 => vec![],
        1 if size.is_multiple_of(2) => vec![2, size / 2],
        2 => vec![size, 1],
        _ => vec![size],
    }
}

fn layout(shape: &[usize], round: Round, numbers: &mut Numbers) -> Layout {
    match numbers.below(6) {
        _ if round == Round::Plain => Layout::Dense,
        0 => Layout::Dense,
        1 => Layout::Permuted,
        2 => Layout::Flipped,
        3 => Layout::Sliced,
        _ => {
            let long: Vec<usize> = (0..shape.len()).filter(|&axis| shape[axis] > 1).collect();
            if long.is_empty() { Layout::Dense } else { Layout::Broadcast(numbers.choose(&long)) }
        }
    }
}
