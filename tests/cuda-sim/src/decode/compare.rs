//! Comparisons and selections.

use super::decoder::Decoder;
use super::modifiers::Modifiers;
use crate::code::Guard;
use crate::exec::lanes::{LaneStep, compare, select};
use crate::exec::registers::{Class, LANES, Lane, Register, Registers};
use crate::numeric::approx::flush;
use crate::numeric::half::{Bf16, F16, Half};
use crate::ptx::PtxError;
use crate::ptx::syntax::{Instruction, Operand, Type};

type Decoded<T> = Result<T, PtxError>;

/// What all comparisons may be called.
const COMPARISONS: [&str; 18] = [
    "eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan",
];

pub(super) fn decode(decoder: &mut Decoder<'_, '_>, instruction: &Instruction) -> Decoded<()> {
    let modifiers = Modifiers::new(instruction);
    match instruction.opcode.as_str() {
        "setp" => set_predicate(decoder, instruction, modifiers),
        "set" => set_register(decoder, instruction, modifiers),
        "selp" => select_by_predicate(decoder, instruction, modifiers),
        _ => select_by_sign(decoder, instruction, modifiers),
    }
}

/// How a comparison meets a further predicate.
#[derive(Clone, Copy)]
enum Join {
    None,
    And(Guard),
    Or(Guard),
    Xor(Guard),
}

impl Join {
    #[inline(always)]
    fn apply(self, bits: u32, registers: &Registers) -> u32 {
        match self {
            Self::None => bits,
            Self::And(predicate) => bits & predicate.mask(registers),
            Self::Or(predicate) => bits | predicate.mask(registers),
            Self::Xor(predicate) => bits ^ predicate.mask(registers),
        }
    }
}

fn join(decoder: &mut Decoder<'_, '_>, name: Option<&str>, operand: Option<&Operand>) -> Decoded<Join> {
    match (name, operand) {
        (None, None) => Ok(Join::None),
        (Some(name), Some(operand)) => {
            let predicate = decoder.predicate(operand)?;
            Ok(match name {
                "and" => Join::And(predicate),
                "or" => Join::Or(predicate),
                _ => Join::Xor(predicate),
            })
        }
        _ => Err(decoder.refuse("a comparison joins a third operand by a modifier")),
    }
}

/// The operands behind the first: two, or three.
fn compared<'i>(
    decoder: &Decoder<'_, '_>,
    instruction: &'i Instruction,
) -> Decoded<(&'i Operand, [&'i Operand; 2], Option<&'i Operand>)> {
    match instruction.operands.as_slice() {
        [to, a, b] => Ok((to, [a, b], None)),
        [to, a, b, c] => Ok((to, [a, b], Some(c))),
        _ => Err(decoder.refuse("expected three or four operands")),
    }
}

fn set_predicate(
    decoder: &mut Decoder<'_, '_>,
    instruction: &Instruction,
    mut modifiers: Modifiers<'_>,
) -> Decoded<()> {
    let ty = modifiers.ty()?;
    let comparison = modifiers.expect(&COMPARISONS)?;
    let joined_by = modifiers.one_of(&["and", "or", "xor"]);
    let flushes = modifiers.flag("ftz");
    modifiers.end()?;
    let (to, operands, third) = compared(decoder, instruction)?;
    let join = join(decoder, joined_by, third)?;
    let (to, inverse) = match to {
        Operand::Pair(to, inverse) => {
            (decoder.result_row(to, Class::Predicate)?, Some(decoder.result_row(inverse, Class::Predicate)?))
        }
        _ => (decoder.result_row(to, Class::Predicate)?, None),
    };
    let step = comparison_step(decoder, ty, comparison, flushes, operands, move |registers, bits, mask| {
        let inverted = inverse.map(|_| join.apply(!bits, registers));
        registers.write_predicate(to, join.apply(bits, registers), mask);
        if let (Some(inverse), Some(inverted)) = (inverse, inverted) {
            registers.write_predicate(inverse, inverted, mask);
        }
    })?;
    decoder.lanes(step);
    Ok(())
}

