//! Evaluation of nodes and roots.

use std::collections::HashMap;

use super::{Array, Value, function, random};
use crate::ir::{AxisId, Extent, Graph, Literal, NodeId, Op, Reduction, Root, Source, Ty, Write};

/// What the run-time library reports as an error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// An index outside its dimension.
    Index {
        /// The array.
        source: Source,
        /// The dimension.
        dimension: usize,
        /// The index.
        index: i64,
        /// The size of the dimension.
        size: usize,
    },
    /// A scatter outside its target.
    Scatter {
        /// The dimension.
        dimension: usize,
        /// The index.
        index: i64,
    },
    /// An integer division by zero, or `MIN / -1`.
    Division,
    /// The maximum of nothing.
    EmptyReduction,
    /// An assertion, by position, that did not hold.
    Assertion(u32),
}

/// Values of the expressions of one graph for given sizes, scalars and arrays.
pub struct Interpreter<'graph> {
    graph: &'graph Graph,
    sizes: Vec<usize>,
    scalars: Vec<Value>,
    arrays: HashMap<Source, Array>,
    /// The index along each axis that is bound at the moment.
    point: Vec<i64>,
    /// Per node one entry per point of its free axes, ascending, row-major.
    memory: HashMap<NodeId, Vec<Option<Value>>>,
    faults: Vec<Fault>,
}

impl<'graph> Interpreter<'graph> {
    /// An interpreter without arrays; `sizes` has one size per extent of the graph.
    pub fn new(graph: &'graph Graph, sizes: Vec<usize>, scalars: Vec<Value>) -> Self {
        Self {
            graph,
            sizes,
            scalars,
            arrays: HashMap::new(),
            point: vec![0; graph.all_axes().count()],
            memory: HashMap::new(),
            faults: vec![],
        }
    }

    /// Sets what loads of `source` read.
    pub fn set_array(&mut self, source: Source, array: Array) {
        self.arrays.insert(source, array);
        self.memory.clear();
    }

    /// The errors met so far.
    pub fn faults(&self) -> &[Fault] {
        &self.faults
    }

    /// The number of elements along an axis.
    pub fn size(&self, axis: AxisId) -> usize {
        self.sizes[self.graph.axis(axis).extent.0 as usize]
    }

    /// The shape of an array with the given axes.
    pub fn shape(&self, axes: &[AxisId]) -> Vec<usize> {
        axes.iter().map(|&axis| self.size(axis)).collect()
    }

    /// The value of a node at a point, which names all its free axes.
    pub fn value(&mut self, node: NodeId, point: &[(AxisId, i64)]) -> Value {
        for &(axis, index) in point {
            self.point[axis.0 as usize] = index;
        }
        self.evaluate(node)
    }

    /// The values of a node over `axes`, which contain its free axes.
    pub fn array(&mut self, node: NodeId, axes: &[AxisId]) -> Array {
        let shape = self.shape(axes);
        let mut values = Vec::with_capacity(shape.iter().product());
        self.for_each_point(axes, |this| {
            let value = this.evaluate(node);
            values.push(value);
        });
        Array { shape, values }
    }

    /// Performs a root on its target, which holds `old` before (`None`: zeros).
    pub fn root(&mut self, root: &Root, axes: &[AxisId], old: Option<Array>) -> Array {
        match &root.write {
            Write::Dense { axes } => self.array(root.value, axes),
            Write::Scatter { index, over, op, guard } => {
                let ty = self.graph.ty(root.value);
                let mut target = old.unwrap_or_else(|| Array::filled(&self.shape(axes), Value::zero(ty)));
                self.for_each_point(over, |this| {
                    if guard.is_some_and(|guard| !this.evaluate(guard).bool()) {
                        return;
                    }
                    let place: Vec<i64> = index.iter().map(|&index| this.evaluate(index).int()).collect();
                    match target.position(&place) {
                        Ok(position) => {
                            let value = this.evaluate(root.value);
                            target.values[position] = function::combine(*op, ty, target.values[position], value);
                        }
                        Err(dimension) => this.faults.push(Fault::Scatter { dimension, index: place[dimension] }),
                    }
                });
                target
            }
        }
    }

    /// Calls `visit` for every point over `axes`, row-major.
    fn for_each_point(&mut self, axes: &[AxisId], mut visit: impl FnMut(&mut Self)) {
        let shape = self.shape(axes);
        // An axis that is bound again within its own scope hides the outer one, which has to come back.
        let before: Vec<i64> = axes.iter().map(|axis| self.point[axis.0 as usize]).collect();
        for position in 0..shape.iter().product::<usize>() {
            let mut rest = position;
            for (axis, &size) in axes.iter().zip(&shape).rev() {
                self.point[axis.0 as usize] = (rest % size) as i64;
                rest /= size;
            }
            visit(self);
        }
        for (axis, index) in axes.iter().zip(before) {
            self.point[axis.0 as usize] = index;
        }
    }

