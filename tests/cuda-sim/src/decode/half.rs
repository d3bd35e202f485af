//! Arithmetic of halves, one or two in a register.

use super::decoder::Decoder;
use super::modifiers::Modifiers;
use crate::exec::lanes::{LaneStep, map1, map2, map3};
use crate::exec::registers::Lane;
use crate::numeric::approx;
use crate::numeric::half::{Bf16, F16, Half, Two};
use crate::numeric::round::Rounding;
use crate::ptx::PtxError;
use crate::ptx::syntax::{Instruction, Type};

type Decoded<T> = Result<T, PtxError>;

pub(super) fn decode(decoder: &mut Decoder<'_, '_>, instruction: &Instruction) -> Decoded<()> {
    let mut modifiers = Modifiers::new(instruction);
    let ty = modifiers.ty()?;
    let mode = Mode {
        flushes: modifiers.flag("ftz"),
        saturates: modifiers.flag("sat"),
        keeps_nan: modifiers.flag("NaN"),
        approximate: modifiers.flag("approx"),
    };
    let rounding = modifiers.rounding();
    modifiers.end()?;
    if rounding.is_some_and(|rounding| rounding != Rounding::Nearest) {
        return Err(decoder.refuse("halves are rounded to nearest only"));
    }
    let step = match ty {
        Type::F16 => operation::<F16, F16>(decoder, instruction, mode)?,
        Type::F16x2 => operation::<F16, Two<F16>>(decoder, instruction, mode)?,
        Type::Bf16 => operation::<Bf16, Bf16>(decoder, instruction, mode)?,
        Type::Bf16x2 => operation::<Bf16, Two<Bf16>>(decoder, instruction, mode)?,
        _ => return Err(decoder.refuse("a type that is not known here")),
    };
    decoder.lanes(step);
    Ok(())
}

#[derive(Clone, Copy)]
struct Mode {
    flushes: bool,
    saturates: bool,
    keeps_nan: bool,
    approximate: bool,
}

/// One half or two, to which a function of halves is applied.
trait Halves<H: Half>: Lane {
    fn apply(operands: [Self; 3], function: impl Fn([H; 3]) -> H) -> Self;
}

impl<H: Half> Halves<H> for H {
    #[inline(always)]
    fn apply(operands: [Self; 3], function: impl Fn([H; 3]) -> H) -> Self {
        function(operands)
    }
}

impl<H: Half> Halves<H> for Two<H> {
    #[inline(always)]
    fn apply(operands: [Self; 3], function: impl Fn([H; 3]) -> H) -> Self {
        Self([0, 1].map(|place| function(operands.map(|operand| operand.0[place]))))
    }
}

fn operation<H: Half, V: Halves<H>>(
    decoder: &mut Decoder<'_, '_>,
    instruction: &Instruction,
    mode: Mode,
) -> Decoded<LaneStep> {
    let operand = move |half: H| {
        let value = half.to_f32();
        if mode.flushes && value.abs() < SMALLEST_NORMAL_F16 { 0.0_f32.copysign(value) } else { value }
    };
    let result = move |value: f32| {
        let value = if mode.saturates { super::float::saturated(value) } else { value };
        let half = H::from_f32(value, Rounding::Nearest);
        if mode.flushes { H::from_f32(operand(half), Rounding::Nearest) } else { half }
    };
    let opcode = instruction.opcode.as_str();
    let takes = |flags: bool| if flags { Err(decoder.refuse("a modifier that is not known here")) } else { Ok(()) };
    takes(mode.keeps_nan && !matches!(opcode, "min" | "max"))?;
    takes(mode.saturates && !matches!(opcode, "add" | "sub" | "mul" | "fma"))?;
    takes(mode.approximate != matches!(opcode, "ex2" | "tanh"))?;
    match opcode {
        "neg" | "abs" | "ex2" | "tanh" => {
            let [to, a] = decoder.operands(instruction)?;
            let (to, a) = (decoder.result::<V>(to)?, decoder.operand::<V>(a)?);
            Ok(match opcode {
                "neg" => map1(to, a, |a: V| V::apply([a; 3], |[a, ..]| H::from_bits(a.to_bits() ^ 0x8000))),
                "abs" => map1(to, a, |a: V| V::apply([a; 3], |[a, ..]| H::from_bits(a.to_bits() & 0x7fff))),
                "ex2" => map1(to, a, move |a: V| V::apply([a; 3], |[a, ..]| result(approx::ex2(operand(a))))),
                _ => map1(to, a, move |a: V| V::apply([a; 3], |[a, ..]| result(approx::tanh(operand(a))))),
            })
        }
        "fma" => {
            let [to, a, b, c] = decoder.operands(instruction)?;
            let rows = [decoder.operand::<V>(a)?, decoder.operand::<V>(b)?, decoder.operand::<V>(c)?];
            if mode.flushes || mode.saturates {
                return Err(decoder.refuse("a modifier that is not known here"));
            }
            Ok(map3(decoder.result::<V>(to)?, rows, |a: V, b: V, c: V| V::apply([a, b, c], |[a, b, c]| a.fma(b, c))))
        }
        "add" | "sub" | "mul" | "min" | "max" => {
            let [to, a, b] = decoder.operands(instruction)?;
            let (to, rows) = (decoder.result::<V>(to)?, [decoder.operand::<V>(a)?, decoder.operand::<V>(b)?]);
            let is_min = opcode == "min";
            let extreme = move |a: f32, b: f32| {
                let a_first = a < b || a == b && a.is_sign_negative();
                let picked = if a_first == is_min { a } else { b };
                match (a.is_nan(), b.is_nan()) {
                    (false, false) => picked,
                    _ if mode.keeps_nan => f32::NAN,
                    (true, _) => b,
                    (false, true) => a,
                }
            };
            Ok(match opcode {
                "add" => {
                    map2(to, rows, move |a: V, b: V| V::apply([a, b, b], |[a, b, _]| result(operand(a) + operand(b))))
                }
                "sub" => {
                    map2(to, rows, move |a: V, b: V| V::apply([a, b, b], |[a, b, _]| result(operand(a) - operand(b))))
                }
                "mul" => {
                    map2(to, rows, move |a: V, b: V| V::apply([a, b, b], |[a, b, _]| result(operand(a) * operand(b))))
                }
                _ => map2(to, rows, move |a: V, b: V| {
                    V::apply([a, b, b], |[a, b, _]| result(extreme(operand(a), operand(b))))
                }),
            })
        }
        _ => Err(decoder.refuse("an opcode that halves do not have")),
    }
}

/// What `.ftz` flushes below; only instructions of f16 have it.
const SMALLEST_NORMAL_F16: f32 = f32::from_bits((127 - 14) << 23);