/// `set`: all ones, or the number one, where the comparison holds.
fn set_register(decoder: &mut Decoder<'_, '_>, instruction: &Instruction, mut modifiers: Modifiers<'_>) -> Decoded<()> {
    let ty = modifiers.ty()?;
    let to_ty = modifiers.ty()?;
    let comparison = modifiers.expect(&COMPARISONS)?;
    let joined_by = modifiers.one_of(&["and", "or", "xor"]);
    let flushes = modifiers.flag("ftz");
    modifiers.end()?;
    let (class, one) = match to_ty {
        Type::U32 | Type::S32 => (Class::B32, u64::from(u32::MAX)),
        Type::U16 | Type::S16 => (Class::B16, u64::from(u16::MAX)),
        Type::F32 => (Class::B32, u64::from(1.0_f32.to_bits())),
        Type::F16 => (Class::B16, 0x3c00),
        Type::Bf16 => (Class::B16, 0x3f80),
        _ => return Err(decoder.refuse("a type that is not known here")),
    };
    let (to, operands, third) = compared(decoder, instruction)?;
    let join = join(decoder, joined_by, third)?;
    let to = Register { class, index: decoder.result_row(to, class)? };
    let step = comparison_step(decoder, ty, comparison, flushes, operands, move |registers, bits, mask| {
        let bits = join.apply(bits, registers);
        let row = std::array::from_fn(|lane| if bits >> lane & 1 != 0 { one } else { 0 });
        registers.write_truncated(to, &row, mask);
    })?;
    decoder.lanes(step);
    Ok(())
}

#[expect(clippy::neg_cmp_op_on_partial_ord, reason = "an unordered comparison is the negated ordered one")]
fn comparison_step(
    decoder: &mut Decoder<'_, '_>,
    ty: Type,
    comparison: &str,
    flushes: bool,
    operands: [&Operand; 2],
    finish: impl Fn(&mut Registers, u32, u32) + Copy + Send + Sync + 'static,
) -> Decoded<LaneStep> {
    if flushes && ty != Type::F32 {
        return Err(decoder.refuse("a modifier that is not known here"));
    }
    macro_rules! int {
        ($int:ty, $comparison:expr) => {{
            let rows = [decoder.operand::<$int>(operands[0])?, decoder.operand::<$int>(operands[1])?];
            match $comparison {
                "eq" => compare(rows, |a: $int, b| a == b, finish),
                "ne" => compare(rows, |a: $int, b| a != b, finish),
                "lt" | "lo" => compare(rows, |a: $int, b| a < b, finish),
                "le" | "ls" => compare(rows, |a: $int, b| a <= b, finish),
                "gt" | "hi" => compare(rows, |a: $int, b| a > b, finish),
                "ge" | "hs" => compare(rows, |a: $int, b| a >= b, finish),
                _ => return Err(decoder.refuse("a comparison that integers do not have")),
            }
        }};
    }
    macro_rules! float {
        ($float:ty, $value:expr) => {{
            let rows = [decoder.operand::<$float>(operands[0])?, decoder.operand::<$float>(operands[1])?];
            match comparison {
                "eq" => compare(rows, move |a: $float, b| $value(a) == $value(b), finish),
                "ne" => compare(rows, move |a: $float, b| $value(a) < $value(b) || $value(a) > $value(b), finish),
                "lt" => compare(rows, move |a: $float, b| $value(a) < $value(b), finish),
                "le" => compare(rows, move |a: $float, b| $value(a) <= $value(b), finish),
                "gt" => compare(rows, move |a: $float, b| $value(a) > $value(b), finish),
                "ge" => compare(rows, move |a: $float, b| $value(a) >= $value(b), finish),
                "equ" => compare(rows, move |a: $float, b| !($value(a) < $value(b) || $value(a) > $value(b)), finish),
                "neu" => compare(rows, move |a: $float, b| $value(a) != $value(b), finish),
                "ltu" => compare(rows, move |a: $float, b| !($value(a) >= $value(b)), finish),
                "leu" => compare(rows, move |a: $float, b| !($value(a) > $value(b)), finish),
                "gtu" => compare(rows, move |a: $float, b| !($value(a) <= $value(b)), finish),
                "geu" => compare(rows, move |a: $float, b| !($value(a) < $value(b)), finish),
                "num" => compare(rows, move |a: $float, b| !($value(a).is_nan() || $value(b).is_nan()), finish),
                "nan" => compare(rows, move |a: $float, b| $value(a).is_nan() || $value(b).is_nan(), finish),
                _ => return Err(decoder.refuse("a comparison that floats do not have")),
            }
        }};
    }
    let is_bits = matches!(comparison, "eq" | "ne");
    let is_unsigned = matches!(comparison, "lo" | "ls" | "hi" | "hs");
    Ok(match ty {
        Type::B16 if is_bits => int!(u16, comparison),
        Type::B32 if is_bits => int!(u32, comparison),
        Type::B64 if is_bits => int!(u64, comparison),
        Type::U16 => int!(u16, comparison),
        Type::U32 => int!(u32, comparison),
        Type::U64 => int!(u64, comparison),
        Type::S16 if !is_unsigned => int!(i16, comparison),
        Type::S32 if !is_unsigned => int!(i32, comparison),
        Type::S64 if !is_unsigned => int!(i64, comparison),
        Type::F32 if flushes => float!(f32, |x: f32| flush(x)),
        Type::F32 => float!(f32, |x: f32| x),
        Type::F64 => float!(f64, |x: f64| x),
        Type::F16 => float!(F16, |x: F16| x.to_f32()),
        Type::Bf16 => float!(Bf16, |x: Bf16| x.to_f32()),
        _ => return Err(decoder.refuse("a type that is not known here")),
    })
}

