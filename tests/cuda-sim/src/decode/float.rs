//! Arithmetic of f32 and f64.
//!
//! An f32 operation gives one NaN, `0x7fffffff`, as the hardware does; the processor would give another sign.

use super::decoder::Decoder;
use super::modifiers::Modifiers;
use crate::exec::lanes::{LaneStep, compare, map1, map2, map3};
use crate::exec::registers::{Bits, Class, Lane, Registers};
use crate::numeric::approx;
use crate::numeric::round::{Directed, Rounding};
use crate::ptx::PtxError;
use crate::ptx::syntax::{Instruction, Type};

type Decoded<T> = Result<T, PtxError>;

/// What both float types have.
pub(super) trait Float: Lane + Directed + std::ops::Neg<Output = Self> {
    const ZERO: Self;
    const ONE: Self;
    const ONE_NAN: Self;
    /// The NaN of an operation.
    fn canonical(self) -> Self;
    fn is_nan(self) -> bool;
    /// Subnormal numbers to zero.
    fn flush(self) -> Self;
    fn magnitude(self) -> Self;
    fn with_sign_of(self, sign: Self) -> Self;
    fn is_negative(self) -> bool;
    fn is_finite(self) -> bool;
    fn is_subnormal(self) -> bool;
}

impl Float for f32 {
    const ZERO: Self = 0.0;
    const ONE: Self = 1.0;
    const ONE_NAN: Self = f32::from_bits(0x7fff_ffff);

    #[inline(always)]
    fn canonical(self) -> Self {
        if self.is_nan() { Self::ONE_NAN } else { self }
    }

    #[inline(always)]
    fn is_nan(self) -> bool {
        self.is_nan()
    }

    #[inline(always)]
    fn flush(self) -> Self {
        approx::flush(self)
    }

    #[inline(always)]
    fn magnitude(self) -> Self {
        self.abs()
    }

    #[inline(always)]
    fn with_sign_of(self, sign: Self) -> Self {
        self.copysign(sign)
    }

    #[inline(always)]
    fn is_negative(self) -> bool {
        self.is_sign_negative()
    }

    #[inline(always)]
    fn is_finite(self) -> bool {
        self.is_finite()
    }

    #[inline(always)]
    fn is_subnormal(self) -> bool {
        self.is_subnormal()
    }
}

impl Float for f64 {
    const ZERO: Self = 0.0;
    const ONE: Self = 1.0;
    const ONE_NAN: Self = f64::from_bits(0x7fff_ffff_ffff_ffff);

    #[inline(always)]
    fn canonical(self) -> Self {
        self
    }

    #[inline(always)]
    fn is_nan(self) -> bool {
        self.is_nan()
    }

    #[inline(always)]
    fn flush(self) -> Self {
        self
    }

    #[inline(always)]
    fn magnitude(self) -> Self {
        self.abs()
    }

    #[inline(always)]
    fn with_sign_of(self, sign: Self) -> Self {
        self.copysign(sign)
    }

    #[inline(always)]
    fn is_negative(self) -> bool {
        self.is_sign_negative()
    }

    #[inline(always)]
    fn is_finite(self) -> bool {
        self.is_finite()
    }

    #[inline(always)]
    fn is_subnormal(self) -> bool {
        self.is_subnormal()
    }
}

/// How an operation treats its operands and its result.
#[derive(Clone, Copy)]
struct Mode {
    rounding: Rounding,
    /// Subnormal operands and results are zero.
    flushes: bool,
    /// The result is clamped to [0, 1], and NaN to 0.
    saturates: bool,
}

impl Mode {
    fn is_plain(self) -> bool {
        self.rounding == Rounding::Nearest && !self.flushes && !self.saturates
    }

    #[inline(always)]
    fn operand<T: Float>(self, x: T) -> T {
        if self.flushes { x.flush() } else { x }
    }

    #[inline(always)]
    fn result<T: Float>(self, x: T) -> T {
        let x = if self.flushes { x.flush() } else { x };
        if self.saturates {
            return saturated(x);
        }
        x.canonical()
    }
}

