//! Constructors against plain arithmetic, on random expressions.

use super::Algebra;
use crate::interp::{Array, Interpreter, Value};
use crate::ir::{AxisId, AxisSet, Binary, Extent, Graph, NodeId, Reduction, Source, Ty, Unary};

/// A generator of numbers; the same ones on every machine.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }
}

/// An expression from the constructors, and what it should be equal to.
#[derive(Clone, Copy)]
struct Pair {
    derived: NodeId,
    plain: NodeId,
}

const SHAPES: [&[usize]; 3] = [&[0, 1], &[0], &[1]];

#[test]
fn constructors_keep_values_types_and_axes() {
    for seed in 0..400 {
        let mut numbers = Numbers(seed * 2 + 1);
        let mut graph = Graph::new();
        let extents = [graph.add_extent(Extent::Declared), graph.add_extent(Extent::Declared)];
        let axes: Vec<AxisId> =
            ["N", "C"].iter().zip(extents).map(|(name, extent)| graph.add_axis(name, extent, false)).collect();
        let mut leaves: Vec<NodeId> = vec![];
        for (param, shape) in SHAPES.iter().enumerate() {
            let own: Vec<AxisId> = shape.iter().map(|&axis| axes[axis]).collect();
            leaves.push(graph.load_own(Source::Param(param as u32), &own, Ty::Float));
        }
        leaves.push(graph.float(3.0, Ty::Float));
        let [row, column] = [axes[0], axes[1]].map(|axis| graph.index(axis));
        let diagonal = graph.binary(Binary::Le, row, column);
        let positive = graph.float(0.0, Ty::Float);
        let positive = graph.binary(Binary::Gt, leaves[1], positive);
        let conditions = [diagonal, positive];
        let mut pairs: Vec<Pair> = leaves.iter().map(|&leaf| Pair { derived: leaf, plain: leaf }).collect();
        let mut algebra = Algebra::new(&mut graph, &leaves);
        for _ in 0..14 {
            let pair = step(&mut algebra, &mut numbers, &pairs, &conditions, &axes);
            let again = algebra.add(Ty::Float, &[pair.derived]);
            assert!(again == pair.derived, "addition keeps a canonical node, seed {seed}");
            assert!(algebra.graph.axes(pair.derived).is_subset(algebra.graph.axes(pair.plain)));
            assert_eq!(algebra.graph.ty(pair.derived), Ty::Float);
            pairs.push(pair);
        }
        graph.verify();
        let sizes = vec![1 + numbers.below(3), 1 + numbers.below(3)];
        let mut interpreter = Interpreter::new(&graph, sizes.clone(), vec![]);
        for (param, shape) in SHAPES.iter().enumerate() {
            let shape: Vec<usize> = shape.iter().map(|&axis| sizes[axis]).collect();
            let values: Vec<f64> =
                (0..shape.iter().product()).map(|_| numbers.below(2000) as f64 / 1000.0 - 0.9995).collect();
            interpreter.set_array(Source::Param(param as u32), Array::floats(&shape, &values));
        }
        for pair in pairs {
            let [derived, plain] = [pair.derived, pair.plain].map(|node| interpreter.array(node, &axes));
            for (derived, plain) in derived.values.iter().zip(&plain.values) {
                let (Value::Float(derived), Value::Float(plain)) = (derived, plain) else { panic!("floats") };
                // Intermediate values of a sum may be larger than the sum.
                let close = (derived - plain).abs() <= 1e-7 * (1.0 + plain.abs());
                assert!(close || !plain.is_finite() || plain.abs() > 1e6, "{derived} for {plain}, seed {seed}");
            }
        }
    }
}

/// One more expression over those before.
fn step(
    algebra: &mut Algebra<'_>,
    numbers: &mut Numbers,
    pairs: &[Pair],
    conditions: &[NodeId],
    axes: &[AxisId],
) -> Pair {
    let [x, y] = [(); 2].map(|()| pairs[numbers.below(pairs.len())]);
    match numbers.below(8) {
        0 | 1 => {
            let derived = algebra.add(Ty::Float, &[x.derived, y.derived]);
            Pair { derived, plain: algebra.graph.binary(Binary::Add, x.plain, y.plain) }
        }
        2 | 3 => {
            let derived = match algebra.is_zero(x.derived) || algebra.is_zero(y.derived) {
                true => algebra.zero(Ty::Float),
                false => algebra.product(&[(x.derived, 1), (y.derived, 1)]),
            };
            Pair { derived, plain: algebra.graph.binary(Binary::Mul, x.plain, y.plain) }
        }
        4 => {
            let derived = algebra.scale(-0.5, x.derived);
            let half = algebra.graph.float(0.5, Ty::Float);
            let plain = algebra.graph.binary(Binary::Mul, half, x.plain);
            Pair { derived, plain: algebra.graph.unary(Unary::Neg, plain) }
        }
        5 => {
            let mut condition = conditions[numbers.below(conditions.len())];
            if numbers.below(2) == 0 {
                condition = algebra.not(condition);
            }
            let derived = algebra.guard(condition, x.derived);
            let zero = algebra.graph.float(0.0, Ty::Float);
            Pair { derived, plain: algebra.graph.select(condition, x.plain, zero) }
        }
        6 if !algebra.is_zero(y.derived) => {
            // 1 + y^2 has an inverse.
            let (one, square) = (algebra.graph.float(1.0, Ty::Float), algebra.product(&[(y.derived, 2)]));
            let divisor = algebra.add(Ty::Float, &[one, square]);
            let derived = match algebra.is_zero(x.derived) {
                true => x.derived,
                false => algebra.product(&[(x.derived, 1), (divisor, -1)]),
            };
            let square = algebra.graph.binary(Binary::Mul, y.plain, y.plain);
            let divisor = algebra.graph.binary(Binary::Add, one, square);
            Pair { derived, plain: algebra.graph.binary(Binary::Div, x.plain, divisor) }
        }
        _ => {
            let over: AxisSet = axes.iter().copied().filter(|_| numbers.below(2) == 0).collect();
            let derived = algebra.sum_over(&over, x.derived);
            let mut plain = x.plain;
            let (inside, missing): (Vec<AxisId>, Vec<AxisId>) =
                over.iter().partition(|&axis| algebra.graph.axes(plain).contains(axis));
            for axis in missing {
                let size = algebra.size(axis, Ty::Float);
                plain = algebra.graph.binary(Binary::Mul, plain, size);
            }
            if !inside.is_empty() {
                plain = algebra.graph.reduce(Reduction::Sum, inside, plain);
            }
            Pair { derived, plain }
        }
    }
}
