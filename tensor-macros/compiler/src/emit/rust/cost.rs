//! About how much work a point of a pass is, in vector instructions.
//!
//! The engine weighs it against what another thread costs, and the compiler against what keeping a value costs; a factor of
//! two either way changes little.

use crate::emit::plan::{Eval, Pass};
use crate::ir::{Binary, Graph, NodeId, Op, Unary};

/// A series, and what surrounds it.
const FUNCTION: usize = 16;
/// An operation that a processor iterates.
const ITERATED: usize = 8;
/// An operation that vectors have not: one point after the other.
const SCALAR: usize = 24;

/// The work of a point: arithmetic, loads and stores.
pub(super) fn of_point(graph: &Graph, pass: &Pass) -> usize {
    let arithmetic: usize = pass.nodes.iter().map(|(&node, eval)| of_node(graph, node, eval)).sum();
    arithmetic + pass.reductions.len() + pass.writes.len()
}

/// The work of a node.
pub(super) fn of_node(graph: &Graph, node: NodeId, eval: &Eval) -> usize {
    match eval {
        Eval::Compute => of_operation(graph, node),
        Eval::Gather { .. } => SCALAR,
        Eval::Input { .. } | Eval::Old { .. } | Eval::Row(_) | Eval::Body(_) => 1,
    }
}

fn of_operation(graph: &Graph, node: NodeId) -> usize {
    match graph.op(node) {
        Op::Const(_) | Op::Scalar(_) | Op::Size(_) | Op::Stop => 0,
        Op::Index(_) | Op::Fma | Op::Select | Op::Cast(_) | Op::Convert(_) => 1,
        Op::Unary(op) => of_unary(*op),
        Op::Binary(op) => match op {
            Binary::Div | Binary::Rem if graph.ty(node).is_integer() => SCALAR,
            Binary::Div => ITERATED,
            Binary::Rem => SCALAR,
            Binary::Powf | Binary::Powi => 4 * FUNCTION,
            Binary::Atan2 | Binary::Xlogy => FUNCTION,
            Binary::Add | Binary::Sub | Binary::Mul | Binary::Max | Binary::Min => 1,
            Binary::Eq | Binary::Ne | Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge => 1,
            Binary::And | Binary::Or => 1,
        },
        Op::Sum { coefficients } => coefficients.len(),
        Op::Product { powers } => {
            let divides = powers.iter().any(|power| *power < 0);
            powers.len() + if divides { ITERATED } else { 0 }
        }
        Op::Random { .. } => 2 * SCALAR,
        // Read, not computed.
        Op::Load { .. } | Op::Reduce { .. } => 0,
    }
}

fn of_unary(op: Unary) -> usize {
    match op {
        Unary::Neg | Unary::Not | Unary::Abs | Unary::Sign | Unary::IsNan | Unary::IsFinite => 1,
        Unary::Floor | Unary::Ceil | Unary::Round | Unary::Trunc => 2,
        Unary::Sqrt => ITERATED,
        Unary::Rsqrt => 2 * ITERATED,
        Unary::Exp
        | Unary::Exp2
        | Unary::Ln
        | Unary::Log2
        | Unary::Log10
        | Unary::Log1p
        | Unary::Expm1
        | Unary::Cbrt
        | Unary::Sin
        | Unary::Cos
        | Unary::Tan
        | Unary::Asin
        | Unary::Acos
        | Unary::Atan
        | Unary::Sinh
        | Unary::Cosh
        | Unary::Tanh
        | Unary::Sigmoid
        | Unary::Softplus
        | Unary::Erf
        | Unary::Erfc => FUNCTION,
    }
}
