//! Conversions.
//!
//! Bytes live in 16-bit registers, and a register may be wider than the type of a conversion: the value is first brought
//! into a register of its type's own width, and the result extended from there.

use super::decoder::Decoder;
use super::float::saturated;
use super::modifiers::Modifiers;
use crate::exec::lanes::{LaneStep, map1, map2};
use crate::exec::registers::{Class, Lane, Register};
use crate::numeric::approx::flush;
use crate::numeric::half::{Bf16, F16, Half, Two};
use crate::numeric::round::{Directed, Rounding, narrow};
use crate::ptx::PtxError;
use crate::ptx::syntax::{Instruction, Operand, Type};

type Decoded<T> = Result<T, PtxError>;

/// What a conversion does beside changing the type.
#[derive(Clone, Copy)]
struct Mode {
    /// `.rn` and so on: to the precision of the result.
    rounding: Option<Rounding>,
    /// `.rni` and so on: to an integer.
    integral: Option<Rounding>,
    flushes: bool,
    saturates: bool,
}

pub(super) fn decode(decoder: &mut Decoder<'_, '_>, instruction: &Instruction) -> Decoded<()> {
    let mut modifiers = Modifiers::new(instruction);
    let from_ty = modifiers.ty()?;
    let to_ty = modifiers.ty()?;
    let integral = modifiers.one_of(&["rni", "rzi", "rmi", "rpi"]).map(|modifier| match modifier {
        "rni" => Rounding::Nearest,
        "rzi" => Rounding::Zero,
        "rmi" => Rounding::Down,
        _ => Rounding::Up,
    });
    let rounding = modifiers.rounding();
    let mode = Mode { rounding, integral, flushes: modifiers.flag("ftz"), saturates: modifiers.flag("sat") };
    modifiers.end()?;
    if let Type::F16x2 | Type::Bf16x2 = to_ty {
        return two_halves(decoder, instruction, from_ty, to_ty, mode);
    }
    let [to, from] = decoder.operands(instruction)?;
    let from = source(decoder, from, from_ty)?;
    let (to_class, from_class) = classes(decoder, to_ty, from_ty)?;
    let wide = destination(decoder, to, to_class)?;
    let to = if wide.class == to_class { wide.index } else { decoder.temporary(to_class) };
    debug_assert_eq!(from_class, from_ty.class().unwrap_or(Class::Predicate));
    let step = conversion(decoder, to, to_ty, from, from_ty, mode)?;
    decoder.lanes(step);
    if wide.class != to_class {
        decoder.lanes(extend(wide, Register { class: to_class, index: to }, to_ty));
    }
    Ok(())
}

fn classes(decoder: &Decoder<'_, '_>, to: Type, from: Type) -> Decoded<(Class, Class)> {
    match (to.class(), from.class()) {
        (Some(Class::Predicate), _) | (_, Some(Class::Predicate)) => {
            Err(decoder.refuse("predicates are not converted"))
        }
        (Some(to), Some(from)) => Ok((to, from)),
        _ => Err(decoder.refuse("a type that is not known here")),
    }
}

/// The operand in a register of its type's width, with bytes extended.
fn source(decoder: &mut Decoder<'_, '_>, operand: &Operand, ty: Type) -> Decoded<u32> {
    let class = ty.class().ok_or_else(|| decoder.refuse("a type that is not known here"))?;
    let from = decoder.operand_register(operand, class)?;
    if from.class == class {
        return Ok(from.index);
    }
    let narrowed = Register { class, index: decoder.temporary(class) };
    decoder.lanes(Box::new(move |registers, mask| {
        let row = registers.widened(from);
        registers.write_truncated(narrowed, &row, mask);
    }));
    Ok(narrowed.index)
}

/// The register of a result: of this class, or a wider one.
fn destination(decoder: &mut Decoder<'_, '_>, operand: &Operand, class: Class) -> Decoded<Register> {
    let register = decoder.operand_register(operand, class)?;
    let width = |class| match class {
        Class::Predicate => 0,
        Class::B16 => 16,
        Class::B32 => 32,
        Class::B64 => 64,
    };
    if width(register.class) < width(class) {
        return Err(decoder.refuse("the register is narrower than the type"));
    }
    Ok(register)
}

/// Copies a narrow register into a wide one, with the sign if the type has one.
fn extend(wide: Register, narrow: Register, ty: Type) -> LaneStep {
    let unused = match narrow.class {
        Class::B16 => 48,
        Class::B32 => 32,
        _ => 0,
    };
    let signed = ty.is_signed();
    Box::new(move |registers, mask| {
        let row = registers.widened(narrow);
        let extended = row.map(|bits| if signed { ((bits << unused) as i64 >> unused) as u64 } else { bits });
        registers.write_truncated(wide, &extended, mask);
    })
}

