//! Integer arithmetic and bits.

use super::decoder::{CARRY, Decoder};
use super::modifiers::Modifiers;
use crate::exec::lanes::{LaneStep, map1, map2, map3};
use crate::exec::registers::{Class, Lane};
use crate::ptx::PtxError;
use crate::ptx::syntax::{Instruction, Operand, Type};

type Decoded<T> = Result<T, PtxError>;

/// Evaluates an expression with `$T` the Rust type of an integer type.
macro_rules! with_int {
    ($decoder:expr, $ty:expr, $T:ident => $body:expr) => {
        match $ty {
            Type::U16 | Type::B16 => {
                type $T = u16;
                $body
            }
            Type::U32 | Type::B32 => {
                type $T = u32;
                $body
            }
            Type::U64 | Type::B64 => {
                type $T = u64;
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
            _ => return Err($decoder.refuse("a type that is not known here")),
        }
    };
}

/// What the instructions need beside the methods of Rust's integers.
pub(crate) trait Int: Lane + Ord {
    fn mul_high(self, other: Self) -> Self;
    fn quotient(self, other: Self) -> Self;
    fn remainder(self, other: Self) -> Self;
    /// Sum and carry out, of the bits as unsigned numbers.
    fn add_carry(self, other: Self, carry: bool) -> (Self, bool);
    /// Difference and borrow out, of the bits as unsigned numbers.
    fn sub_borrow(self, other: Self, borrow: bool) -> (Self, bool);
}

macro_rules! impl_int {
    ($($int:ty, $unsigned:ty, $wide:ty);*) => {$(
        impl Int for $int {
            #[inline(always)]
            fn mul_high(self, other: Self) -> Self {
                ((<$wide>::from(self) * <$wide>::from(other)) >> <$int>::BITS) as Self
            }

            // The hardware gives all ones for a division by zero, and the dividend for its remainder.
            #[inline(always)]
            fn quotient(self, other: Self) -> Self {
                if other == 0 { !0 } else { self.wrapping_div(other) }
            }

            #[inline(always)]
            fn remainder(self, other: Self) -> Self {
                if other == 0 { self } else { self.wrapping_rem(other) }
            }

            #[inline(always)]
            fn add_carry(self, other: Self, carry: bool) -> (Self, bool) {
                let (sum, first) = (self as $unsigned).overflowing_add(other as $unsigned);
                let (sum, second) = sum.overflowing_add(<$unsigned>::from(carry));
                (sum as Self, first | second)
            }

            #[inline(always)]
            fn sub_borrow(self, other: Self, borrow: bool) -> (Self, bool) {
                let (rest, first) = (self as $unsigned).overflowing_sub(other as $unsigned);
                let (rest, second) = rest.overflowing_sub(<$unsigned>::from(borrow));
                (rest as Self, first | second)
            }
        }
    )*};
}

impl_int!(u16, u16, u32; u32, u32, u64; u64, u64, u128; i16, u16, i32; i32, u32, i64; i64, u64, i128);

pub(super) fn decode(decoder: &mut Decoder<'_, '_>, instruction: &Instruction) -> Decoded<()> {
    let mut modifiers = Modifiers::new(instruction);
    match instruction.opcode.as_str() {
        "add" | "sub" | "addc" | "subc" => sum(decoder, instruction, modifiers),
        "mul" | "mad" | "madc" => product(decoder, instruction, modifiers),
        "mul24" | "mad24" => product24(decoder, instruction, modifiers),
        "and" | "or" | "xor" | "not" | "cnot" => logic(decoder, instruction, modifiers),
        "shl" | "shr" => shift(decoder, instruction, modifiers),
        "shf" => funnel_shift(decoder, instruction, modifiers),
        "bfe" => extract(decoder, instruction, modifiers),
        "bfi" => insert(decoder, instruction, modifiers),
        "prmt" => permute(decoder, instruction, modifiers),
        "lop3" => lookup(decoder, instruction, modifiers),
        "dp4a" | "dp2a" => dot_product(decoder, instruction, modifiers),
        "popc" | "clz" | "brev" | "bfind" => count(decoder, instruction, modifiers),
        "div" | "rem" | "min" | "max" => {
            let ty = modifiers.ty()?;
            modifiers.end()?;
            let opcode = instruction.opcode.as_str();
            let step = with_int!(decoder, ty, T => {
                let (to, rows) = binary::<T>(decoder, instruction)?;
                match opcode {
                    "div" => map2(to, rows, |a: T, b: T| a.quotient(b)),
                    "rem" => map2(to, rows, |a: T, b: T| a.remainder(b)),
                    "min" => map2(to, rows, |a: T, b: T| a.min(b)),
                    _ => map2(to, rows, |a: T, b: T| a.max(b)),
                }
            });
            decoder.lanes(step);
            Ok(())
        }
        "neg" | "abs" => {
            let ty = modifiers.ty()?;
            modifiers.end()?;
            let [to, a] = decoder.operands(instruction)?;
            let negates = instruction.opcode == "neg";
            let step = with_int!(decoder, ty, T => {
                let (to, a) = (decoder.result::<T>(to)?, decoder.operand::<T>(a)?);
                if negates {
                    map1(to, a, |a: T| a.wrapping_neg())
                } else {
                    map1(to, a, |a: T| if a.leading_zeros() == 0 { a.wrapping_neg() } else { a })
                }
            });
            decoder.lanes(step);
            Ok(())
        }
        "sad" => {
            let ty = modifiers.ty()?;
            modifiers.end()?;
            let step = with_int!(decoder, ty, T => {
                let (to, rows) = ternary::<T>(decoder, instruction)?;
                map3(to, rows, |a: T, b: T, c: T| c.wrapping_add(a.max(b).wrapping_sub(a.min(b))))
            });
            decoder.lanes(step);
            Ok(())
        }
        _ => Err(decoder.refuse("an opcode that is not known")),
    }
}

fn binary<T: Lane>(decoder: &mut Decoder<'_, '_>, instruction: &Instruction) -> Decoded<(u32, [u32; 2])> {
    let [to, a, b] = decoder.operands(instruction)?;
    Ok((decoder.result::<T>(to)?, [decoder.operand::<T>(a)?, decoder.operand::<T>(b)?]))
}

fn ternary<T: Lane>(decoder: &mut Decoder<'_, '_>, instruction: &Instruction) -> Decoded<(u32, [u32; 3])> {
    let [to, a, b, c] = decoder.operands(instruction)?;
    Ok((decoder.result::<T>(to)?, [decoder.operand::<T>(a)?, decoder.operand::<T>(b)?, decoder.operand::<T>(c)?]))
}

/// Sums and differences, with carry or without.
fn sum(decoder: &mut Decoder<'_, '_>, instruction: &Instruction, mut modifiers: Modifiers<'_>) -> Decoded<()> {
    let ty = modifiers.ty()?;
    let (saturates, writes) = (modifiers.flag("sat"), modifiers.flag("cc"));
    modifiers.end()?;
    let opcode = instruction.opcode.as_str();
    let (adds, reads) = (opcode.starts_with("add"), opcode.ends_with('c'));
    if saturates {
        if ty != Type::S32 || reads || writes {
            return Err(decoder.refuse("only 32-bit signed sums saturate"));
        }
        let (to, rows) = binary::<i32>(decoder, instruction)?;
        decoder.lanes(if adds { map2(to, rows, i32::saturating_add) } else { map2(to, rows, i32::saturating_sub) });
        return Ok(());
    }
    let step = with_int!(decoder, ty, T => {
        let (to, [a, b]) = binary::<T>(decoder, instruction)?;
        match (reads || writes, adds) {
            (false, true) => map2(to, [a, b], T::wrapping_add),
            (false, false) => map2(to, [a, b], T::wrapping_sub),
            (true, true) => {
                carrying::<T>(to, [a, b, b], reads, writes, |a, b, _, carry| a.add_carry(b, carry))
            }
            (true, false) => {
                carrying::<T>(to, [a, b, b], reads, writes, |a, b, _, borrow| a.sub_borrow(b, borrow))
            }
        }
    });
    decoder.lanes(step);
    Ok(())
}

fn product(decoder: &mut Decoder<'_, '_>, instruction: &Instruction, mut modifiers: Modifiers<'_>) -> Decoded<()> {
    let ty = modifiers.ty()?;
    let part = modifiers.expect(&["lo", "hi", "wide"])?;
    let writes = modifiers.flag("cc");
    modifiers.end()?;
    let opcode = instruction.opcode.as_str();
    let reads = opcode == "madc";
    let step = match (part, opcode) {
        ("wide", "mul") => wide_product(decoder, instruction, ty)?,
        ("wide", "mad") if !writes => wide_sum(decoder, instruction, ty)?,
        ("wide", _) => return Err(decoder.refuse("a wide product has no carry")),
        (_, "mul") => with_int!(decoder, ty, T => {
            let (to, rows) = binary::<T>(decoder, instruction)?;
            if part == "lo" { map2(to, rows, T::wrapping_mul) } else { map2(to, rows, |a: T, b: T| a.mul_high(b)) }
        }),
        _ => with_int!(decoder, ty, T => {
            let (to, rows) = ternary::<T>(decoder, instruction)?;
            match (reads || writes, part) {
                (false, "lo") => map3(to, rows, |a: T, b: T, c: T| a.wrapping_mul(b).wrapping_add(c)),
                (false, _) => map3(to, rows, |a: T, b: T, c: T| a.mul_high(b).wrapping_add(c)),
                (true, "lo") => {
                    carrying::<T>(to, rows, reads, writes, |a, b, c, carry| a.wrapping_mul(b).add_carry(c, carry))
                }
                (true, _) => carrying::<T>(to, rows, reads, writes, |a, b, c, carry| a.mul_high(b).add_carry(c, carry)),
            }
        }),
    };
    decoder.lanes(step);
    Ok(())
}

macro_rules! with_wide {
    ($decoder:expr, $ty:expr, $T:ident, $W:ident => $body:expr) => {
        match $ty {
            Type::U16 => {
                type $T = u16;
                type $W = u32;
                $body
            }
            Type::S16 => {
                type $T = i16;
                type $W = i32;
                $body
            }
            Type::U32 => {
                type $T = u32;
                type $W = u64;
                $body
            }
            Type::S32 => {
                type $T = i32;
                type $W = i64;
                $body
            }
            _ => return Err($decoder.refuse("a type that is not known here")),
        }
    };
}

fn wide_product(decoder: &mut Decoder<'_, '_>, instruction: &Instruction, ty: Type) -> Decoded<LaneStep> {
    let [to, a, b] = decoder.operands(instruction)?;
    Ok(with_wide!(decoder, ty, T, W => {
        let (to, rows) = (decoder.result::<W>(to)?, [decoder.operand::<T>(a)?, decoder.operand::<T>(b)?]);
        map2(to, rows, |a: T, b: T| W::from(a).wrapping_mul(W::from(b)))
    }))
}

fn wide_sum(decoder: &mut Decoder<'_, '_>, instruction: &Instruction, ty: Type) -> Decoded<LaneStep> {
    let [to, a, b, c] = decoder.operands(instruction)?;
    Ok(with_wide!(decoder, ty, T, W => {
        let rows = [decoder.operand::<T>(a)?, decoder.operand::<T>(b)?, decoder.operand::<W>(c)?];
        map3(decoder.result::<W>(to)?, rows, |a: T, b: T, c: W| W::from(a).wrapping_mul(W::from(b)).wrapping_add(c))
    }))
}

/// An operation that reads or writes the carry of its lane.
fn carrying<T: Lane>(
    to: u32,
    rows: [u32; 3],
    reads: bool,
    writes: bool,
    function: impl Fn(T, T, T, bool) -> (T, bool) + Send + Sync + 'static,
) -> LaneStep {
    Box::new(move |registers, mask| {
        let [a, b, c] = rows.map(|row| registers.lanes::<T>(row));
        let carries = if reads { registers.predicates[CARRY as usize] } else { 0 };
        let mut carried = 0;
        let out = std::array::from_fn(|lane| {
            let (value, carry) = function(a[lane], b[lane], c[lane], carries >> lane & 1 != 0);
            carried |= u32::from(carry) << lane;
            value
        });
        registers.write_lanes(to, &out, mask);
        if writes {
            registers.write_predicate(CARRY, carried, mask);
        }
    })
}

/// Products of the low 24 bits.
fn product24(decoder: &mut Decoder<'_, '_>, instruction: &Instruction, mut modifiers: Modifiers<'_>) -> Decoded<()> {
    let ty = modifiers.ty()?;
    let is_high = modifiers.expect(&["lo", "hi"])? == "hi";
    modifiers.end()?;
    let sum = instruction.opcode == "mad24";
    let (to, rows) = if sum {
        ternary::<u32>(decoder, instruction)?
    } else {
        let (to, [a, b]) = binary::<u32>(decoder, instruction)?;
        (to, [a, b, decoder.constant(Class::B32, 0)])
    };
    let signed = match ty {
        Type::S32 => true,
        Type::U32 => false,
        _ => return Err(decoder.refuse("a type that is not known here")),
    };
    let extend = move |a: u32| {
        if signed { i64::from((a << 8) as i32 >> 8) } else { i64::from(a & 0xff_ffff) }
    };
    decoder.lanes(map3(to, rows, move |a: u32, b: u32, c: u32| {
        let product = extend(a) * extend(b);
        (if is_high { product >> 16 } else { product } as u32).wrapping_add(c)
    }));
    Ok(())
}

fn logic(decoder: &mut Decoder<'_, '_>, instruction: &Instruction, mut modifiers: Modifiers<'_>) -> Decoded<()> {
    let ty = modifiers.ty()?;
    modifiers.end()?;
    let opcode = instruction.opcode.as_str();
    if ty == Type::Pred {
        return predicate_logic(decoder, instruction);
    }
    if !matches!(ty, Type::B16 | Type::B32 | Type::B64) {
        return Err(decoder.refuse("a type that is not known here"));
    }
    let step = with_int!(decoder, ty, T => match opcode {
        "not" | "cnot" => {
            let [to, a] = decoder.operands(instruction)?;
            let (to, a) = (decoder.result::<T>(to)?, decoder.operand::<T>(a)?);
            if opcode == "not" { map1(to, a, |a: T| !a) } else { map1(to, a, |a: T| T::from(a == 0)) }
        }
        _ => {
            let (to, rows) = binary::<T>(decoder, instruction)?;
            match opcode {
                "and" => map2(to, rows, |a: T, b: T| a & b),
                "or" => map2(to, rows, |a: T, b: T| a | b),
                _ => map2(to, rows, |a: T, b: T| a ^ b),
            }
        }
    });
    decoder.lanes(step);
    Ok(())
}

fn predicate_logic(decoder: &mut Decoder<'_, '_>, instruction: &Instruction) -> Decoded<()> {
    let to = instruction.operands.first().ok_or_else(|| decoder.refuse("expected operands"))?;
    let to = decoder.result_row(to, Class::Predicate)?;
    let from =
        instruction.operands[1..].iter().map(|operand| decoder.predicate(operand)).collect::<Decoded<Vec<_>>>()?;
    let step: LaneStep = match (instruction.opcode.as_str(), from.as_slice()) {
        ("not", &[a]) => Box::new(move |registers, mask| registers.write_predicate(to, !a.mask(registers), mask)),
        ("and", &[a, b]) => Box::new(move |registers, mask| {
            registers.write_predicate(to, a.mask(registers) & b.mask(registers), mask);
        }),
        ("or", &[a, b]) => Box::new(move |registers, mask| {
            registers.write_predicate(to, a.mask(registers) | b.mask(registers), mask);
        }),
        ("xor", &[a, b]) => Box::new(move |registers, mask| {
            registers.write_predicate(to, a.mask(registers) ^ b.mask(registers), mask);
        }),
        _ => return Err(decoder.refuse("operands that are not known here")),
    };
    decoder.lanes(step);
    Ok(())
}

fn shift(decoder: &mut Decoder<'_, '_>, instruction: &Instruction, mut modifiers: Modifiers<'_>) -> Decoded<()> {
    let ty = modifiers.ty()?;
    modifiers.end()?;
    let [to, a, b] = decoder.operands(instruction)?;
    let left = instruction.opcode == "shl";
    let step = with_int!(decoder, ty, T => {
        let (to, rows) = (decoder.result::<T>(to)?, [decoder.operand::<T>(a)?, decoder.operand::<u32>(b)?]);
        // Counts over the width shift everything out; a negative number leaves its sign.
        if left {
            map2(to, rows, |a: T, by: u32| if by < T::BITS { a << by } else { 0 })
        } else {
            map2(to, rows, |a: T, by: u32| if by < T::BITS { a >> by } else { a >> (T::BITS - 1) >> u32::from(T::MIN == 0) })
        }
    });
    decoder.lanes(step);
    Ok(())
}

/// `shf.l`: the high word of `b:a << c`; `shf.r`: the low word of `b:a >> c`.
fn funnel_shift(decoder: &mut Decoder<'_, '_>, instruction: &Instruction, mut modifiers: Modifiers<'_>) -> Decoded<()> {
    if modifiers.ty()? != Type::B32 {
        return Err(decoder.refuse("a type that is not known here"));
    }
    let left = modifiers.expect(&["l", "r"])? == "l";
    let wraps = modifiers.expect(&["wrap", "clamp"])? == "wrap";
    modifiers.end()?;
    let (to, rows) = ternary::<u32>(decoder, instruction)?;
    let count = move |c: u32| if wraps { c & 31 } else { c.min(32) };
    let join = |a: u32, b: u32| u64::from(b) << 32 | u64::from(a);
    decoder.lanes(if left {
        map3(to, rows, move |a: u32, b: u32, c: u32| (join(a, b) << count(c) >> 32) as u32)
    } else {
        map3(to, rows, move |a: u32, b: u32, c: u32| (join(a, b) >> count(c)) as u32)
    });
    Ok(())
}

fn extract(decoder: &mut Decoder<'_, '_>, instruction: &Instruction, mut modifiers: Modifiers<'_>) -> Decoded<()> {
    let ty = modifiers.ty()?;
    modifiers.end()?;
    let [to, a, position, length] = decoder.operands(instruction)?;
    let (position, length) = (decoder.operand::<u32>(position)?, decoder.operand::<u32>(length)?);
    let step = match ty {
        Type::U32 => {
            let (to, a) = (decoder.result::<u32>(to)?, decoder.operand::<u32>(a)?);
            map3(to, [a, position, length], |a: u32, p: u32, n: u32| field(a.into(), 32, false, p, n) as u32)
        }
        Type::S32 => {
            let (to, a) = (decoder.result::<u32>(to)?, decoder.operand::<u32>(a)?);
            map3(to, [a, position, length], |a: u32, p: u32, n: u32| field(a.into(), 32, true, p, n) as u32)
        }
        Type::U64 => {
            let (to, a) = (decoder.result::<u64>(to)?, decoder.operand::<u64>(a)?);
            map3(to, [a, position, length], |a: u64, p: u32, n: u32| field(a, 64, false, p, n))
        }
        Type::S64 => {
            let (to, a) = (decoder.result::<u64>(to)?, decoder.operand::<u64>(a)?);
            map3(to, [a, position, length], |a: u64, p: u32, n: u32| field(a, 64, true, p, n))
        }
        _ => return Err(decoder.refuse("a type that is not known here")),
    };
    decoder.lanes(step);
    Ok(())
}

/// The `length` bits from `position` of a number of `width` bits; above them zeros, or copies of the field's last bit
/// that is in the number.
fn field(a: u64, width: u32, signed: bool, position: u32, length: u32) -> u64 {
    let (position, length) = (position & 0xff, length & 0xff);
    if length == 0 {
        return 0;
    }
    let in_number = if position < width { a >> position } else { 0 };
    let last = (position + length - 1).min(width - 1);
    let fill = if signed && a >> last & 1 != 0 { u64::MAX } else { 0 };
    let known = length.min(width.saturating_sub(position));
    let mask = if known >= 64 { u64::MAX } else { (1 << known) - 1 };
    in_number & mask | fill & !mask
}

fn insert(decoder: &mut Decoder<'_, '_>, instruction: &Instruction, mut modifiers: Modifiers<'_>) -> Decoded<()> {
    let ty = modifiers.ty()?;
    modifiers.end()?;
    let (class, width) = match ty {
        Type::B32 => (Class::B32, 32),
        Type::B64 => (Class::B64, 64),
        _ => return Err(decoder.refuse("a type that is not known here")),
    };
    let [to, a, b, position, length] = decoder.operands(instruction)?;
    let to = crate::exec::registers::Register { class, index: decoder.result_row(to, class)? };
    let [a, b] = [decoder.operand_register(a, class)?, decoder.operand_register(b, class)?];
    let (position, length) = (decoder.operand::<u32>(position)?, decoder.operand::<u32>(length)?);
    decoder.lanes(Box::new(move |registers, mask| {
        let [a, b] = [a, b].map(|from| registers.widened(from));
        let [position, length] = [position, length].map(|row| registers.row::<u32>(row).map(|bits| bits & 0xff));
        let out = std::array::from_fn(|lane| {
            let ones = if length[lane] >= 64 { u64::MAX } else { (1 << length[lane]) - 1 };
            let place = if position[lane] < width { ones << position[lane] } else { 0 };
            let moved = if position[lane] < width { a[lane] << position[lane] } else { 0 };
            b[lane] & !place | moved & place
        });
        registers.write_truncated(to, &out, mask);
    }));
    Ok(())
}

/// Picks bytes of `b:a`.
fn permute(decoder: &mut Decoder<'_, '_>, instruction: &Instruction, mut modifiers: Modifiers<'_>) -> Decoded<()> {
    let mode = modifiers.one_of(&["f4e", "b4e", "rc8", "ecl", "ecr", "rc16"]);
    if modifiers.ty()? != Type::B32 {
        return Err(decoder.refuse("a type that is not known here"));
    }
    modifiers.end()?;
    let (to, rows) = ternary::<u32>(decoder, instruction)?;
    // Which byte goes to place `i` for a selector `c`; only the default mode reads sign bits.
    let selector: fn(u32, u32) -> u32 = match mode {
        None => |c, i| c >> (4 * i) & 15,
        Some("f4e") => |c, i| (c + i) & 7,
        Some("b4e") => |c, i| c.wrapping_sub(i) & 7,
        Some("rc8") => |c, _| c & 3,
        Some("ecl") => |c, i| i.max(c & 3),
        Some("ecr") => |c, i| i.min(c & 3),
        _ => |c, i| (c & 1) * 2 + (i & 1),
    };
    // Modes other than the default read two bits of the selector, of which the first two need three of the sum.
    let low_bits = mode.is_some();
    decoder.lanes(map3(to, rows, move |a: u32, b: u32, c: u32| {
        let bytes = (u64::from(b) << 32 | u64::from(a)).to_le_bytes();
        let c = if low_bits { c & 3 } else { c };
        let picked = std::array::from_fn(|i| {
            let selector = selector(c, i as u32);
            let byte = bytes[(selector & 7) as usize];
            if selector & 8 != 0 { (byte as i8 >> 7) as u8 } else { byte }
        });
        u32::from_le_bytes(picked)
    }));
    Ok(())
}

/// Any logical function of three operands, as a table of eight bits.
fn lookup(decoder: &mut Decoder<'_, '_>, instruction: &Instruction, mut modifiers: Modifiers<'_>) -> Decoded<()> {
    if modifiers.ty()? != Type::B32 {
        return Err(decoder.refuse("a type that is not known here"));
    }
    modifiers.end()?;
    let [to, a, b, c, table] = decoder.operands(instruction)?;
    let Operand::Int(table) = *table else { return Err(decoder.refuse("expected a constant table")) };
    let rows = [decoder.operand::<u32>(a)?, decoder.operand::<u32>(b)?, decoder.operand::<u32>(c)?];
    let to = decoder.result::<u32>(to)?;
    decoder.lanes(map3(to, rows, move |a: u32, b: u32, c: u32| {
        let term = |index: u32| {
            let [a, b, c] =
                [(a, index & 4), (b, index & 2), (c, index & 1)].map(|(x, set)| if set != 0 { x } else { !x });
            if table >> index & 1 != 0 { a & b & c } else { 0 }
        };
        (0..8).fold(0, |bits, index| bits | term(index))
    }));
    Ok(())
}

/// Sums of products of bytes.
fn dot_product(decoder: &mut Decoder<'_, '_>, instruction: &Instruction, mut modifiers: Modifiers<'_>) -> Decoded<()> {
    let of_b = modifiers.ty()?;
    let of_a = modifiers.ty()?;
    let half = if instruction.opcode == "dp2a" { Some(modifiers.expect(&["lo", "hi"])? == "hi") } else { None };
    modifiers.end()?;
    if !matches!((of_a, of_b), (Type::U32 | Type::S32, Type::U32 | Type::S32)) {
        return Err(decoder.refuse("a type that is not known here"));
    }
    let (to, rows) = ternary::<u32>(decoder, instruction)?;
    let byte = |x: u32, i: u32, ty: Type| {
        let byte = (x >> (8 * i)) as u8;
        if ty.is_signed() { i32::from(byte as i8) } else { i32::from(byte) }
    };
    let word = |x: u32, i: u32, ty: Type| {
        let word = (x >> (16 * i)) as u16;
        if ty.is_signed() { i32::from(word as i16) } else { i32::from(word) }
    };
    decoder.lanes(match half {
        None => map3(to, rows, move |a: u32, b: u32, c: u32| {
            let products = (0..4).map(|i| byte(a, i, of_a).wrapping_mul(byte(b, i, of_b)));
            products.fold(c, |sum, product| sum.wrapping_add(product as u32))
        }),
        Some(is_high) => map3(to, rows, move |a: u32, b: u32, c: u32| {
            let first = if is_high { 2 } else { 0 };
            let products = (0..2).map(|i| word(a, i, of_a).wrapping_mul(byte(b, first + i, of_b)));
            products.fold(c, |sum, product| sum.wrapping_add(product as u32))
        }),
    });
    Ok(())
}

fn count(decoder: &mut Decoder<'_, '_>, instruction: &Instruction, mut modifiers: Modifiers<'_>) -> Decoded<()> {
    let ty = modifiers.ty()?;
    let as_shift = modifiers.flag("shiftamt");
    modifiers.end()?;
    let opcode = instruction.opcode.as_str();
    if as_shift && opcode != "bfind" {
        return Err(decoder.refuse("a modifier that is not known here"));
    }
    let [to, a] = decoder.operands(instruction)?;
    let step = with_int!(decoder, ty, T => {
        let a = decoder.operand::<T>(a)?;
        match opcode {
            "brev" => map1(decoder.result::<T>(to)?, a, |a: T| a.reverse_bits()),
            "popc" => map1(decoder.result::<u32>(to)?, a, |a: T| a.count_ones()),
            "clz" => map1(decoder.result::<u32>(to)?, a, |a: T| a.leading_zeros()),
            _ => map1(decoder.result::<u32>(to)?, a, move |a: T| {
                // Of a negative number, the first bit that is not its sign.
                let zeros = if T::MIN != 0 && a.leading_zeros() == 0 { (!a).leading_zeros() } else { a.leading_zeros() };
                match (zeros == T::BITS, as_shift) {
                    (true, _) => u32::MAX,
                    (false, true) => zeros,
                    (false, false) => T::BITS - 1 - zeros,
                }
            }),
        }
    });
    decoder.lanes(step);
    Ok(())
}
