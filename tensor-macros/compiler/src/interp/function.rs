//! The scalar functions.

use super::Value;
use super::special::{erf, erfc};
use crate::ir::{Binary, Reduction, Ty, Unary};

/// A function of one operand; `ty` is the type of the result.
pub(super) fn unary(op: Unary, ty: Ty, x: Value) -> Value {
    if let Value::Bool(x) = x {
        debug_assert_eq!(op, Unary::Not);
        return Value::Bool(!x);
    }
    if let Value::Int(x) = x {
        return match op {
            Unary::Neg => wrap(ty, x.wrapping_neg()),
            Unary::Abs => wrap(ty, x.wrapping_abs()),
            Unary::Sign => wrap(ty, x.signum()),
            other => panic!("{other:?} has no integer operand"),
        };
    }
    let x = x.float();
    Value::Float(match op {
        Unary::Neg => -x,
        Unary::Exp => x.exp(),
        Unary::Exp2 => x.exp2(),
        Unary::Ln => x.ln(),
        Unary::Log2 => x.log2(),
        Unary::Log10 => x.log10(),
        Unary::Log1p => x.ln_1p(),
        Unary::Expm1 => x.exp_m1(),
        Unary::Sqrt => x.sqrt(),
        Unary::Rsqrt => 1.0 / x.sqrt(),
        Unary::Cbrt => x.cbrt(),
        Unary::Sin => x.sin(),
        Unary::Cos => x.cos(),
        Unary::Tan => x.tan(),
        Unary::Asin => x.asin(),
        Unary::Acos => x.acos(),
        Unary::Atan => x.atan(),
        Unary::Sinh => x.sinh(),
        Unary::Cosh => x.cosh(),
        Unary::Tanh => x.tanh(),
        Unary::Sigmoid => 1.0 / (1.0 + (-x).exp()),
        Unary::Softplus => x.max(0.0) + (-x.abs()).exp().ln_1p() + if x.is_nan() { x } else { 0.0 },
        Unary::Erf => erf(x),
        Unary::Erfc => erfc(x),
        Unary::Abs => x.abs(),
        Unary::Sign => match x == 0.0 || x.is_nan() {
            true => x,
            false => x.signum(),
        },
        Unary::Floor => x.floor(),
        Unary::Ceil => x.ceil(),
        Unary::Round => x.round(),
        Unary::Trunc => x.trunc(),
        Unary::IsNan => return Value::Bool(x.is_nan()),
        Unary::IsFinite => return Value::Bool(x.is_finite()),
        Unary::Not => panic!("Not has a boolean operand"),
    })
}

/// A function of two operands of type `ty`; `None` for a division that is an error.
pub(super) fn binary(op: Binary, ty: Ty, x: Value, y: Value) -> Option<Value> {
    Some(match (x, y) {
        (Value::Bool(x), Value::Bool(y)) => Value::Bool(match op {
            Binary::And => x && y,
            Binary::Or => x || y,
            Binary::Eq => x == y,
            Binary::Ne => x != y,
            other => panic!("{other:?} has no boolean operands"),
        }),
        (Value::Int(x), Value::Int(y)) => match op {
            Binary::Add => wrap(ty, x.wrapping_add(y)),
            Binary::Sub => wrap(ty, x.wrapping_sub(y)),
            Binary::Mul => wrap(ty, x.wrapping_mul(y)),
            Binary::Div | Binary::Rem if y == 0 || (y == -1 && x == least(ty)) => return None,
            Binary::Div => Value::Int(x / y),
            Binary::Rem => Value::Int(x % y),
            Binary::Powi => wrap(ty, x.wrapping_pow(y.clamp(0, u32::MAX.into()) as u32)),
            Binary::Max => Value::Int(x.max(y)),
            Binary::Min => Value::Int(x.min(y)),
            Binary::Eq => Value::Bool(x == y),
            Binary::Ne => Value::Bool(x != y),
            Binary::Lt => Value::Bool(x < y),
            Binary::Le => Value::Bool(x <= y),
            Binary::Gt => Value::Bool(x > y),
            Binary::Ge => Value::Bool(x >= y),
            Binary::Powf | Binary::Atan2 | Binary::Xlogy | Binary::And | Binary::Or => {
                panic!("{op:?} has no integer operands")
            }
        },
        (Value::Float(x), Value::Int(n)) if op == Binary::Powi => Value::Float(x.powf(n as f64)),
        (x, y) => {
            let (x, y) = (x.float(), y.float());
            Value::Float(match op {
                Binary::Add => x + y,
                Binary::Sub => x - y,
                Binary::Mul => x * y,
                Binary::Div => x / y,
                Binary::Rem => x % y,
                Binary::Powf => x.powf(y),
                Binary::Powi => panic!("the exponent of Powi is an integer"),
                Binary::Atan2 => x.atan2(y),
                Binary::Xlogy if x == 0.0 && !y.is_nan() => 0.0,
                Binary::Xlogy => x * y.ln(),
                Binary::Max => maximum(x, y),
                Binary::Min => -maximum(-x, -y),
                Binary::Eq => return Some(Value::Bool(x == y)),
                Binary::Ne => return Some(Value::Bool(x != y)),
                Binary::Lt => return Some(Value::Bool(x < y)),
                Binary::Le => return Some(Value::Bool(x <= y)),
                Binary::Gt => return Some(Value::Bool(x > y)),
                Binary::Ge => return Some(Value::Bool(x >= y)),
                Binary::And | Binary::Or => panic!("{op:?} has boolean operands"),
            })
        }
    })
}