macro_rules! with_int {
    ($ty:expr, $T:ident => $body:expr, else $otherwise:expr) => {
        match $ty {
            Type::U8 => {
                type $T = u8;
                $body
            }
            Type::U16 => {
                type $T = u16;
                $body
            }
            Type::U32 => {
                type $T = u32;
                $body
            }
            Type::U64 => {
                type $T = u64;
                $body
            }
            Type::S8 => {
                type $T = i8;
                $body
            }
            Type::S16 => {
                type $T = i16;
                $body
            }
            Type::S32 => {
                type $T = i32;
                $body
            }
            Type::S64 => {
                type $T = i64;
                $body
            }
            _ => $otherwise,
        }
    };
}

fn conversion(
    decoder: &mut Decoder<'_, '_>,
    to: u32,
    to_ty: Type,
    from: u32,
    from_ty: Type,
    mode: Mode,
) -> Decoded<LaneStep> {
    let is_float = |ty: Type| ty.is_float() || ty.is_half();
    let Mode { rounding, integral, flushes, saturates } = mode;
    let plain = rounding.is_none() && integral.is_none() && !flushes;
    let unknown = decoder.refuse("a conversion that is not known");
    match (is_float(from_ty), is_float(to_ty)) {
        (false, false) if plain => with_int!(from_ty, A => with_int!(to_ty, B => Ok(if saturates {
            map1(to, from, |a: A| i128::from(a).clamp(B::MIN.into(), B::MAX.into()) as B)
        } else {
            map1(to, from, |a: A| a as B)
        }), else Err(unknown)), else Err(unknown)),
        (false, true) => match rounding {
            Some(rounding) if integral.is_none() && !flushes && !saturates => {
                from_int(to, to_ty, from, from_ty, rounding).ok_or(unknown)
            }
            _ => Err(unknown),
        },
        (true, false) => match integral {
            // Saturation changes nothing: out of range, the nearest integer is given anyway.
            Some(integral) if rounding.is_none() => {
                to_int(decoder, to, to_ty, from, from_ty, integral, flushes).ok_or(unknown)
            }
            _ => Err(unknown),
        },
        (true, true) => between_floats(decoder, to, to_ty, from, from_ty, mode).ok_or(unknown),
        _ => Err(unknown),
    }
}

fn from_int(to: u32, to_ty: Type, from: u32, from_ty: Type, rounding: Rounding) -> Option<LaneStep> {
    let nearest = rounding == Rounding::Nearest;
    with_int!(from_ty, A => Some(match to_ty {
        Type::F32 if nearest => map1(to, from, |a: A| a as f32),
        Type::F64 if nearest => map1(to, from, |a: A| a as f64),
        Type::F32 => map1(to, from, move |a: A| f32::from_int(a.into(), rounding)),
        Type::F64 => map1(to, from, move |a: A| f64::from_int(a.into(), rounding)),
        // Where f64 does not hold the integer, the half is infinite or the rest is below its last place: rounding to
        // odd keeps the side.
        Type::F16 => map1(to, from, move |a: A| F16::from_f64(odd_f64(a.into()), rounding)),
        Type::Bf16 => map1(to, from, move |a: A| Bf16::from_f64(odd_f64(a.into()), rounding)),
        _ => return None,
    }), else None)
}

fn odd_f64(int: i128) -> f64 {
    let truncated = f64::from_int(int, Rounding::Zero);
    f64::from_bits(truncated.to_bits() | u64::from(truncated as i128 != int))
}

fn to_integral(x: f64, rounding: Rounding) -> f64 {
    match rounding {
        Rounding::Nearest => x.round_ties_even(),
        Rounding::Zero => x.trunc(),
        Rounding::Down => x.floor(),
        Rounding::Up => x.ceil(),
    }
}

/// Halves first become f32, which holds them.
fn widened_half(decoder: &mut Decoder<'_, '_>, from: u32, from_ty: Type) -> Option<(u32, Type)> {
    let wide = decoder.temporary(Class::B32);
    match from_ty {
        Type::F16 => decoder.lanes(map1(wide, from, |a: F16| a.to_f32())),
        Type::Bf16 => decoder.lanes(map1(wide, from, |a: Bf16| a.to_f32())),
        Type::F32 | Type::F64 => return Some((from, from_ty)),
        _ => return None,
    }
    Some((wide, Type::F32))
}

