//! Types, constants and casts as Rust text.
//!
//! Invariant: a constant of a concrete type is a suffixed literal, one of the generic computing type is made by
//! `Compute::from_f64`; both are rounded once, by `as`.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::expr::{Expr, Level};
use crate::emit::plan::Storage;
use crate::ir::{self, Elem, Ty};

/// Rust's name of a computing type.
pub(super) fn value(ty: Ty) -> TokenStream {
    match ty {
        Ty::Float => quote!(T::Compute),
        Ty::F32 => quote!(f32),
        Ty::F64 => quote!(f64),
        Ty::I64 => quote!(i64),
        Ty::I32 => quote!(i32),
        Ty::U32 => quote!(u32),
        Ty::U8 => quote!(u8),
        Ty::U64 => quote!(u64),
        Ty::Bool => quote!(bool),
    }
}

/// Rust's name of an element in memory.
pub(super) fn memory(storage: Storage) -> TokenStream {
    match storage {
        Storage::Element(Elem::Generic) => quote!(T),
        Storage::Element(Elem::F16) => quote!(f16),
        Storage::Element(Elem::Bf16) => quote!(bf16),
        Storage::Element(elem) => value(elem.ty()),
        Storage::Computed(ty) => value(ty),
    }
}

/// True if an element is another type in memory than in registers.
pub(super) fn widens(storage: Storage) -> bool {
    matches!(storage, Storage::Element(Elem::Generic | Elem::F16 | Elem::Bf16))
}

