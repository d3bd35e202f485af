//! Loads, stores, atomics and fences.

use super::decoder::Decoder;
use super::modifiers::Modifiers;
use crate::exec::memory_step::{self, Cell, MemoryStep, Update, atomic, load, store};
use crate::exec::registers::Lane;
use crate::exec::registers::{Class, Register};
use crate::exec::spaces::{Address, AddressSpace};
use crate::numeric::approx::flush;
use crate::numeric::half::{Bf16, F16, Half, Two};
use crate::numeric::round::Rounding;
use crate::ptx::PtxError;
use crate::ptx::syntax::{Instruction, Operand, Type};

type Decoded<T> = Result<T, PtxError>;

/// How an access is ordered; execution here is in order anyway.
const ORDERS: [&str; 7] = ["weak", "volatile", "relaxed", "acquire", "release", "acq_rel", "sc"];
const SCOPES: [&str; 4] = ["cta", "cluster", "gpu", "sys"];
/// Wishes about caches, which have no meaning here.
const CACHES: [&str; 14] = [
    "ca",
    "cg",
    "cs",
    "lu",
    "cv",
    "wb",
    "wt",
    "L1::evict_normal",
    "L1::evict_unchanged",
    "L1::evict_first",
    "L1::evict_last",
    "L1::no_allocate",
    "L2::evict_first",
    "L2::evict_last",
];
const PREFETCHES: [&str; 3] = ["L2::64B", "L2::128B", "L2::256B"];
const SPACES: [&str; 9] =
    ["global", "const", "shared", "shared::cta", "local", "param", "param::entry", "param::func", "generic"];

pub(super) fn decode(decoder: &mut Decoder<'_, '_>, instruction: &Instruction) -> Decoded<()> {
    let modifiers = Modifiers::new(instruction);
    match instruction.opcode.as_str() {
        "ld" | "ldu" => decode_load(decoder, instruction, modifiers),
        "st" => decode_store(decoder, instruction, modifiers),
        "atom" | "red" => decode_atomic(decoder, instruction, modifiers),
        "membar" | "fence" => decode_fence(decoder, instruction, modifiers),
        _ => decode_prefetch(decoder, instruction, modifiers),
    }
}

fn space(name: Option<&str>) -> AddressSpace {
    match name {
        Some("global" | "const") => AddressSpace::Global,
        Some("shared" | "shared::cta") => AddressSpace::Shared,
        Some("local") => AddressSpace::Local,
        Some("param" | "param::entry" | "param::func") => AddressSpace::Param,
        _ => AddressSpace::Generic,
    }
}

/// The space, order and type of a load or store; and whether it is of several values.
fn access(decoder: &Decoder<'_, '_>, mut modifiers: Modifiers<'_>) -> Decoded<(AddressSpace, Type, usize)> {
    let ty = modifiers.ty()?;
    let order = modifiers.one_of(&ORDERS);
    let scope = modifiers.one_of(&SCOPES);
    if scope.is_some() && !matches!(order, Some("relaxed" | "acquire" | "release")) {
        return Err(decoder.refuse("a scope without an order"));
    }
    let space = space(modifiers.one_of(&SPACES));
    modifiers.flag("nc");
    while modifiers.one_of(&CACHES).or_else(|| modifiers.one_of(&PREFETCHES)).is_some() {}
    let count = match modifiers.one_of(&["v2", "v4", "v8"]) {
        None => 1,
        Some("v2") => 2,
        Some("v4") => 4,
        Some(_) => 8,
    };
    modifiers.end()?;
    if ty == Type::Pred {
        return Err(decoder.refuse("predicates are not in memory"));
    }
    Ok((space, ty, count))
}

/// The operands of a vector, or the single one.
fn parts(decoder: &Decoder<'_, '_>, operand: &Operand, count: usize) -> Decoded<Vec<Operand>> {
    match operand {
        Operand::Vector(parts) if parts.len() == count => Ok(parts.clone()),
        single if count == 1 && !matches!(single, Operand::Vector(_)) => Ok(vec![single.clone()]),
        _ => Err(decoder.refuse(&format!("expected {count} values"))),
    }
}

/// Registers of values, which may be wider than the values in memory, but not narrower, and all of one class.
fn same_class(decoder: &Decoder<'_, '_>, registers: &[Register], ty: Type) -> Decoded<Class> {
    let Some(first) = registers.first() else { return Ok(ty.class().unwrap_or(Class::B32)) };
    let width = match first.class {
        Class::Predicate => 0,
        Class::B16 => 2,
        Class::B32 => 4,
        Class::B64 => 8,
    };
    if registers.iter().any(|register| register.class != first.class) || width < ty.bytes() {
        return Err(decoder.refuse("registers that the type does not fit"));
    }
    Ok(first.class)
}