    fn evaluate(&mut self, id: NodeId) -> Value {
        let graph = self.graph;
        let node = graph.node(id);
        match &node.op {
            Op::Const(Literal::Float(bits)) => return Value::Float(f64::from_bits(*bits)),
            Op::Const(Literal::Int(value)) => return Value::Int(*value),
            Op::Const(Literal::Bool(value)) => return Value::Bool(*value),
            Op::Scalar(position) => return self.scalars[*position as usize],
            Op::Index(axis) => return Value::Int(self.point[axis.0 as usize]),
            Op::Size(extent) => {
                return Value::Int(match graph.extent(*extent) {
                    Extent::Literal(size) => size as i64,
                    Extent::Declared | Extent::Computed(_) => self.sizes[extent.0 as usize] as i64,
                });
            }
            _ => {}
        }
        let (mut position, mut points) = (0, 1);
        for axis in graph.axes(id).iter() {
            let size = self.size(axis);
            position = position * size + self.point[axis.0 as usize] as usize;
            points *= size;
        }
        let memory = self.memory.entry(id).or_insert_with(|| vec![None; points]);
        if let Some(value) = memory[position] {
            return value;
        }
        let value = self.compute(id);
        self.memory.get_mut(&id).expect("it was made above")[position] = Some(value);
        value
    }

    fn compute(&mut self, id: NodeId) -> Value {
        let graph = self.graph;
        let (op, args, ty) = (graph.op(id), graph.args(id), graph.ty(id));
        match op {
            Op::Load { source, guarded } => self.load(*source, args, *guarded, ty),
            Op::Reduce { op, axes } => self.reduce(*op, axes, args[0], ty),
            Op::Select => match self.evaluate(args[0]).bool() {
                true => self.evaluate(args[1]),
                false => self.evaluate(args[2]),
            },
            Op::Binary(binary) => {
                if args.len() == 3 && !self.evaluate(args[2]).bool() {
                    return Value::zero(ty);
                }
                let (x, y) = (self.evaluate(args[0]), self.evaluate(args[1]));
                function::binary(*binary, graph.ty(args[0]), x, y).unwrap_or_else(|| {
                    self.faults.push(Fault::Division);
                    Value::poison(ty)
                })
            }
            Op::Unary(unary) => function::unary(*unary, ty, self.evaluate(args[0])),
            Op::Fma => {
                let [a, b, c] = [args[0], args[1], args[2]].map(|arg| self.evaluate(arg).float());
                Value::Float(a.mul_add(b, c))
            }
            Op::Cast(elem) => function::convert(elem.ty(), self.evaluate(args[0])),
            Op::Convert(to) => function::convert(*to, self.evaluate(args[0])),
            Op::Sum { coefficients } => Value::Float(
                (coefficients.iter().zip(args))
                    .map(|(&coefficient, &arg)| f64::from_bits(coefficient) * self.evaluate(arg).float())
                    .sum(),
            ),
            Op::Product { powers } => Value::Float(
                powers.iter().zip(args).map(|(&power, &arg)| self.evaluate(arg).float().powi(power)).product(),
            ),
            Op::Stop => self.evaluate(args[0]),
            Op::Random { distribution, stream } => {
                let (seed, counter) = (self.evaluate(args[0]).int() as u64, self.evaluate(args[1]).int() as u64);
                Value::Float(random::number(*distribution, seed, *stream, counter))
            }
            Op::Const(_) | Op::Scalar(_) | Op::Index(_) | Op::Size(_) => unreachable!("leaves are evaluated directly"),
        }
    }

    fn load(&mut self, source: Source, args: &[NodeId], guarded: bool, ty: Ty) -> Value {
        let rank = args.len() - usize::from(guarded);
        if guarded && !self.evaluate(args[rank]).bool() {
            return Value::zero(ty);
        }
        let index: Vec<i64> = args[..rank].iter().map(|&arg| self.evaluate(arg).int()).collect();
        let array = self.arrays.get(&source).unwrap_or_else(|| panic!("no array was set for {source:?}"));
        match array.position(&index) {
            Ok(position) => array.values[position],
            Err(dimension) => {
                let (index, size) = (index[dimension], array.shape[dimension]);
                self.faults.push(Fault::Index { source, dimension, index, size });
                Value::poison(ty)
            }
        }
    }

    fn reduce(&mut self, op: Reduction, axes: &[AxisId], body: NodeId, ty: Ty) -> Value {
        let mut values = vec![];
        self.for_each_point(axes, |this| {
            let value = this.evaluate(body);
            values.push(value);
        });
        let first = match op {
            Reduction::Sum => Value::zero(ty),
            Reduction::Prod => function::convert(ty, Value::Int(1)),
            Reduction::Any => Value::Bool(false),
            Reduction::All => Value::Bool(true),
            Reduction::Max | Reduction::Min => match values.first() {
                Some(&first) => first,
                None => {
                    self.faults.push(Fault::EmptyReduction);
                    return Value::poison(ty);
                }
            },
            Reduction::SquaredDeviation => {
                let count = values.len() as f64;
                let mean = values.iter().map(|value| value.float()).sum::<f64>() / count;
                return Value::Float(values.iter().map(|value| (value.float() - mean).powi(2)).sum());
            }
            Reduction::ArgMax | Reduction::ArgMin => {
                return function::best_position(op, &values).unwrap_or_else(|| {
                    self.faults.push(Fault::EmptyReduction);
                    Value::poison(ty)
                });
            }
        };
        values.into_iter().fold(first, |total, value| function::combine(op, ty, total, value))
    }
}