/// A constant.
pub(super) fn literal(literal: ir::Literal, ty: Ty) -> Expr {
    match literal {
        ir::Literal::Float(bits) => float(f64::from_bits(bits), ty),
        ir::Literal::Int(value) => integer(value, ty),
        ir::Literal::Bool(value) => Expr::atom(quote!(#value)),
    }
}

/// A float constant.
pub(super) fn float(value: f64, ty: Ty) -> Expr {
    match ty {
        Ty::Float => {
            let value = double(value, "").tokens();
            Expr::atom(quote!(Compute::from_f64(#value)))
        }
        Ty::F32 => single(value as f32),
        Ty::F64 => double(value, "f64"),
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
        Ty::Bool => Expr::atom(quote!(false)),
        _ => float(0.0, ty),
    }
}

/// The constants that have a name in `core::f64::consts`; spelled out they would be unreadable, and clippy says so.
const NAMED: [(&str, f64); 19] = [
    ("PI", std::f64::consts::PI),
    ("TAU", std::f64::consts::TAU),
    ("E", std::f64::consts::E),
    ("LN_2", std::f64::consts::LN_2),
    ("LN_10", std::f64::consts::LN_10),
    ("SQRT_2", std::f64::consts::SQRT_2),
    ("FRAC_1_SQRT_2", std::f64::consts::FRAC_1_SQRT_2),
    ("FRAC_1_PI", std::f64::consts::FRAC_1_PI),
    ("FRAC_2_PI", std::f64::consts::FRAC_2_PI),
    ("FRAC_2_SQRT_PI", std::f64::consts::FRAC_2_SQRT_PI),
    ("FRAC_PI_2", std::f64::consts::FRAC_PI_2),
    ("FRAC_PI_3", std::f64::consts::FRAC_PI_3),
    ("FRAC_PI_4", std::f64::consts::FRAC_PI_4),
    ("FRAC_PI_6", std::f64::consts::FRAC_PI_6),
    ("FRAC_PI_8", std::f64::consts::FRAC_PI_8),
    ("LOG2_E", std::f64::consts::LOG2_E),
    ("LOG2_10", std::f64::consts::LOG2_10),
    ("LOG10_E", std::f64::consts::LOG10_E),
    ("LOG10_2", std::f64::consts::LOG10_2),
];

fn double(value: f64, suffix: &str) -> Expr {
    if let Some((name, _)) = NAMED.iter().find(|(_, named)| *named == value.abs()) {
        let name = proc_macro2::Ident::new(name, proc_macro2::Span::call_site());
        return signed(value < 0.0, quote!(::core::f64::consts::#name));
    }
    if value.is_nan() {
        return Expr::atom(quote!(f64::NAN));
    }
    if value.is_infinite() {
        return signed(value < 0.0, quote!(f64::INFINITY));
    }
    let literal = decimal(format!("{:?}{suffix}", value.abs()));
    signed(value.is_sign_negative(), quote!(#literal))
}

fn single(value: f32) -> Expr {
    if let Some((name, _)) = NAMED.iter().find(|(_, named)| *named as f32 == value.abs()) {
        let name = proc_macro2::Ident::new(name, proc_macro2::Span::call_site());
        return signed(value < 0.0, quote!(::core::f32::consts::#name));
    }
    if value.is_nan() {
        return Expr::atom(quote!(f32::NAN));
    }
    if value.is_infinite() {
        return signed(value < 0.0, quote!(f32::INFINITY));
    }
    let literal = decimal(format!("{:?}f32", value.abs()));
    signed(value.is_sign_negative(), quote!(#literal))
}

/// `2.0f32`, where `Literal::f32_suffixed` would print `2f32`.
fn decimal(text: String) -> Literal {
    text.parse().expect("the debug form of a finite float is a literal")
}

fn integer(value: i64, ty: Ty) -> Expr {
    let magnitude = value.unsigned_abs();
    let literal = match ty {
        Ty::I64 if value == i64::MIN => return Expr::atom(quote!(i64::MIN)),
        Ty::I32 if value == i64::from(i32::MIN) => return Expr::atom(quote!(i32::MIN)),
        Ty::I64 => Literal::i64_suffixed(magnitude as i64),
        Ty::I32 => Literal::i32_suffixed(magnitude as i32),
        Ty::U32 => Literal::u32_suffixed(value as u32),
        Ty::U8 => Literal::u8_suffixed(value as u8),
        Ty::U64 => Literal::u64_suffixed(value as u64),
        Ty::Float | Ty::F32 | Ty::F64 | Ty::Bool => panic!("bug: an integer constant of type {ty:?}"),
    };
    signed(value < 0 && matches!(ty, Ty::I64 | Ty::I32), quote!(#literal))
}

fn signed(negative: bool, tokens: TokenStream) -> Expr {
    match negative {
        true => Expr::new(quote!(-#tokens), Level::Prefix),
        false => Expr::atom(tokens),
    }
}

/// Rust's `as` from the computing type `from` to an element, widened to the element's computing type.
pub(super) fn cast(x: Expr, from: Ty, to: Elem) -> Expr {
    match to {
        Elem::F16 | Elem::Bf16 => {
            let half = memory(Storage::Element(to));
            let x = convert(x, from, Ty::F64).tokens();
            Expr::atom(quote!(Element::widen(#half::from_f64(#x))))
        }
        Elem::Generic => {
            let x = convert(x, from, Ty::Float).tokens();
            Expr::atom(quote!(T::narrow(#x).widen()))
        }
        Elem::F32 | Elem::F64 | Elem::I64 | Elem::I32 | Elem::U32 | Elem::U8 | Elem::Bool => convert(x, from, to.ty()),
    }
}

/// Rust's `as` between computing types.
pub(super) fn convert(x: Expr, from: Ty, to: Ty) -> Expr {
    match (from, to) {
        _ if from == to => x,
        (Ty::Bool, Ty::Float | Ty::F32 | Ty::F64) => {
            let (to, x) = (value(to), x.tokens());
            Expr::atom(quote!(<#to as Compute>::from_bool(#x)))
        }
        (Ty::Float, _) => {
            let (method, x) = (conversion("to", to), x.tokens());
            Expr::atom(quote!(Compute::#method(#x)))
        }
        (_, Ty::Float) => {
            let (method, x) = (conversion("from", from), x.tokens());
            Expr::atom(quote!(<T::Compute as Compute>::#method(#x)))
        }
        (_, Ty::Bool) => x.infix(quote!(!=), zero(from), Level::Compare),
        (_, Ty::F32 | Ty::F64 | Ty::I64 | Ty::I32 | Ty::U32 | Ty::U8 | Ty::U64) => {
            let (x, to) = (x.operand(Level::Prefix), value(to));
            // In parentheses wherever an operator follows: `x as i64 < y` is not an expression.
            Expr::new(quote!(#x as #to), Level::If)
        }
    }
}

/// `to_i64`, `from_u8`.
fn conversion(direction: &str, ty: Ty) -> proc_macro2::Ident {
    let name = match ty {
        Ty::F32 => "f32",
        Ty::F64 => "f64",
        Ty::I64 => "i64",
        Ty::I32 => "i32",
        Ty::U32 => "u32",
        Ty::U8 => "u8",
        Ty::U64 => "u64",
        Ty::Bool => "bool",
        Ty::Float => panic!("bug: a conversion between equal types"),
    };
    quote::format_ident!("{direction}_{name}")
}