fn decode_load(decoder: &mut Decoder<'_, '_>, instruction: &Instruction, modifiers: Modifiers<'_>) -> Decoded<()> {
    let (space, ty, count) = access(decoder, modifiers)?;
    let [to, address] = decoder.operands(instruction)?;
    let address = decoder.address(address, space)?;
    let class = ty.class().ok_or_else(|| decoder.refuse("a type that is not known here"))?;
    let mut to_rows = Vec::new();
    let mut registers = Vec::new();
    for part in parts(decoder, to, count)? {
        if part == Operand::Name("_".to_owned()) {
            to_rows.push(None);
            continue;
        }
        let Operand::Name(name) = &part else { return Err(decoder.refuse("expected a register")) };
        let Some(register) = decoder.register(name)? else { return Err(decoder.refuse("expected a register")) };
        registers.push(register);
        to_rows.push(Some(register.index));
    }
    let class = if registers.is_empty() { class } else { same_class(decoder, &registers, ty)? };
    let step = match class {
        Class::B16 => load_into::<u16>(to_rows, ty, address),
        Class::B32 => load_into::<u32>(to_rows, ty, address),
        _ => load_into::<u64>(to_rows, ty, address),
    };
    decoder.memory(step);
    Ok(())
}

fn load_into<B: crate::exec::registers::Bits>(to: Vec<Option<u32>>, ty: Type, address: Address) -> MemoryStep {
    match (ty.bytes(), ty.is_signed()) {
        (1, false) => load::<u8, B>(to, address),
        (1, true) => load::<i8, B>(to, address),
        (2, false) => load::<u16, B>(to, address),
        (2, true) => load::<i16, B>(to, address),
        (4, false) => load::<u32, B>(to, address),
        (4, true) => load::<i32, B>(to, address),
        _ => load::<u64, B>(to, address),
    }
}

fn decode_store(decoder: &mut Decoder<'_, '_>, instruction: &Instruction, modifiers: Modifiers<'_>) -> Decoded<()> {
    let (space, ty, count) = access(decoder, modifiers)?;
    let [address, from] = decoder.operands(instruction)?;
    let address = decoder.address(address, space)?;
    let class = ty.class().ok_or_else(|| decoder.refuse("a type that is not known here"))?;
    let parts = parts(decoder, from, count)?;
    // Registers decide the class, and immediates follow.
    let mut declared = class;
    for part in &parts {
        if let Operand::Name(name) = part
            && let Some(register) = decoder.register(name)?
        {
            declared = register.class;
        }
    }
    let mut registers = Vec::new();
    for part in &parts {
        registers.push(decoder.operand_register(part, declared)?);
    }
    let class = same_class(decoder, &registers, ty)?;
    let rows = registers.iter().map(|register| register.index).collect();
    let step = match class {
        Class::B16 => store_from::<u16>(rows, ty, address),
        Class::B32 => store_from::<u32>(rows, ty, address),
        _ => store_from::<u64>(rows, ty, address),
    };
    decoder.memory(step);
    Ok(())
}

fn store_from<B: crate::exec::registers::Bits>(from: Vec<u32>, ty: Type, address: Address) -> MemoryStep {
    match ty.bytes() {
        1 => store::<u8, B>(from, address),
        2 => store::<u16, B>(from, address),
        4 => store::<u32, B>(from, address),
        _ => store::<u64, B>(from, address),
    }
}

fn decode_atomic(
    decoder: &mut Decoder<'_, '_>,
    instruction: &Instruction,
    mut modifiers: Modifiers<'_>,
) -> Decoded<()> {
    let ty = modifiers.ty()?;
    let order = modifiers.one_of(&ORDERS);
    modifiers.one_of(&SCOPES);
    let space = space(modifiers.one_of(&["global", "shared", "shared::cta"]));
    let operation = modifiers.expect(&["add", "and", "or", "xor", "cas", "exch", "inc", "dec", "min", "max"])?;
    modifiers.flag("noftz");
    modifiers.end()?;
    let returns = instruction.opcode == "atom";
    let (to, operands) = match instruction.operands.split_first() {
        Some((to, operands)) if returns => (Some(to), operands),
        _ if !returns => (None, instruction.operands.as_slice()),
        _ => return Err(decoder.refuse("expected operands")),
    };
    let (address, first, second) = match (operands, operation) {
        ([address, compared, new], "cas") => (address, compared, new),
        ([address, value], _) if operation != "cas" => (address, value, value),
        _ => return Err(decoder.refuse("operands that are not known here")),
    };
    let class = ty.class().ok_or_else(|| decoder.refuse("a type that is not known here"))?;
    let address = decoder.address(address, space)?;
    let operands = [first, second].map(|operand| decoder.operand_row(operand, class));
    let [first, second] = operands;
    let operands = [first?, second?].map(|index| Register { class, index });
    let to = match to {
        None => None,
        Some(Operand::Name(name)) if name == "_" => None,
        Some(to) => Some(Register { class, index: decoder.result_row(to, class)? }),
    };
    // A fence inside the operation orders what the block did before.
    let releases = matches!(order, Some("release" | "acq_rel" | "sc"));
    let update =
        update(operation, ty, space).ok_or_else(|| decoder.refuse("an operation that the type does not have"))?;
    let step = match ty.bytes() {
        2 => typed::<u16>(to, operands, address, releases, update),
        4 => typed::<u32>(to, operands, address, releases, update),
        8 => typed::<u64>(to, operands, address, releases, update),
        _ => return Err(decoder.refuse("a type that is not known here")),
    };
    decoder.memory(step);
    Ok(())
}

