//! One operation as a Rust expression of its operands.
//!
//! Invariants: the user's operations keep their order and are never contracted; derived sums and products are chains in
//! the order of their operands; integers wrap; nothing is evaluated conditionally here.

use proc_macro2::Literal;
use quote::quote;

use super::expr::{Expr, Level};
use crate::ir::{Binary, Distribution, Ty, Unary};

/// A function of one operand of type `ty`.
pub(super) fn unary(op: Unary, x: Expr, ty: Ty) -> Expr {
    match (ty.is_float(), op) {
        (true, Unary::Neg) => x.prefix(quote!(-)),
        (true, Unary::IsNan) => Expr::call(quote!(Compute::is_nan), vec![x]),
        (true, Unary::IsFinite) => Expr::call(quote!(Compute::is_finite), vec![x]),
        (true, op) => {
            let function = float_function(op);
            Expr::call(quote!(Compute::#function::<I>), vec![x])
        }
        (false, Unary::Not) => x.prefix(quote!(!)),
        (false, Unary::Neg) => x.method(quote!(wrapping_neg), vec![]),
        (false, Unary::Abs | Unary::Sign) if matches!(ty, Ty::I64 | Ty::I32) => {
            x.method(if op == Unary::Abs { quote!(wrapping_abs) } else { quote!(signum) }, vec![])
        }
        (false, Unary::Sign) => {
            let positive = x.infix(quote!(!=), super::ty::zero(ty), Level::Compare);
            super::ty::convert(positive, Ty::Bool, ty)
        }
        (false, Unary::Abs | Unary::Floor | Unary::Ceil | Unary::Round | Unary::Trunc) => x,
        (false, Unary::IsNan) => Expr::atom(quote!(false)),
        (false, Unary::IsFinite) => Expr::atom(quote!(true)),
        (false, op) => panic!("bug: {op:?} of an operand of type {ty:?}"),
    }
}

/// The name of a float function in the runtime's `Compute`.
fn float_function(op: Unary) -> proc_macro2::Ident {
    let name = match op {
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
        Unary::Neg | Unary::Not | Unary::IsNan | Unary::IsFinite => panic!("bug: {op:?} of a float is not a function"),
    };
    quote::format_ident!("{name}")
}

/// A function of two operands, the first of type `ty`; integer division excepted.
pub(super) fn binary(op: Binary, x: Expr, y: Expr, ty: Ty) -> Expr {
    match op {
        Binary::Eq => x.infix(quote!(==), y, Level::Compare),
        Binary::Ne => x.infix(quote!(!=), y, Level::Compare),
        Binary::Lt => x.infix(quote!(<), y, Level::Compare),
        Binary::Le => x.infix(quote!(<=), y, Level::Compare),
        Binary::Gt => x.infix(quote!(>), y, Level::Compare),
        Binary::Ge => x.infix(quote!(>=), y, Level::Compare),
        Binary::And => x.infix(quote!(&), y, Level::BitAnd),
        Binary::Or => x.infix(quote!(|), y, Level::BitOr),
        Binary::Add => add(x, y, ty),
        Binary::Sub => subtract(x, y, ty),
        Binary::Mul => multiply(x, y, ty),
        Binary::Div if ty.is_float() => x.infix(quote!(/), y, Level::Product),
        Binary::Rem if ty.is_float() => Expr::call(quote!(Compute::rem::<I>), vec![x, y]),
        Binary::Max if ty.is_float() => Expr::call(quote!(Compute::nan_max::<I>), vec![x, y]),
        Binary::Min if ty.is_float() => Expr::call(quote!(Compute::nan_min::<I>), vec![x, y]),
        Binary::Max => Expr::call(quote!(::core::cmp::Ord::max), vec![x, y]),
        Binary::Min => Expr::call(quote!(::core::cmp::Ord::min), vec![x, y]),
        Binary::Powf => Expr::call(quote!(Compute::powf::<I>), vec![x, y]),
        Binary::Powi if ty.is_float() => Expr::call(quote!(Compute::powi::<I>), vec![x, y]),
        Binary::Powi => x.method(quote!(wrapping_pow), vec![super::ty::convert(y, Ty::I64, Ty::U32)]),
        Binary::Atan2 => Expr::call(quote!(Compute::atan2::<I>), vec![x, y]),
        Binary::Xlogy => Expr::call(quote!(Compute::xlogy::<I>), vec![x, y]),
        Binary::Div | Binary::Rem => panic!("bug: an integer division is not an expression of its operands alone"),
    }
}

fn add(x: Expr, y: Expr, ty: Ty) -> Expr {
    match ty.is_float() {
        true => x.infix(quote!(+), y, Level::Sum),
        false => x.method(quote!(wrapping_add), vec![y]),
    }
}

fn subtract(x: Expr, y: Expr, ty: Ty) -> Expr {
    match ty.is_float() {
        true => x.infix(quote!(-), y, Level::Sum),
        false => x.method(quote!(wrapping_sub), vec![y]),
    }
}

fn multiply(x: Expr, y: Expr, ty: Ty) -> Expr {
    match ty.is_float() {
        true => x.infix(quote!(*), y, Level::Product),
        false => x.method(quote!(wrapping_mul), vec![y]),
    }
}

/// `fma(a, b, c)`.
pub(super) fn fma(a: Expr, b: Expr, c: Expr) -> Expr {
    Expr::call(quote!(Compute::fma), vec![a, b, c])
}

/// The random number of a counter.
pub(super) fn random(distribution: Distribution, stream: u32, seed: Expr, counter: Expr, ty: Ty) -> Expr {
    let ty = super::ty::value(ty);
    let function = match distribution {
        Distribution::Uniform => quote!(uniform),
        Distribution::Normal => quote!(normal),
    };
    let stream = Expr::atom(Literal::u32_unsuffixed(stream));
    Expr::call(quote!(<#ty as Compute>::#function), vec![seed, stream, counter])
}

/// The sum of `coefficient * term`; `constant` gives a constant of the type.
pub(super) fn sum(terms: Vec<(f64, Expr)>, ty: Ty, mut constant: impl FnMut(f64) -> Expr) -> Expr {
    let mut sum: Option<Expr> = None;
    for (coefficient, term) in terms {
        let mut scaled = |magnitude: f64, term: Expr| match magnitude {
            1.0 => term,
            _ => multiply(constant(magnitude), term, ty),
        };
        sum = Some(match sum {
            None if coefficient == -1.0 => unary(Unary::Neg, term, ty),
            None => scaled(coefficient, term),
            Some(sum) if coefficient < 0.0 => subtract(sum, scaled(-coefficient, term), ty),
            Some(sum) => add(sum, scaled(coefficient, term), ty),
        });
    }
    sum.unwrap_or_else(|| constant(0.0))
}

/// Powers up to this are chains of multiplications.
const CHAIN: u32 = 4;

/// The product of `factor ^ power`, with at most one division; `constant` gives a constant of the type. Factors with a
/// power beside 1 and -1 are names.
pub(super) fn product(factors: Vec<(i32, Expr)>, ty: Ty, mut constant: impl FnMut(f64) -> Expr) -> Expr {
    let mut above: Option<Expr> = None;
    let mut below: Option<Expr> = None;
    for (power, factor) in factors {
        let side = if power > 0 { &mut above } else { &mut below };
        let magnitude = power.unsigned_abs();
        let (repeats, factor) = match magnitude {
            0..=CHAIN => (magnitude, factor),
            _ => {
                let exponent = super::ty::literal(crate::ir::Literal::Int(magnitude.into()), Ty::I64);
                (1, binary(Binary::Powi, factor, exponent, ty))
            }
        };
        for _ in 0..repeats {
            *side = Some(match side.take() {
                None => factor.clone(),
                Some(product) => multiply(product, factor.clone(), ty),
            });
        }
    }
    match (above, below) {
        (None, None) => constant(1.0),
        (Some(above), None) => above,
        (above, Some(below)) => binary(Binary::Div, above.unwrap_or_else(|| constant(1.0)), below, ty),
    }
}
