//! One operation as a C expression of its operands.
//!
//! Invariants: the user's operations keep their order and are never contracted (the compiler is told so); derived sums and
//! products are chains in the order of their operands; integers wrap.

use super::expr::{Expr, Level};
use super::ty;
use crate::ir::{Binary, Distribution, Literal, Ty, Unary};

/// A function of one operand of type `of`.
pub(super) fn unary(op: Unary, x: Expr, of: Ty) -> Expr {
    match (of.is_float(), op) {
        (true, Unary::Neg) => x.prefix("-"),
        (_, Unary::Not) => x.prefix("!"),
        (false, Unary::Floor | Unary::Ceil | Unary::Round | Unary::Trunc) => x,
        (false, Unary::Abs) if !matches!(of, Ty::I64 | Ty::I32) => x,
        (false, Unary::IsNan) => Expr::atom("false"),
        (false, Unary::IsFinite) => Expr::atom("true"),
        (false, op) if !matches!(op, Unary::Neg | Unary::Abs | Unary::Sign) => {
            panic!("bug: {op:?} of an operand of type {of:?}")
        }
        (_, op) => Expr::call(&format!("tensor::{}", function(op)), [x]),
    }
}

/// The name of a function in the prelude.
fn function(op: Unary) -> &'static str {
    match op {
        Unary::Neg => "neg",
        Unary::Exp => "exp",
        Unary::Exp2 => "exp2",
        Unary::Ln => "ln",
        Unary::Log2 => "log2",
        Unary::Log10 => "log10",
        Unary::Log1p => "log1p",
        Unary::Expm1 => "expm1",
        Unary::Sqrt => "sqrt",
        Unary::Rsqrt => "rsqrt",
        Unary::Cbrt => "cbrt",
        Unary::Sin => "sin",
        Unary::Cos => "cos",
        Unary::Tan => "tan",
        Unary::Asin => "asin",
        Unary::Acos => "acos",
        Unary::Atan => "atan",
        Unary::Sinh => "sinh",
        Unary::Cosh => "cosh",
        Unary::Tanh => "tanh",
        Unary::Sigmoid => "sigmoid",
        Unary::Softplus => "softplus",
        Unary::Erf => "erf",
        Unary::Erfc => "erfc",
        Unary::Abs => "abs",
        Unary::Sign => "sign",
        Unary::Floor => "floor",
        Unary::Ceil => "ceil",
        Unary::Round => "round",
        Unary::Trunc => "trunc",
        Unary::IsNan => "is_nan",
        Unary::IsFinite => "is_finite",
        Unary::Not => panic!("bug: `not` is an operator"),
    }
}

/// A function of two operands, the first of type `of`; integer division excepted.
pub(super) fn binary(op: Binary, x: Expr, y: Expr, of: Ty) -> Expr {
    let call = |name: &str, x, y| Expr::call(&format!("tensor::{name}"), [x, y]);
    match op {
        Binary::Eq => x.infix("==", y, Level::Compare),
        Binary::Ne => x.infix("!=", y, Level::Compare),
        Binary::Lt => x.infix("<", y, Level::Compare),
        Binary::Le => x.infix("<=", y, Level::Compare),
        Binary::Gt => x.infix(">", y, Level::Compare),
        Binary::Ge => x.infix(">=", y, Level::Compare),
        Binary::And => x.infix("&&", y, Level::And),
        Binary::Or => x.infix("||", y, Level::Or),
        Binary::Add if of.is_float() => x.infix("+", y, Level::Sum),
        Binary::Sub if of.is_float() => x.infix("-", y, Level::Sum),
        Binary::Mul if of.is_float() => x.infix("*", y, Level::Product),
        Binary::Div if of.is_float() => x.infix("/", y, Level::Product),
        Binary::Add => call("add", x, y),
        Binary::Sub => call("sub", x, y),
        Binary::Mul => call("mul", x, y),
        Binary::Rem if of.is_float() => call("rem", x, y),
        Binary::Max => call("max", x, y),
        Binary::Min => call("min", x, y),
        Binary::Powf => call("powf", x, y),
        Binary::Powi => call("powi", x, y),
        Binary::Atan2 => call("atan2", x, y),
        Binary::Xlogy => call("xlogy", x, y),
        Binary::Div | Binary::Rem => panic!("bug: an integer division is not an expression of its operands alone"),
    }
}

/// `fma(a, b, c)`.
pub(super) fn fma(a: Expr, b: Expr, c: Expr) -> Expr {
    Expr::call("tensor::fma", [a, b, c])
}

/// The random number of a counter.
pub(super) fn random(distribution: Distribution, stream: u32, seed: Expr, counter: Expr, ty: Ty) -> Expr {
    let name = match distribution {
        Distribution::Uniform => "uniform",
        Distribution::Normal => "normal",
    };
    Expr::call(&format!("tensor::{name}<{}>", ty::value(ty)), [seed, Expr::atom(format!("{stream}u")), counter])
}

/// The sum of `coefficient * term`.
pub(super) fn sum(terms: Vec<(f64, Expr)>, ty: Ty) -> Expr {
    let mut sum: Option<Expr> = None;
    for (coefficient, term) in terms {
        let scaled = |magnitude: f64, term: Expr| match magnitude {
            1.0 => term,
            _ => binary(Binary::Mul, ty::float(magnitude, ty), term, ty),
        };
        sum = Some(match sum {
            None if coefficient == -1.0 => unary(Unary::Neg, term, ty),
            None => scaled(coefficient, term),
            Some(sum) if coefficient < 0.0 => binary(Binary::Sub, sum, scaled(-coefficient, term), ty),
            Some(sum) => binary(Binary::Add, sum, scaled(coefficient, term), ty),
        });
    }
    sum.unwrap_or_else(|| ty::float(0.0, ty))
}

/// Powers up to this are chains of multiplications.
const CHAIN: u32 = 4;

/// The product of `factor ^ power`, with at most one division. Factors with a power beside 1 and -1 are names.
pub(super) fn product(factors: Vec<(i32, Expr)>, ty: Ty) -> Expr {
    let mut above: Option<Expr> = None;
    let mut below: Option<Expr> = None;
    for (power, factor) in factors {
        let side = if power > 0 { &mut above } else { &mut below };
        let magnitude = power.unsigned_abs();
        let (repeats, factor) = match magnitude {
            0..=CHAIN => (magnitude, factor),
            _ => {
                let exponent = ty::literal(Literal::Int(magnitude.into()), Ty::I64);
                (1, binary(Binary::Powi, factor, exponent, ty))
            }
        };
        for _ in 0..repeats {
            *side = Some(match side.take() {
                None => factor.clone(),
                Some(product) => binary(Binary::Mul, product, factor.clone(), ty),
            });
        }
    }
    let one = || ty::float(1.0, ty);
    match (above, below) {
        (None, None) => one(),
        (Some(above), None) => above,
        (above, Some(below)) => binary(Binary::Div, above.unwrap_or_else(one), below, ty),
    }
}