fn typed<C: Cell>(
    to: Option<Register>,
    operands: [Register; 2],
    address: Address,
    releases: bool,
    update: Update,
) -> MemoryStep {
    atomic::<C>(to, operands, address, releases, update)
}

/// What an atomic writes, of the old bits and its operands. Sums of f32 in global memory flush subnormal numbers.
fn update(operation: &str, ty: Type, space: AddressSpace) -> Option<Update> {
    Some(match (operation, ty) {
        ("exch", Type::B32 | Type::B64) => |_, new, _| new,
        ("cas", Type::B16 | Type::B32 | Type::B64) => |old, compared, new| if old == compared { new } else { old },
        ("and", Type::B32 | Type::B64) => |old, x, _| old & x,
        ("or", Type::B32 | Type::B64) => |old, x, _| old | x,
        ("xor", Type::B32 | Type::B64) => |old, x, _| old ^ x,
        ("inc", Type::U32) => |old, limit, _| if old >= limit { 0 } else { old + 1 },
        ("dec", Type::U32) => |old, limit, _| if old == 0 || old > limit { limit } else { old - 1 },
        ("add", Type::U32 | Type::S32 | Type::U64 | Type::S64) => |old, x, _| old.wrapping_add(x),
        ("min", Type::U32 | Type::U64) => |old, x, _| old.min(x),
        ("max", Type::U32 | Type::U64) => |old, x, _| old.max(x),
        ("min", Type::S32) => |old, x, _| (old as i32).min(x as i32) as u64,
        ("max", Type::S32) => |old, x, _| (old as i32).max(x as i32) as u64,
        ("min", Type::S64) => |old, x, _| (old as i64).min(x as i64) as u64,
        ("max", Type::S64) => |old, x, _| (old as i64).max(x as i64) as u64,
        ("add", Type::F32) if space == AddressSpace::Global => {
            |old, x, _| flush(flush(f32_of(old)) + flush(f32_of(x))).to_bits().into()
        }
        ("add", Type::F32) => |old, x, _| (f32_of(old) + f32_of(x)).to_bits().into(),
        ("add", Type::F64) => |old, x, _| (f64::from_bits(old) + f64::from_bits(x)).to_bits(),
        ("add", Type::F16) => |old, x, _| sum(F16(old as u16), F16(x as u16)).0.into(),
        ("add", Type::Bf16) => |old, x, _| sum(Bf16(old as u16), Bf16(x as u16)).0.into(),
        ("add", Type::F16x2) => |old, x, _| two_sums::<F16>(old as u32, x as u32).into(),
        ("add", Type::Bf16x2) => |old, x, _| two_sums::<Bf16>(old as u32, x as u32).into(),
        _ => return None,
    })
}

fn f32_of(bits: u64) -> f32 {
    f32::from_bits(bits as u32)
}

fn sum<H: Half>(a: H, b: H) -> H {
    H::from_f32(a.to_f32() + b.to_f32(), Rounding::Nearest)
}

fn two_sums<H: Half>(a: u32, b: u32) -> u32 {
    let [a, b] = [a, b].map(Two::<H>::from_bits);
    Two([sum(a.0[0], b.0[0]), sum(a.0[1], b.0[1])]).to_bits()
}

fn decode_fence(decoder: &mut Decoder<'_, '_>, instruction: &Instruction, mut modifiers: Modifiers<'_>) -> Decoded<()> {
    let scope = if instruction.opcode == "membar" {
        modifiers.expect(&["cta", "gl", "sys"])?
    } else {
        modifiers.one_of(&["sc", "acq_rel", "acquire", "release"]);
        modifiers.expect(&SCOPES)?
    };
    modifiers.end()?;
    let [] = decoder.operands(instruction)?;
    let beyond_the_block = !matches!(scope, "cta" | "cluster");
    decoder.memory(Box::new(move |_, spaces, _| {
        if beyond_the_block {
            memory_step::fence(spaces);
        }
        Ok(())
    }));
    Ok(())
}

/// A prefetch does nothing here: not even a wrong address is a fault of it.
fn decode_prefetch(
    decoder: &mut Decoder<'_, '_>,
    instruction: &Instruction,
    mut modifiers: Modifiers<'_>,
) -> Decoded<()> {
    modifiers.one_of(&["global", "local"]);
    modifiers.expect(&["L1", "L2"])?;
    modifiers.end()?;
    let [_] = decoder.operands(instruction)?;
    decoder.lanes(Box::new(|_, _| {}));
    Ok(())
}
