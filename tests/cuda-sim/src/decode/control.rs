//! Jumps, calls and barriers.

use super::decoder::Decoder;
use super::modifiers::Modifiers;
use crate::code::{Barrier, BarrierReduce, Control, Copied};
use crate::exec::registers::{Class, Register};
use crate::ptx::PtxError;
use crate::ptx::syntax::{Function, Instruction, Operand, Type, Variable};

type Decoded<T> = Result<T, PtxError>;

pub(super) fn decode(decoder: &mut Decoder<'_, '_>, instruction: &Instruction) -> Decoded<()> {
    let mut modifiers = Modifiers::new(instruction);
    let control = match instruction.opcode.as_str() {
        "bra" => {
            modifiers.flag("uni");
            modifiers.end()?;
            let [target] = decoder.operands(instruction)?;
            Control::Branch(decoder.label(name(decoder, target)?)?)
        }
        "brx" => {
            modifiers.expect(&["idx"])?;
            modifiers.flag("uni");
            modifiers.end()?;
            let [index, table] = decoder.operands(instruction)?;
            let targets = decoder.table(name(decoder, table)?)?;
            Control::BranchTable { index: decoder.operand::<u32>(index)?, targets }
        }
        "call" => {
            modifiers.flag("uni");
            modifiers.end()?;
            return call(decoder, instruction);
        }
        "ret" | "exit" | "trap" => {
            modifiers.flag("uni");
            modifiers.end()?;
            let [] = decoder.operands(instruction)?;
            match instruction.opcode.as_str() {
                "ret" => Control::Return,
                "exit" => Control::Exit,
                _ => Control::Trap,
            }
        }
        "bar" | "barrier" => return barrier(decoder, instruction, modifiers),
        "nanosleep" => {
            modifiers.ty()?;
            modifiers.end()?;
            let [_] = decoder.operands(instruction)?;
            decoder.lanes(Box::new(|_, _| {}));
            return Ok(());
        }
        _ => return Err(decoder.refuse("an opcode that is not known")),
    };
    decoder.control(control);
    Ok(())
}

fn name<'i>(decoder: &Decoder<'_, '_>, operand: &'i Operand) -> Decoded<&'i str> {
    match operand {
        Operand::Name(name) => Ok(name),
        _ => Err(decoder.refuse("expected a name")),
    }
}

/// `call (result), function, (arguments)`; result and arguments may be absent.
fn call(decoder: &mut Decoder<'_, '_>, instruction: &Instruction) -> Decoded<()> {
    let empty: &[Operand] = &[];
    let (results, function, arguments) = match instruction.operands.as_slice() {
        [Operand::List(results), Operand::Name(function), Operand::List(arguments)] => {
            (results.as_slice(), function, arguments.as_slice())
        }
        [Operand::List(results), Operand::Name(function)] => (results.as_slice(), function, empty),
        [Operand::Name(function), Operand::List(arguments)] => (empty, function, arguments.as_slice()),
        [Operand::Name(function)] => (empty, function, empty),
        _ => return Err(decoder.refuse("a call that is not known: only of a function by its name")),
    };
    let offsets = |operands: &[Operand]| -> Decoded<Vec<u32>> {
        operands.iter().map(|operand| decoder.frame_offset(name(decoder, operand)?)).collect()
    };
    let (results, arguments) = (offsets(results)?, offsets(arguments)?);
    match (function.as_str(), arguments.as_slice(), results.as_slice()) {
        ("__assertfail", &[message, file, line, function, _], []) => {
            decoder.control(Control::Assert([message, file, line, function]));
            return Ok(());
        }
        ("vprintf", &[format, values], &[result]) => {
            decoder.control(Control::Print([format, values, result]));
            return Ok(());
        }
        _ => {}
    }
    let module = decoder.linker.environment.module;
    let called = module.functions.iter().find(|known| known.name == *function && known.body.is_some());
    let Some(called) = called else {
        return Err(decoder.refuse(&format!("the function `{function}` is not defined")));
    };
    if called.parameters.len() != arguments.len() || called.results.len() != results.len() {
        return Err(decoder.refuse(&format!("the function `{function}` has other parameters")));
    }
    let index = decoder.linker.function(function);
    let inside = |variables: &[Variable]| -> Vec<(u32, u32)> { frame_places(called, variables) };
    let arguments = arguments.iter().zip(inside(&called.parameters));
    let results = results.iter().zip(inside(&called.results));
    decoder.control(Control::Call {
        function: index,
        arguments: arguments.map(|(&from, (to, bytes))| Copied { from, to, bytes }).collect(),
        results: results.map(|(&to, (from, bytes))| Copied { from, to, bytes }).collect(),
    });
    Ok(())
}

/// Offsets and sizes of parameters in the frame of their function.
fn frame_places(function: &Function, variables: &[Variable]) -> Vec<(u32, u32)> {
    let frame = super::decoder::frame_layout(function);
    variables.iter().map(|variable| (frame.offsets[&variable.name], variable.bytes as u32)).collect()
}

fn barrier(decoder: &mut Decoder<'_, '_>, instruction: &Instruction, mut modifiers: Modifiers<'_>) -> Decoded<()> {
    if modifiers.flag("warp") {
        modifiers.expect(&["sync"])?;
        modifiers.end()?;
        let [members] = decoder.operands(instruction)?;
        let members = decoder.operand::<u32>(members)?;
        decoder.control(Control::Converge { members, name: "a barrier of the warp", run: None });
        return Ok(());
    }
    modifiers.flag("cta");
    let kind = modifiers.expect(&["sync", "red"])?;
    modifiers.flag("aligned");
    if kind == "sync" {
        modifiers.end()?;
        let (id, threads) = match instruction.operands.as_slice() {
            [id] => (id, None),
            [id, threads] => (id, Some(decoder.operand::<u32>(threads)?)),
            _ => return Err(decoder.refuse("expected one or two operands")),
        };
        let id = decoder.operand::<u32>(id)?;
        decoder.control(Control::Barrier(Barrier { id, threads, reduce: None }));
        return Ok(());
    }
    let ty = modifiers.ty()?;
    let operation = modifiers.expect(&["popc", "and", "or"])?;
    modifiers.end()?;
    let (to, id, threads, predicate) = match instruction.operands.as_slice() {
        [to, id, predicate] => (to, id, None, predicate),
        [to, id, threads, predicate] => (to, id, Some(decoder.operand::<u32>(threads)?), predicate),
        _ => return Err(decoder.refuse("expected three or four operands")),
    };
    let (class, function): (Class, fn(u32, u32) -> u32) = match (operation, ty) {
        ("popc", Type::U32) => (Class::B32, |a, b| a + b),
        ("and", Type::Pred) => (Class::Predicate, |a, b| a & b),
        ("or", Type::Pred) => (Class::Predicate, |a, b| a | b),
        _ => return Err(decoder.refuse("an operation that the type does not have")),
    };
    let to = Register { class, index: decoder.result_row(to, class)? };
    let (id, predicate) = (decoder.operand::<u32>(id)?, decoder.predicate(predicate)?);
    let reduce = Some(BarrierReduce { function, predicate, to });
    decoder.control(Control::Barrier(Barrier { id, threads, reduce }));
    Ok(())
}
