//! Values of expressions, and how two of them come to one type.
//!
//! A value is *typed* (it comes from a tensor, a scalar or a cast), or it *adapts* to what it meets: unsuffixed literals,
//! `float` scalars, and integers made of axes and sizes.

use quote::ToTokens;

use crate::errors::Place;
use crate::ir::{Binary, Elem, Graph, Literal, NodeId, Op, Ty, Unary};

/// The value of an expression.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Value {
    pub node: NodeId,
    pub kind: Kind,
}

/// Whether the type of a value is settled. In ascending order: where two kinds meet, the greater is that of the result.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Kind {
    /// An unsuffixed integer literal, or a choice between some: any number type. Its node has the type `I64`.
    Integer,
    /// An integer made of axes and sizes: `I64`, or any float type.
    Index,
    /// Made of unsuffixed float literals and `float` scalars: any float type. Its node has the kernel's own float type,
    /// and no load is beneath it.
    Float,
    /// The type of its node.
    Typed,
}

impl Value {
    pub(super) fn typed(node: NodeId) -> Self {
        Self { node, kind: Kind::Typed }
    }

    /// The result of computing with literals adapts as an index does.
    pub(super) fn settled(self) -> Self {
        let kind = if self.kind == Kind::Integer { Kind::Index } else { self.kind };
        Self { kind, ..self }
    }
}

/// Why two values, or a value and a type, do not come together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Misfit {
    /// Different types, neither of which adapts.
    Types,
    /// A literal that the type cannot hold.
    Range(i64, Ty),
    /// A quotient of integers where a float is needed: it was truncated before.
    Quotient,
}

/// The name of a type as a user writes it.
pub(super) fn name_of(ty: Ty) -> &'static str {
    match ty {
        Ty::Float => "float",
        Ty::F32 => "f32",
        Ty::F64 => "f64",
        Ty::I64 => "i64",
        Ty::I32 => "i32",
        Ty::U32 => "u32",
        Ty::U8 => "u8",
        Ty::U64 => "u64",
        Ty::Bool => "bool",
    }
}

/// The element that is computed with in `ty` and holds all its values.
pub(super) fn elem_of(ty: Ty) -> Option<Elem> {
    Some(match ty {
        Ty::Float => Elem::Generic,
        Ty::F32 => Elem::F32,
        Ty::F64 => Elem::F64,
        Ty::I64 => Elem::I64,
        Ty::I32 => Elem::I32,
        Ty::U32 => Elem::U32,
        Ty::U8 => Elem::U8,
        Ty::Bool => Elem::Bool,
        Ty::U64 => return None,
    })
}

/// Gives both values one type: what adapts follows what is typed; integers follow floats.
pub(super) fn unify(graph: &mut Graph, float: Ty, a: Value, b: Value) -> Result<(Value, Value), Misfit> {
    let (target, kind) = match (a.kind, b.kind) {
        (Kind::Typed, _) => (graph.ty(a.node), Kind::Typed),
        (_, Kind::Typed) => (graph.ty(b.node), Kind::Typed),
        (a, b) if a.max(b) == Kind::Float => (float, Kind::Float),
        (a, b) => (Ty::I64, a.max(b)),
    };
    let a = adapt(graph, a, target)?;
    let b = adapt(graph, b, target)?;
    Ok((Value { node: a, kind }, Value { node: b, kind }))
}

/// The value as one of type `ty`, if it has that type or adapts to it.
pub(super) fn adapt(graph: &mut Graph, value: Value, ty: Ty) -> Result<NodeId, Misfit> {
    let own = graph.ty(value.node);
    match value.kind {
        _ if own == ty => Ok(value.node),
        Kind::Integer if ty.is_float() || ty.is_integer() => retype(graph, value.node, Ty::I64, ty),
        Kind::Index if ty.is_float() && is_quotient(graph, value.node) => Err(Misfit::Quotient),
        Kind::Index if ty.is_float() => Ok(graph.convert(ty, value.node)),
        Kind::Float if ty.is_float() => retype(graph, value.node, own, ty),
        _ => Err(Misfit::Types),
    }
}

/// True if an integer is made of a quotient by sums, differences and products. `1 / 2 * x` would be 0.
fn is_quotient(graph: &Graph, node: NodeId) -> bool {
    match graph.op(node) {
        Op::Binary(Binary::Div) => true,
        Op::Binary(Binary::Add | Binary::Sub | Binary::Mul) | Op::Unary(Unary::Neg) => {
            graph.args(node).iter().any(|&arg| is_quotient(graph, arg))
        }
        _ => false,
    }
}

/// The value of an integer constant.
pub(super) fn literal_of(graph: &Graph, node: NodeId) -> Option<i64> {
    match graph.op(node) {
        Op::Const(Literal::Int(value)) => Some(*value),
        _ => None,
    }
}

/// What an integer type holds.
fn range_of(ty: Ty) -> std::ops::RangeInclusive<i128> {
    match ty {
        Ty::I32 => i32::MIN.into()..=i32::MAX.into(),
        Ty::U32 => 0..=u32::MAX.into(),
        Ty::U8 => 0..=u8::MAX.into(),
        Ty::U64 => 0..=u64::MAX.into(),
        _ => i64::MIN.into()..=i64::MAX.into(),
    }
}

/// The same expression in another type. Conditions within keep the type in which they were asked.
fn retype(graph: &mut Graph, root: NodeId, from: Ty, to: Ty) -> Result<NodeId, Misfit> {
    let mut inside = std::collections::BTreeSet::new();
    let mut stack = vec![root];
    while let Some(id) = stack.pop() {
        if graph.ty(id) == from && inside.insert(id) && !matches!(graph.op(id), Op::Convert(_)) {
            stack.extend(graph.args(id));
        }
    }
    let mut twins = std::collections::HashMap::new();
    for id in inside {
        let node = graph.node(id).clone();
        let twin = match node.op {
            Op::Const(Literal::Int(value)) if to.is_float() => graph.float(value as f64, to),
            Op::Const(Literal::Int(value)) if !range_of(to).contains(&value.into()) => {
                return Err(Misfit::Range(value, to));
            }
            Op::Convert(_) => graph.intern(Op::Convert(to), node.args, to),
            op => {
                let args = node.args.iter().map(|arg| twins.get(arg).copied().unwrap_or(*arg)).collect();
                graph.intern(op, args, to)
            }
        };
        twins.insert(id, twin);
    }
    Ok(twins[&root])
}

/// Where a value stands and how messages call it.
#[derive(Clone, Debug)]
pub(super) struct Written {
    pub place: Place,
    /// The expression, if it is a name or a literal; else `(..)`.
    pub text: String,
}

impl Written {
    pub(super) fn new(expr: &syn::Expr) -> Self {
        let text = match expr {
            syn::Expr::Path(path) => path.path.get_ident().map(ToString::to_string),
            syn::Expr::Lit(literal) => Some(literal.lit.to_token_stream().to_string()),
            _ => None,
        };
        Self { place: Place::of(expr), text: text.unwrap_or_else(|| "(..)".to_owned()) }
    }
}
