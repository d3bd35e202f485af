//! Moves between registers, and addresses between spaces.

use super::decoder::{Decoder, Place};
use super::modifiers::Modifiers;
use crate::exec::lanes::{LaneStep, map1};
use crate::exec::memory_step::MemoryStep;
use crate::exec::registers::{Class, LANES, Register, Row};
use crate::exec::spaces::AddressSpace;
use crate::memory::{LOCAL_BASE, PARAM_BASE, SHARED_BASE};
use crate::ptx::PtxError;
use crate::ptx::syntax::{Instruction, Operand, Type};

type Decoded<T> = Result<T, PtxError>;

pub(super) fn decode(decoder: &mut Decoder<'_, '_>, instruction: &Instruction) -> Decoded<()> {
    let modifiers = Modifiers::new(instruction);
    match instruction.opcode.as_str() {
        "mov" => move_value(decoder, instruction, modifiers),
        "cvta" => convert_address(decoder, instruction, modifiers),
        _ => Err(decoder.refuse("an opcode that is not known")),
    }
}

fn move_value(decoder: &mut Decoder<'_, '_>, instruction: &Instruction, mut modifiers: Modifiers<'_>) -> Decoded<()> {
    let ty = modifiers.ty()?;
    modifiers.end()?;
    let [to, from] = decoder.operands(instruction)?;
    match (to, from) {
        (Operand::Vector(parts), _) => return unpack(decoder, ty, parts, from),
        (_, Operand::Vector(parts)) => return pack(decoder, ty, to, parts),
        _ => {}
    }
    let class = ty.class().ok_or_else(|| decoder.refuse("a type that is not known here"))?;
    let to = decoder.result_row(to, class)?;
    if let Operand::Name(name) = from
        && decoder.register(name)?.is_none()
        && let Ok(place) = decoder.place(name)
    {
        let step = address_of(decoder, Register { class, index: to }, place)?;
        decoder.memory(step);
        return Ok(());
    }
    let from = decoder.operand_row(from, class)?;
    decoder.lanes(copy(class, to, from));
    Ok(())
}

/// Copies a register into another of its class.
fn copy(class: Class, to: u32, from: u32) -> LaneStep {
    match class {
        Class::Predicate => Box::new(move |registers, mask| {
            let bits = registers.predicates[from as usize];
            registers.write_predicate(to, bits, mask);
        }),
        Class::B16 => map1(to, from, |a: u16| a),
        Class::B32 => map1(to, from, |a: u32| a),
        Class::B64 => map1(to, from, |a: u64| a),
    }
}

/// Writes the address of a variable: in a memory of its own relative to that memory.
fn address_of(decoder: &Decoder<'_, '_>, to: Register, place: Place) -> Decoded<MemoryStep> {
    let fits = to.class == Class::B64 || to.class == Class::B32 && matches!(place, Place::Offset(..));
    if !fits {
        return Err(decoder.refuse("an address must have 64 bits, or 32 in a space of its own"));
    }
    Ok(Box::new(move |registers, spaces, mask| {
        let address = match place {
            Place::Global(address) => address,
            Place::Offset(AddressSpace::Frame, offset) => spaces.local.frame as u64 + offset as u64,
            Place::Offset(_, offset) => offset as u64,
        };
        registers.write_truncated(to, &[address; LANES], mask);
        Ok(())
    }))
}

/// `mov.b64 {low, high}, x`
fn unpack(decoder: &mut Decoder<'_, '_>, ty: Type, parts: &[Operand], from: &Operand) -> Decoded<()> {
    let class = packed_class(decoder, ty, parts)?;
    let part = part_class(decoder, ty, parts)?;
    let from = Register { class, index: decoder.operand_row(from, class)? };
    let width = ty.bytes() * 8 / parts.len();
    let mut to = Vec::new();
    for (place, operand) in parts.iter().enumerate() {
        if *operand != Operand::Name("_".to_owned()) {
            to.push((place * width, Register { class: part, index: decoder.result_row(operand, part)? }));
        }
    }
    decoder.lanes(Box::new(move |registers, mask| {
        let whole = registers.widened(from);
        for &(shift, register) in &to {
            registers.write_truncated(register, &whole.map(|bits| bits >> shift), mask);
        }
    }));
    Ok(())
}

/// `mov.b64 x, {low, high}`
fn pack(decoder: &mut Decoder<'_, '_>, ty: Type, to: &Operand, parts: &[Operand]) -> Decoded<()> {
    let class = packed_class(decoder, ty, parts)?;
    let part = part_class(decoder, ty, parts)?;
    let to = Register { class, index: decoder.result_row(to, class)? };
    let width = ty.bytes() * 8 / parts.len();
    let from = parts.iter().map(|operand| Ok(Register { class: part, index: decoder.operand_row(operand, part)? }));
    let from = from.collect::<Decoded<Vec<_>>>()?;
    decoder.lanes(Box::new(move |registers, mask| {
        let mut whole: Row<u64> = [0; LANES];
        for (place, &register) in from.iter().enumerate() {
            let row = registers.widened(register);
            for lane in 0..LANES {
                whole[lane] |= row[lane] << (place * width);
            }
        }
        registers.write_truncated(to, &whole, mask);
    }));
    Ok(())
}

fn packed_class(decoder: &Decoder<'_, '_>, ty: Type, parts: &[Operand]) -> Decoded<Class> {
    match (ty, parts.len()) {
        (Type::B32, 2) => Ok(Class::B32),
        (Type::B64, 2 | 4) => Ok(Class::B64),
        _ => Err(decoder.refuse("a vector that is not known here")),
    }
}

fn part_class(decoder: &Decoder<'_, '_>, ty: Type, parts: &[Operand]) -> Decoded<Class> {
    match ty.bytes() / parts.len() {
        2 => Ok(Class::B16),
        4 => Ok(Class::B32),
        _ => Err(decoder.refuse("a vector that is not known here")),
    }
}

/// `cvta`: between an address in a space and the generic one. Those of global memory are the same.
fn convert_address(
    decoder: &mut Decoder<'_, '_>,
    instruction: &Instruction,
    mut modifiers: Modifiers<'_>,
) -> Decoded<()> {
    if modifiers.ty()? != Type::U64 {
        return Err(decoder.refuse("addresses have 64 bits"));
    }
    let to_space = modifiers.flag("to");
    let space = modifiers.expect(&["global", "const", "shared", "shared::cta", "local", "param", "param::entry"])?;
    modifiers.end()?;
    let base = match space {
        "shared" | "shared::cta" => SHARED_BASE,
        "local" => LOCAL_BASE,
        "param" | "param::entry" => PARAM_BASE,
        _ => 0,
    };
    let [to, from] = decoder.operands(instruction)?;
    let to = decoder.result::<u64>(to)?;
    let from = match from {
        Operand::Name(name) if decoder.register(name)?.is_none() => {
            let place = decoder.place(name)?;
            let register = Register { class: Class::B64, index: decoder.temporary(Class::B64) };
            let step = address_of(decoder, register, place)?;
            decoder.memory(step);
            register.index
        }
        _ => decoder.operand::<u64>(from)?,
    };
    decoder.lanes(match (base, to_space) {
        (0, _) => map1(to, from, |address: u64| address),
        (_, true) => map1(to, from, move |address: u64| address.wrapping_sub(base)),
        (_, false) => map1(to, from, move |address: u64| address.wrapping_add(base)),
    });
    Ok(())
}