fn to_int(
    decoder: &mut Decoder<'_, '_>,
    to: u32,
    to_ty: Type,
    from: u32,
    from_ty: Type,
    integral: Rounding,
    flushes: bool,
) -> Option<LaneStep> {
    // NaN gives zero, unless one of the types has 64 bits: then the top bit of the result alone is set.
    let is_wide = from_ty == Type::F64 || matches!(to_ty, Type::S64 | Type::U64);
    let (from, from_ty) = widened_half(decoder, from, from_ty)?;
    with_int!(to_ty, B => {
        const TOP: B = 1 << (B::BITS - 1);
        let of_nan = if is_wide { TOP } else { 0 };
        Some(match from_ty {
            Type::F32 => map1(to, from, move |a: f32| {
                let a = if flushes { flush(a) } else { a };
                if a.is_nan() { of_nan } else { to_integral(a.into(), integral) as B }
            }),
            _ => map1(to, from, move |a: f64| if a.is_nan() { of_nan } else { to_integral(a, integral) as B }),
        })
    }, else None)
}

fn between_floats(
    decoder: &mut Decoder<'_, '_>,
    to: u32,
    to_ty: Type,
    from: u32,
    from_ty: Type,
    mode: Mode,
) -> Option<LaneStep> {
    let Mode { rounding, integral, flushes, saturates } = mode;
    let narrows = from_ty.bytes() > to_ty.bytes() || from_ty.is_half() && to_ty.is_half() && from_ty != to_ty;
    // A conversion to fewer bits must say how it rounds, and another one must not.
    if rounding.is_some() != narrows || integral.is_some() && from_ty != to_ty || saturates && to_ty.is_half() {
        return None;
    }
    let rounding = rounding.unwrap_or(Rounding::Nearest);
    let (from, from_ty) = widened_half(decoder, from, from_ty)?;
    let operand = move |a: f32| {
        let a = if flushes { flush(a) } else { a };
        let a = integral.map_or(a, |integral| to_integral(a.into(), integral) as f32);
        if saturates { saturated(a) } else { a }
    };
    let result = move |a: f32| {
        let a = if flushes { flush(a) } else { a };
        if saturates { saturated(a) } else { a }
    };
    Some(match (from_ty, to_ty) {
        (Type::F32, Type::F32) => map1(to, from, operand),
        (Type::F32, Type::F64) => map1(to, from, move |a: f32| f64::from(operand(a))),
        (Type::F32, Type::F16) => map1(to, from, move |a: f32| F16::from_f32(operand(a), rounding)),
        (Type::F32, Type::Bf16) => map1(to, from, move |a: f32| Bf16::from_f32(operand(a), rounding)),
        (_, Type::F64) => map1(to, from, move |a: f64| {
            let a = integral.map_or(a, |integral| to_integral(a, integral));
            if saturates { saturated(a) } else { a }
        }),
        (_, Type::F32) => map1(to, from, move |a: f64| result(narrow(a, rounding))),
        (_, Type::F16) => map1(to, from, move |a: f64| F16::from_f64(a, rounding)),
        (_, Type::Bf16) => map1(to, from, move |a: f64| Bf16::from_f64(a, rounding)),
        _ => return None,
    })
}

/// `cvt.rn.f16x2.f32 d, a, b`: `a` goes to the high half.
fn two_halves(
    decoder: &mut Decoder<'_, '_>,
    instruction: &Instruction,
    from_ty: Type,
    to_ty: Type,
    mode: Mode,
) -> Decoded<()> {
    let (Type::F32, Some(rounding), None, false, false) =
        (from_ty, mode.rounding, mode.integral, mode.flushes, mode.saturates)
    else {
        return Err(decoder.refuse("a conversion that is not known"));
    };
    let [to, high, low] = decoder.operands(instruction)?;
    let (to, rows) = (decoder.result::<u32>(to)?, [decoder.operand::<f32>(high)?, decoder.operand::<f32>(low)?]);
    fn both<H: Half>(high: f32, low: f32, rounding: Rounding) -> u32 {
        Two([H::from_f32(low, rounding), H::from_f32(high, rounding)]).to_bits()
    }
    decoder.lanes(match to_ty {
        Type::F16x2 => map2(to, rows, move |high: f32, low: f32| both::<F16>(high, low, rounding)),
        _ => map2(to, rows, move |high: f32, low: f32| both::<Bf16>(high, low, rounding)),
    });
    Ok(())
}