/// Clamped to [0, 1]; NaN gives 0.
#[inline(always)]
pub(super) fn saturated<T: Float>(x: T) -> T {
    if x > T::ZERO { if x < T::ONE { x } else { T::ONE } } else { T::ZERO }
}

pub(super) fn decode(decoder: &mut Decoder<'_, '_>, instruction: &Instruction) -> Decoded<()> {
    let mut modifiers = Modifiers::new(instruction);
    match modifiers.ty()? {
        Type::F32 => typed::<f32>(decoder, instruction, modifiers),
        Type::F64 => typed::<f64>(decoder, instruction, modifiers),
        _ => Err(decoder.refuse("a type that is not known here")),
    }
}

fn typed<T: Float>(
    decoder: &mut Decoder<'_, '_>,
    instruction: &Instruction,
    mut modifiers: Modifiers<'_>,
) -> Decoded<()> {
    let opcode = instruction.opcode.as_str();
    let is_f32 = T::Bits::CLASS == Class::B32;
    let step = match opcode {
        "add" | "sub" | "mul" | "fma" | "mad" | "div" | "sqrt" | "rcp" => {
            let approximate = modifiers.one_of(&["approx", "full"]);
            let rounding = modifiers.rounding();
            let flushes = modifiers.flag("ftz");
            let saturates = modifiers.flag("sat");
            modifiers.end()?;
            if let Some(kind) = approximate {
                if rounding.is_some() || saturates || !matches!(opcode, "div" | "sqrt" | "rcp") {
                    return Err(decoder.refuse("modifiers that do not go together"));
                }
                return approximation(decoder, instruction, is_f32, kind, flushes);
            }
            let needs_rounding = matches!(opcode, "fma" | "mad" | "div" | "sqrt" | "rcp");
            if needs_rounding && rounding.is_none() || !is_f32 && (flushes || saturates) {
                return Err(decoder.refuse("modifiers that do not go together"));
            }
            let mode = Mode { rounding: rounding.unwrap_or(Rounding::Nearest), flushes, saturates };
            arithmetic::<T>(decoder, instruction, mode)?
        }
        "rsqrt" | "sin" | "cos" | "lg2" | "ex2" | "tanh" => {
            if !modifiers.flag("approx") {
                return Err(decoder.refuse("only the approximation is known"));
            }
            let flushes = modifiers.flag("ftz");
            modifiers.end()?;
            return approximation(decoder, instruction, is_f32, "approx", flushes);
        }
        "neg" | "abs" => {
            let flushes = modifiers.flag("ftz");
            modifiers.end()?;
            let [to, a] = decoder.operands(instruction)?;
            let (to, a) = (decoder.result::<T>(to)?, decoder.operand::<T>(a)?);
            match (opcode, flushes) {
                ("neg", false) => map1(to, a, |a: T| -a),
                ("neg", true) => map1(to, a, |a: T| -a.flush()),
                (_, false) => map1(to, a, |a: T| a.magnitude()),
                (_, true) => map1(to, a, |a: T| a.flush().magnitude()),
            }
        }
        "min" | "max" => extreme::<T>(decoder, instruction, modifiers)?,
        "copysign" => {
            modifiers.end()?;
            let [to, sign, value] = decoder.operands(instruction)?;
            let rows = [decoder.operand::<T>(sign)?, decoder.operand::<T>(value)?];
            map2(decoder.result::<T>(to)?, rows, |sign: T, value: T| value.with_sign_of(sign))
        }
        "testp" => test::<T>(decoder, instruction, modifiers)?,
        _ => return Err(decoder.refuse("an opcode that is not known")),
    };
    decoder.lanes(step);
    Ok(())
}

