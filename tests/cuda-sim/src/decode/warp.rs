//! Instructions in which the lanes of a warp exchange values.
//!
//! All but `activemask` name their members, and run when all live members are there; `run` gets exactly those.

use super::decoder::Decoder;
use super::modifiers::Modifiers;
use crate::code::Control;
use crate::exec::lanes::LaneStep;
use crate::exec::registers::{Class, LANES, Register, Row};
use crate::exec::spaces::each;
use crate::ptx::PtxError;
use crate::ptx::syntax::{Instruction, Operand, Type};

type Decoded<T> = Result<T, PtxError>;

/// What a lane gets from a lane that takes no part: the manual says that it is undefined. As a float it is NaN.
const FROM_ABSENT: u32 = u32::MAX;

pub(super) fn decode(decoder: &mut Decoder<'_, '_>, instruction: &Instruction) -> Decoded<()> {
    let mut modifiers = Modifiers::new(instruction);
    if instruction.opcode == "activemask" {
        if modifiers.ty()? != Type::B32 {
            return Err(decoder.refuse("a type that is not known here"));
        }
        modifiers.end()?;
        let [to] = decoder.operands(instruction)?;
        let to = decoder.result::<u32>(to)?;
        decoder.lanes(Box::new(move |registers, mask| registers.write(to, &[mask; LANES], mask)));
        return Ok(());
    }
    if !modifiers.flag("sync") {
        return Err(decoder.refuse("without `.sync` it is not known which lanes take part"));
    }
    match instruction.opcode.as_str() {
        "shfl" => shuffle(decoder, instruction, modifiers),
        "vote" => vote(decoder, instruction, modifiers),
        "match" => match_values(decoder, instruction, modifiers),
        "redux" => reduce(decoder, instruction, modifiers),
        _ => Err(decoder.refuse("an opcode that is not known")),
    }
}

fn converge(decoder: &mut Decoder<'_, '_>, members: u32, name: &'static str, run: LaneStep) {
    decoder.control(Control::Converge { members, name, run: Some(run) });
}

/// A result and, behind a bar, a predicate.
fn with_predicate(decoder: &mut Decoder<'_, '_>, to: &Operand, class: Class) -> Decoded<(Register, Option<u32>)> {
    let (to, predicate) = match to {
        Operand::Pair(to, predicate) => (&**to, Some(decoder.result_row(predicate, Class::Predicate)?)),
        single => (single, None),
    };
    Ok((Register { class, index: decoder.result_row(to, class)? }, predicate))
}

fn shuffle(decoder: &mut Decoder<'_, '_>, instruction: &Instruction, mut modifiers: Modifiers<'_>) -> Decoded<()> {
    if modifiers.ty()? != Type::B32 {
        return Err(decoder.refuse("a type that is not known here"));
    }
    let kind = modifiers.expect(&["up", "down", "bfly", "idx"])?;
    modifiers.end()?;
    let [to, from, by, clamp, members] = decoder.operands(instruction)?;
    let (to, predicate) = with_predicate(decoder, to, Class::B32)?;
    let [from, by, clamp, members] = [from, by, clamp, members].map(|operand| decoder.operand::<u32>(operand));
    let (from, by, clamp, members) = (from?, by?, clamp?, members?);
    // The lane that a lane reads, if it is one of its segment.
    let source: fn(u32, u32, u32, u32) -> (u32, bool) = match kind {
        "up" => |lane, by, least, _| (lane.wrapping_sub(by), lane.wrapping_sub(by) as i32 >= least as i32),
        "down" => |lane, by, most, _| (lane + by, lane + by <= most),
        "bfly" => |lane, by, most, _| (lane ^ by, lane ^ by <= most),
        _ => |_, by, most, segment| (segment | by, segment | by <= most),
    };
    let is_index = kind == "idx";
    converge(
        decoder,
        members,
        "a shuffle",
        Box::new(move |registers, mask| {
            let [values, by, clamp] = [from, by, clamp].map(|row| registers.row::<u32>(row));
            let mut out = [0; LANES];
            let mut inside = 0;
            for lane in 0..LANES as u32 {
                let at = lane as usize;
                let (clamp, segment) = (clamp[at] & 31, clamp[at] >> 8 & 31);
                let (first, bound) = (lane & segment, lane & segment | clamp & !segment);
                let by = if is_index { by[at] & 31 & !segment } else { by[at] & 31 };
                let (source, is_inside) = source(lane, by, bound, first);
                let source = if is_inside { source } else { lane };
                inside |= u32::from(is_inside) << lane;
                out[at] = if mask >> source & 1 != 0 { values[source as usize] } else { FROM_ABSENT };
            }
            registers.write(to.index, &out, mask);
            if let Some(predicate) = predicate {
                registers.write_predicate(predicate, inside, mask);
            }
        }),
    );
    Ok(())
}

