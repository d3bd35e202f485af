//! Types, constants and casts as C text.
//!
//! Invariants: a constant of the generic computing type is a `double` that the compiler rounds once; casts are Rust's `as`.

use super::expr::{Expr, Level};
use crate::emit::plan::Storage;
use crate::ir::{self, Elem, Ty};

/// C's name of a computing type.
pub(super) fn value(ty: Ty) -> &'static str {
    match ty {
        Ty::Float => "Compute",
        Ty::F32 => "float",
        Ty::F64 => "double",
        Ty::I64 => "long long",
        Ty::I32 => "int",
        Ty::U32 => "unsigned",
        Ty::U8 => "unsigned char",
        Ty::U64 => "unsigned long long",
        Ty::Bool => "bool",
    }
}

/// C's name of an element in memory.
pub(super) fn memory(storage: Storage) -> &'static str {
    match storage {
        Storage::Element(Elem::Generic) => "Element",
        Storage::Element(Elem::F16) => "Half",
        Storage::Element(Elem::Bf16) => "Brain",
        Storage::Element(elem) => value(elem.ty()),
        Storage::Computed(ty) => value(ty),
    }
}

/// True if an element is another type in memory than in registers.
fn widens(storage: Storage) -> bool {
    matches!(storage, Storage::Element(Elem::Generic | Elem::F16 | Elem::Bf16))
}

/// An element as a value.
pub(super) fn widen(element: Expr, storage: Storage) -> Expr {
    if widens(storage) { Expr::call("tensor::widen", [element]) } else { element }
}

/// A value as an element.
pub(super) fn narrow(value: Expr, storage: Storage) -> Expr {
    if widens(storage) { Expr::call(&format!("tensor::narrow<{}>", memory(storage)), [value]) } else { value }
}

/// A constant.
pub(super) fn literal(literal: ir::Literal, ty: Ty) -> Expr {
    match literal {
        ir::Literal::Float(bits) => float(f64::from_bits(bits), ty),
        ir::Literal::Int(value) => integer(value, ty),
        ir::Literal::Bool(value) => Expr::atom(value.to_string()),
    }
}

/// A float constant.
pub(super) fn float(value: f64, ty: Ty) -> Expr {
    match ty {
        Ty::Float => Expr::atom(format!("Compute({})", double(value).text())),
        Ty::F32 if value.is_finite() && (value as f32).is_finite() => {
            signed((value as f32).is_sign_negative(), format!("{:?}f", (value as f32).abs()))
        }
        Ty::F32 => Expr::atom(format!("float({})", double(value).text())),
        Ty::F64 => double(value),
        // A sum's coefficient.
        Ty::I64 | Ty::U64 => integer(value as i64, ty),
        Ty::I32 => integer((value as i32).into(), ty),
        Ty::U32 => integer((value as u32).into(), ty),
        Ty::U8 => integer((value as u8).into(), ty),
        Ty::Bool => panic!("bug: a float constant of type bool"),
    }
}

/// Zero, or `false`.
pub(super) fn zero(ty: Ty) -> Expr {
    match ty {
        Ty::Bool => Expr::atom("false"),
        _ => float(0.0, ty),
    }
}

fn double(value: f64) -> Expr {
    if value.is_nan() {
        return Expr::atom("NOT_A_NUMBER");
    }
    if value.is_infinite() {
        return signed(value < 0.0, "INFINITE".to_owned());
    }
    signed(value.is_sign_negative(), format!("{:?}", value.abs()))
}

fn integer(value: i64, ty: Ty) -> Expr {
    let magnitude = value.unsigned_abs();
    match ty {
        // The magnitude alone is no signed number.
        Ty::I64 if value == i64::MIN => Expr::atom("(-9223372036854775807ll - 1)"),
        Ty::I32 if value == i64::from(i32::MIN) => Expr::atom("(-2147483647 - 1)"),
        Ty::I64 => signed(value < 0, format!("{magnitude}ll")),
        Ty::I32 => signed(value < 0, format!("{magnitude}")),
        Ty::U32 => Expr::atom(format!("{}u", value as u32)),
        Ty::U8 => Expr::atom(format!("(unsigned char){}", value as u8)),
        Ty::U64 => Expr::atom(format!("{}ull", value as u64)),
        Ty::Float | Ty::F32 | Ty::F64 | Ty::Bool => panic!("bug: an integer constant of type {ty:?}"),
    }
}

fn signed(negative: bool, magnitude: String) -> Expr {
    let magnitude = Expr::atom(magnitude);
    if negative { magnitude.prefix("-") } else { magnitude }
}

/// Rust's `as` from the computing type `from` to an element, widened to the element's computing type.
pub(super) fn cast(x: Expr, from: Ty, to: Elem) -> Expr {
    let storage = Storage::Element(to);
    match to {
        // An `f64` is rounded to a half once.
        Elem::F16 | Elem::Bf16 => widen(narrow(convert(x, from, Ty::F64), storage), storage),
        Elem::Generic => widen(narrow(convert(x, from, Ty::Float), storage), storage),
        Elem::F32 | Elem::F64 | Elem::I64 | Elem::I32 | Elem::U32 | Elem::U8 | Elem::Bool => convert(x, from, to.ty()),
    }
}

/// Rust's `as` between computing types.
pub(super) fn convert(x: Expr, from: Ty, to: Ty) -> Expr {
    match (from.is_float(), to) {
        _ if from == to => x,
        (_, Ty::Bool) => x.infix("!=", zero(from), Level::Compare),
        // C's conversion of a float beyond the integer is undefined, Rust's ends at its bounds.
        (true, Ty::I64 | Ty::I32 | Ty::U32 | Ty::U8 | Ty::U64) => {
            Expr::call(&format!("tensor::to_integer<{}>", value(to)), [x])
        }
        (_, Ty::Float | Ty::F32 | Ty::F64 | Ty::I64 | Ty::I32 | Ty::U32 | Ty::U8 | Ty::U64) => {
            x.prefix(&format!("({})", value(to)))
        }
    }
}