fn arithmetic<T: Float>(decoder: &mut Decoder<'_, '_>, instruction: &Instruction, mode: Mode) -> Decoded<LaneStep> {
    let Mode { rounding, .. } = mode;
    let opcode = instruction.opcode.as_str();
    if matches!(opcode, "sqrt" | "rcp") {
        let [to, a] = decoder.operands(instruction)?;
        let (to, a) = (decoder.result::<T>(to)?, decoder.operand::<T>(a)?);
        return Ok(match opcode {
            "sqrt" => map1(to, a, move |a: T| mode.result(mode.operand(a).sqrt(rounding))),
            _ => map1(to, a, move |a: T| mode.result(T::ONE.div(mode.operand(a), rounding))),
        });
    }
    if matches!(opcode, "fma" | "mad") {
        let [to, a, b, c] = decoder.operands(instruction)?;
        let rows = [decoder.operand::<T>(a)?, decoder.operand::<T>(b)?, decoder.operand::<T>(c)?];
        let to = decoder.result::<T>(to)?;
        return Ok(if mode.is_plain() {
            map3(to, rows, |a: T, b: T, c: T| a.fma(b, c, Rounding::Nearest).canonical())
        } else {
            map3(to, rows, move |a: T, b: T, c: T| {
                mode.result(mode.operand(a).fma(mode.operand(b), mode.operand(c), rounding))
            })
        });
    }
    let [to, a, b] = decoder.operands(instruction)?;
    let (to, rows) = (decoder.result::<T>(to)?, [decoder.operand::<T>(a)?, decoder.operand::<T>(b)?]);
    Ok(match (opcode, mode.is_plain()) {
        ("add", true) => map2(to, rows, |a: T, b: T| a.add(b, Rounding::Nearest).canonical()),
        ("sub", true) => map2(to, rows, |a: T, b: T| a.add(-b, Rounding::Nearest).canonical()),
        ("mul", true) => map2(to, rows, |a: T, b: T| a.mul(b, Rounding::Nearest).canonical()),
        ("div", true) => map2(to, rows, |a: T, b: T| a.div(b, Rounding::Nearest).canonical()),
        ("add", _) => map2(to, rows, move |a: T, b: T| mode.result(mode.operand(a).add(mode.operand(b), rounding))),
        ("sub", _) => map2(to, rows, move |a: T, b: T| mode.result(mode.operand(a).add(-mode.operand(b), rounding))),
        ("mul", _) => map2(to, rows, move |a: T, b: T| mode.result(mode.operand(a).mul(mode.operand(b), rounding))),
        _ => map2(to, rows, move |a: T, b: T| mode.result(mode.operand(a).div(mode.operand(b), rounding))),
    })
}

/// The smaller or larger of two or three operands. NaN gives way to a number, unless `.NaN` says otherwise.
fn extreme<T: Float>(
    decoder: &mut Decoder<'_, '_>,
    instruction: &Instruction,
    mut modifiers: Modifiers<'_>,
) -> Decoded<LaneStep> {
    let (flushes, keeps_nan) = (modifiers.flag("ftz"), modifiers.flag("NaN"));
    modifiers.end()?;
    let is_min = instruction.opcode == "min";
    let pick = move |a: T, b: T| {
        let (a, b) = if flushes { (a.flush(), b.flush()) } else { (a, b) };
        // Of two zeros the negative one is smaller.
        let a_first = a < b || a == b && a.is_negative();
        let picked = if a_first == is_min { a } else { b };
        let number = if a.is_nan() {
            b
        } else if b.is_nan() {
            a
        } else {
            picked
        };
        if keeps_nan && (a.is_nan() || b.is_nan()) { T::ONE_NAN } else { number.canonical() }
    };
    if instruction.operands.len() == 4 {
        let [to, a, b, c] = decoder.operands(instruction)?;
        let rows = [decoder.operand::<T>(a)?, decoder.operand::<T>(b)?, decoder.operand::<T>(c)?];
        return Ok(map3(decoder.result::<T>(to)?, rows, move |a: T, b: T, c: T| pick(pick(a, b), c)));
    }
    let [to, a, b] = decoder.operands(instruction)?;
    let rows = [decoder.operand::<T>(a)?, decoder.operand::<T>(b)?];
    Ok(map2(decoder.result::<T>(to)?, rows, pick))
}

