//! The form of a sum that costs least: shared factors outside.
//!
//! The algebra keeps sums flat, because their addends are summed over axes one by one; when a backward expression is
//! finished, `a*x + b*x + c` becomes `(a + b)*x + c`, which never has more operations.

use std::collections::HashMap;

use crate::ir::{Graph, NodeId, Op, Ty};

/// `coefficient * product of factors`, each factor once.
type Addend = (f64, Vec<(NodeId, i32)>);

/// The sum of `coefficients[i] * args[i]`.
pub fn factored(graph: &mut Graph, coefficients: &[u64], args: Vec<NodeId>, ty: Ty) -> NodeId {
    let addends = (coefficients.iter().zip(args))
        .map(|(&coefficient, arg)| {
            let factors = match graph.op(arg) {
                Op::Product { powers } => graph.args(arg).iter().copied().zip(powers.iter().copied()).collect(),
                _ => vec![(arg, 1)],
            };
            (f64::from_bits(coefficient), factors)
        })
        .collect();
    sum(graph, addends, ty)
}

fn sum(graph: &mut Graph, mut addends: Vec<Addend>, ty: Ty) -> NodeId {
    while let Some((factor, sign)) = most_shared(&addends) {
        let (with, without): (Vec<Addend>, Vec<Addend>) =
            addends.into_iter().partition(|(_, factors)| has(factors, factor, sign));
        let rest =
            with.into_iter().map(|(coefficient, factors)| (coefficient, divided(factors, factor, sign))).collect();
        let inner = sum(graph, rest, ty);
        addends = without;
        // A sum of one addend with a coefficient gives it back.
        let (coefficient, inner) = match graph.op(inner) {
            Op::Sum { coefficients } if coefficients.len() == 1 => {
                (f64::from_bits(coefficients[0]), graph.args(inner)[0])
            }
            _ => (1.0, inner),
        };
        let mut factors = vec![(factor, sign)];
        match graph.op(inner) {
            Op::Product { powers } => factors.extend(graph.args(inner).iter().copied().zip(powers.iter().copied())),
            _ => factors.push((inner, 1)),
        }
        addends.push((coefficient, merged(graph, factors)));
    }
    let mut coefficients = vec![];
    let mut args = vec![];
    for (coefficient, factors) in addends {
        let (coefficient, arg) = match factors[..] {
            [] => (1.0, graph.float(coefficient, ty)),
            [(factor, 1)] => (coefficient, factor),
            _ => {
                let (args, powers) = factors.into_iter().unzip();
                (coefficient, graph.intern(Op::Product { powers }, args, ty))
            }
        };
        coefficients.push(coefficient.to_bits());
        args.push(arg);
    }
    match coefficients[..] {
        [bits] if f64::from_bits(bits) == 1.0 => args[0],
        _ => graph.intern(Op::Sum { coefficients }, args, ty),
    }
}

/// The factor (or divisor, sign -1) of most addends, of two at least.
fn most_shared(addends: &[Addend]) -> Option<(NodeId, i32)> {
    let factors = || addends.iter().flat_map(|(_, factors)| factors).map(|&(factor, power)| (factor, power.signum()));
    let mut shared: HashMap<(NodeId, i32), usize> = HashMap::new();
    for factor in factors() {
        *shared.entry(factor).or_insert(0) += 1;
    }
    let most = shared.values().copied().max().filter(|&most| most >= 2)?;
    // The first one wins a tie, so that the result depends on the order of operands alone.
    factors().find(|factor| shared[factor] == most)
}

fn has(factors: &[(NodeId, i32)], factor: NodeId, sign: i32) -> bool {
    factors.iter().any(|&(other, power)| other == factor && power.signum() == sign)
}

fn divided(factors: Vec<(NodeId, i32)>, factor: NodeId, sign: i32) -> Vec<(NodeId, i32)> {
    let divided = factors.into_iter().map(|(other, power)| (other, if other == factor { power - sign } else { power }));
    divided.filter(|&(_, power)| power != 0).collect()
}

/// Equal factors once, ordered by (number of axes, id).
fn merged(graph: &Graph, mut factors: Vec<(NodeId, i32)>) -> Vec<(NodeId, i32)> {
    factors.sort_by_key(|&(factor, _)| (graph.axes(factor).len(), factor));
    let mut merged: Vec<(NodeId, i32)> = vec![];
    for (factor, power) in factors {
        match merged.last_mut() {
            Some((last, total)) if *last == factor => *total += power,
            _ => merged.push((factor, power)),
        }
    }
    merged.retain(|&(_, power)| power != 0);
    merged
}