fn select_by_predicate(
    decoder: &mut Decoder<'_, '_>,
    instruction: &Instruction,
    mut modifiers: Modifiers<'_>,
) -> Decoded<()> {
    let ty = modifiers.ty()?;
    modifiers.end()?;
    let [to, a, b, predicate] = decoder.operands(instruction)?;
    let Guard { predicate, negated } = decoder.predicate(predicate)?;
    let class = ty.class().ok_or_else(|| decoder.refuse("a type that is not known here"))?;
    let rows = [decoder.operand_row(a, class)?, decoder.operand_row(b, class)?];
    let to = decoder.result_row(to, class)?;
    decoder.lanes(match class {
        Class::B16 => select::<u16>(to, rows, predicate, negated),
        Class::B32 => select::<u32>(to, rows, predicate, negated),
        Class::B64 => select::<u64>(to, rows, predicate, negated),
        Class::Predicate => return Err(decoder.refuse("a type that is not known here")),
    });
    Ok(())
}

/// `slct`: the first operand where the third is not negative.
fn select_by_sign(
    decoder: &mut Decoder<'_, '_>,
    instruction: &Instruction,
    mut modifiers: Modifiers<'_>,
) -> Decoded<()> {
    let sign_ty = modifiers.ty()?;
    let ty = modifiers.ty()?;
    let flushes = modifiers.flag("ftz");
    modifiers.end()?;
    let [to, a, b, sign] = decoder.operands(instruction)?;
    let class = ty.class().ok_or_else(|| decoder.refuse("a type that is not known here"))?;
    let [a, b] =
        [decoder.operand_row(a, class)?, decoder.operand_row(b, class)?].map(|index| Register { class, index });
    let to = Register { class, index: decoder.result_row(to, class)? };
    let sign = decoder.operand::<u32>(sign)?;
    let takes_first: fn(u32) -> bool = match sign_ty {
        Type::S32 => |bits| i32::from_bits(bits) >= 0,
        // Negative zero counts as zero, and NaN as negative; flushing makes negative subnormals zero.
        Type::F32 if flushes => |bits| flush(f32::from_bits(bits)) >= 0.0,
        Type::F32 => |bits| f32::from_bits(bits) >= 0.0,
        _ => return Err(decoder.refuse("a type that is not known here")),
    };
    decoder.lanes(Box::new(move |registers, mask| {
        let [a, b] = [a, b].map(|from| registers.widened(from));
        let sign = registers.row::<u32>(sign);
        let mut out = [0; LANES];
        for lane in 0..LANES {
            out[lane] = if takes_first(sign[lane]) { a[lane] } else { b[lane] };
        }
        registers.write_truncated(to, &out, mask);
    }));
    Ok(())
}