fn vote(decoder: &mut Decoder<'_, '_>, instruction: &Instruction, mut modifiers: Modifiers<'_>) -> Decoded<()> {
    let ty = modifiers.ty()?;
    let kind = modifiers.expect(&["all", "any", "uni", "ballot"])?;
    modifiers.end()?;
    let [to, predicate, members] = decoder.operands(instruction)?;
    let (predicate, members) = (decoder.predicate(predicate)?, decoder.operand::<u32>(members)?);
    let step: LaneStep = match (kind, ty) {
        ("ballot", Type::B32) => {
            let to = decoder.result::<u32>(to)?;
            Box::new(move |registers, mask| {
                let votes = predicate.mask(registers) & mask;
                registers.write(to, &[votes; LANES], mask);
            })
        }
        ("all" | "any" | "uni", Type::Pred) => {
            let to = decoder.result_row(to, Class::Predicate)?;
            let holds: fn(u32, u32) -> bool = match kind {
                "all" => |votes, mask| votes == mask,
                "any" => |votes, _| votes != 0,
                _ => |votes, mask| votes == mask || votes == 0,
            };
            Box::new(move |registers, mask| {
                let votes = predicate.mask(registers) & mask;
                registers.write_predicate(to, if holds(votes, mask) { u32::MAX } else { 0 }, mask);
            })
        }
        _ => return Err(decoder.refuse("a type that is not known here")),
    };
    converge(decoder, members, "a vote", step);
    Ok(())
}

fn match_values(decoder: &mut Decoder<'_, '_>, instruction: &Instruction, mut modifiers: Modifiers<'_>) -> Decoded<()> {
    let ty = modifiers.ty()?;
    let all = modifiers.expect(&["any", "all"])? == "all";
    modifiers.end()?;
    let class = match ty {
        Type::B32 => Class::B32,
        Type::B64 => Class::B64,
        _ => return Err(decoder.refuse("a type that is not known here")),
    };
    let [to, from, members] = decoder.operands(instruction)?;
    let (to, predicate) = with_predicate(decoder, to, Class::B32)?;
    let from = Register { class, index: decoder.operand_row(from, class)? };
    let members = decoder.operand::<u32>(members)?;
    converge(
        decoder,
        members,
        "a match",
        Box::new(move |registers, mask| {
            let values = registers.widened(from);
            let equal: Row<u32> = std::array::from_fn(|lane| {
                each(mask).filter(|&other| values[other] == values[lane]).fold(0, |lanes, other| lanes | 1 << other)
            });
            let agree = equal[mask.trailing_zeros() as usize] == mask;
            let out = if !all {
                equal
            } else if agree {
                [mask; LANES]
            } else {
                [0; LANES]
            };
            registers.write(to.index, &out, mask);
            if let Some(predicate) = predicate {
                registers.write_predicate(predicate, if agree { u32::MAX } else { 0 }, mask);
            }
        }),
    );
    Ok(())
}

fn reduce(decoder: &mut Decoder<'_, '_>, instruction: &Instruction, mut modifiers: Modifiers<'_>) -> Decoded<()> {
    let ty = modifiers.ty()?;
    let operation = modifiers.expect(&["add", "min", "max", "and", "or", "xor"])?;
    modifiers.end()?;
    let function: fn(u32, u32) -> u32 = match (operation, ty) {
        ("add", Type::U32 | Type::S32) => u32::wrapping_add,
        ("min", Type::U32) => |a, b| a.min(b),
        ("max", Type::U32) => |a, b| a.max(b),
        ("min", Type::S32) => |a, b| (a as i32).min(b as i32) as u32,
        ("max", Type::S32) => |a, b| (a as i32).max(b as i32) as u32,
        ("and", Type::B32) => |a, b| a & b,
        ("or", Type::B32) => |a, b| a | b,
        ("xor", Type::B32) => |a, b| a ^ b,
        _ => return Err(decoder.refuse("an operation that the type does not have")),
    };
    let [to, from, members] = decoder.operands(instruction)?;
    let to = decoder.result::<u32>(to)?;
    let (from, members) = (decoder.operand::<u32>(from)?, decoder.operand::<u32>(members)?);
    converge(
        decoder,
        members,
        "a reduction",
        Box::new(move |registers, mask| {
            let values = registers.row::<u32>(from);
            let total = each(mask).map(|lane| values[lane]).reduce(function).unwrap_or(0);
            registers.write(to, &[total; LANES], mask);
        }),
    );
    Ok(())
}