fn test<T: Float>(
    decoder: &mut Decoder<'_, '_>,
    instruction: &Instruction,
    mut modifiers: Modifiers<'_>,
) -> Decoded<LaneStep> {
    let kind = modifiers.expect(&["finite", "infinite", "number", "notanumber", "normal", "subnormal"])?;
    modifiers.end()?;
    let [to, a] = decoder.operands(instruction)?;
    let (to, a) = (decoder.result_row(to, Class::Predicate)?, decoder.operand::<T>(a)?);
    let finish = move |registers: &mut Registers, bits, mask| {
        registers.write_predicate(to, bits, mask);
    };
    Ok(match kind {
        "finite" => compare([a, a], |a: T, _| a.is_finite(), finish),
        "infinite" => compare([a, a], |a: T, _| !a.is_finite() && !a.is_nan(), finish),
        "number" => compare([a, a], |a: T, _| !a.is_nan(), finish),
        "notanumber" => compare([a, a], |a: T, _| a.is_nan(), finish),
        "normal" => compare([a, a], |a: T, _| a.is_finite() && !a.is_subnormal() && a != T::ZERO, finish),
        _ => compare([a, a], |a: T, _| a.is_subnormal(), finish),
    })
}

/// The approximate functions.
fn approximation(
    decoder: &mut Decoder<'_, '_>,
    instruction: &Instruction,
    is_f32: bool,
    kind: &str,
    flushes: bool,
) -> Decoded<()> {
    let opcode = instruction.opcode.as_str();
    let mode = Mode { rounding: Rounding::Nearest, flushes, saturates: false };
    if opcode == "div" {
        let [to, a, b] = decoder.operands(instruction)?;
        if !is_f32 {
            return Err(decoder.refuse("a type that is not known here"));
        }
        let (to, rows) = (decoder.result::<f32>(to)?, [decoder.operand::<f32>(a)?, decoder.operand::<f32>(b)?]);
        decoder.lanes(if kind == "full" {
            map2(to, rows, move |a: f32, b: f32| mode.result(mode.operand(a) / mode.operand(b)))
        } else {
            map2(to, rows, move |a: f32, b: f32| mode.result(approx::div(mode.operand(a), mode.operand(b))))
        });
        return Ok(());
    }
    let [to, a] = decoder.operands(instruction)?;
    if kind == "full" {
        return Err(decoder.refuse("a modifier that is not known here"));
    }
    if !is_f32 {
        let (to, a) = (decoder.result::<f64>(to)?, decoder.operand::<f64>(a)?);
        // With `.ftz` a first guess from the high word, without a function of full precision.
        let step = match (opcode, flushes) {
            ("rcp", true) => map1(to, a, approx::rcp_f64),
            ("rsqrt", true) => map1(to, a, approx::rsqrt_f64),
            ("rsqrt", false) => map1(to, a, |a: f64| 1.0 / f64::sqrt(a)),
            _ => return Err(decoder.refuse("a type that is not known here")),
        };
        decoder.lanes(step);
        return Ok(());
    }
    let (to, a) = (decoder.result::<f32>(to)?, decoder.operand::<f32>(a)?);
    decoder.lanes(match opcode {
        "ex2" => map1(to, a, move |a: f32| mode.result(approx::ex2(mode.operand(a)))),
        "lg2" => map1(to, a, move |a: f32| mode.result(approx::lg2(mode.operand(a)))),
        "sin" => map1(to, a, move |a: f32| mode.result(approx::sin(mode.operand(a)))),
        "cos" => map1(to, a, move |a: f32| mode.result(approx::cos(mode.operand(a)))),
        "tanh" => map1(to, a, move |a: f32| mode.result(approx::tanh(mode.operand(a)))),
        "rcp" => map1(to, a, move |a: f32| mode.result(approx::rcp(mode.operand(a)))),
        "rsqrt" => map1(to, a, move |a: f32| mode.result(approx::rsqrt(mode.operand(a)))),
        "sqrt" => map1(to, a, move |a: f32| mode.result(f32::sqrt(mode.operand(a)))),
        _ => return Err(decoder.refuse("an opcode that is not known")),
    });
    Ok(())
}