/// One step of a reduction or scatter.
pub(super) fn combine(op: Reduction, ty: Ty, total: Value, value: Value) -> Value {
    let step = match op {
        Reduction::Sum => Binary::Add,
        Reduction::Prod => Binary::Mul,
        Reduction::Max => Binary::Max,
        Reduction::Min => Binary::Min,
        Reduction::Any => Binary::Or,
        Reduction::All => Binary::And,
        Reduction::ArgMax | Reduction::ArgMin | Reduction::SquaredDeviation => {
            panic!("{op:?} is not a fold over values")
        }
    };
    binary(step, ty, total, value).expect("no step divides")
}

/// The first position of the largest (`ArgMax`) or smallest value; the first NaN wins.
pub(super) fn best_position(op: Reduction, values: &[Value]) -> Option<Value> {
    let better = match op {
        Reduction::ArgMax => Binary::Gt,
        Reduction::ArgMin => Binary::Lt,
        other => panic!("{other:?} is not a position"),
    };
    let is_nan = |value: Value| matches!(value, Value::Float(value) if value.is_nan());
    let mut best: Option<(usize, Value)> = None;
    for (position, &value) in values.iter().enumerate() {
        let wins = match best {
            None => true,
            Some((_, best)) if is_nan(best) => false,
            Some((_, best)) => is_nan(value) || binary(better, Ty::F64, value, best) == Some(Value::Bool(true)),
        };
        if wins {
            best = Some((position, value));
        }
    }
    best.map(|(position, _)| Value::Int(position as i64))
}

/// Rust's `as`; floats stay `f64`.
pub(super) fn convert(ty: Ty, x: Value) -> Value {
    match (ty.is_float(), ty.is_integer()) {
        (true, _) => Value::Float(match x {
            Value::Float(x) => x,
            Value::Int(x) if ty == Ty::U64 => x as u64 as f64,
            Value::Int(x) => x as f64,
            Value::Bool(x) => f64::from(u8::from(x)),
        }),
        (_, true) => Value::Int(match x {
            Value::Float(x) => match ty {
                Ty::I32 => i64::from(x as i32),
                Ty::U32 => i64::from(x as u32),
                Ty::U8 => i64::from(x as u8),
                Ty::U64 => x as u64 as i64,
                Ty::I64 | Ty::Float | Ty::F32 | Ty::F64 | Ty::Bool => x as i64,
            },
            Value::Int(x) => return wrap(ty, x),
            Value::Bool(x) => i64::from(x),
        }),
        _ => Value::Bool(match x {
            Value::Float(x) => x != 0.0,
            Value::Int(x) => x != 0,
            Value::Bool(x) => x,
        }),
    }
}

/// The larger one; NaN if either is.
fn maximum(x: f64, y: f64) -> f64 {
    if x.is_nan() || x > y { x } else { y }
}

/// An integer wrapped to the width of its type.
fn wrap(ty: Ty, x: i64) -> Value {
    Value::Int(match ty {
        Ty::I32 => i64::from(x as i32),
        Ty::U32 => i64::from(x as u32),
        Ty::U8 => i64::from(x as u8),
        Ty::I64 | Ty::U64 | Ty::Float | Ty::F32 | Ty::F64 | Ty::Bool => x,
    })
}

/// The smallest integer of a type.
fn least(ty: Ty) -> i64 {
    match ty {
        Ty::I32 => i32::MIN.into(),
        Ty::U32 | Ty::U8 | Ty::U64 => 0,
        Ty::I64 | Ty::Float | Ty::F32 | Ty::F64 | Ty::Bool => i64::MIN,
    }
}
