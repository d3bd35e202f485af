//! Syntax trees to programs.
//!
//! Every opcode has one place that reads its modifiers, one after the other; what is left over is refused with the line.
//! So a modifier that nobody thought of is an error, never ignored.

mod compare;
mod control;
mod convert;
mod decoder;
mod float;
mod half;
mod integer;
mod memory;
mod modifiers;
mod moves;
mod warp;

use std::collections::HashMap;

use crate::code::{Control, Parameter, Program, Step};
use crate::ptx::PtxError;
use crate::ptx::syntax::{Function, Instruction, Module, StateSpace, Variable};
use decoder::Decoder;

/// What names outside a function mean.
pub(crate) struct Environment<'a> {
    pub module: &'a Module,
    /// Device addresses of the module's variables.
    pub globals: &'a HashMap<String, u64>,
}

/// Decodes a kernel and the functions that it calls.
pub(crate) fn program(environment: &Environment<'_>, kernel: &Function) -> Result<Program, PtxError> {
    let (parameters, _) = layout(&kernel.parameters, 0);
    let mut linker =
        Linker { environment, names: vec![kernel.name.clone()], shared: shared_layout(environment, kernel) };
    let mut functions = Vec::new();
    // Decoding a function may find further ones that it calls.
    while let Some(name) = linker.names.get(functions.len()).cloned() {
        let function = environment.module.functions.iter().find(|function| function.name == name);
        let function = function.expect("only defined functions are linked");
        functions.push(decode_function(&mut linker, function)?);
    }
    let mut files: Vec<_> = environment.module.files.iter().map(|(&number, name)| (number, name.clone())).collect();
    files.sort();
    Ok(Program {
        functions,
        parameters: parameters.iter().map(|&(offset, bytes)| Parameter { offset, bytes }).collect(),
        shared_bytes: linker.shared.bytes,
        max_threads: kernel.max_threads.unwrap_or(1024),
        files,
    })
}

/// What the functions of one program share.
struct Linker<'a> {
    environment: &'a Environment<'a>,
    /// Functions of the program by their index, decoded or to be.
    names: Vec<String>,
    shared: SharedLayout,
}

/// Shared memory of a kernel.
struct SharedLayout {
    offsets: HashMap<String, usize>,
    /// Bytes of the variables with a size; dynamic ones begin here.
    bytes: usize,
}

impl Linker<'_> {
    /// The index of a function in the program.
    fn function(&mut self, name: &str) -> usize {
        self.names.iter().position(|known| known == name).unwrap_or_else(|| {
            self.names.push(name.to_owned());
            self.names.len() - 1
        })
    }
}

/// Offsets and sizes of variables one after the other, and where they end.
fn layout(variables: &[Variable], start: usize) -> (Vec<(usize, usize)>, usize) {
    let mut end = start;
    let places = variables.iter().map(|variable| {
        let offset = end.next_multiple_of(variable.align.max(1));
        end = offset + variable.bytes;
        (offset, variable.bytes)
    });
    (places.collect(), end)
}

/// Places the shared variables that a kernel can name: its own, those of the module, and those of device functions.
fn shared_layout(environment: &Environment<'_>, kernel: &Function) -> SharedLayout {
    let own = |function: &'_ Function| function.body.iter().flat_map(|body| body.variables.clone()).collect::<Vec<_>>();
    let of_functions = environment.module.functions.iter().filter(|function| !function.is_kernel).flat_map(own);
    let named: Vec<Variable> =
        own(kernel).into_iter().chain(of_functions).chain(environment.module.variables.clone()).collect();
    let is_used = |variable: &Variable| {
        let names_it = |function: &Function| {
            function
                .body
                .iter()
                .flat_map(|body| &body.instructions)
                .any(|instruction| instruction.names(&variable.name))
        };
        names_it(kernel)
            || environment.module.functions.iter().any(|function| !function.is_kernel && names_it(function))
    };
    let used = |dynamic: bool| {
        let wanted = |variable: &&Variable| {
            variable.space == StateSpace::Shared && variable.dynamic == dynamic && is_used(variable)
        };
        named.iter().filter(wanted).cloned().collect::<Vec<_>>()
    };
    let (sized, dynamic) = (used(false), used(true));
    let (places, end) = layout(&sized, 0);
    let align = dynamic.iter().map(|variable| variable.align).max().unwrap_or(1);
    let bytes = end.next_multiple_of(align.max(1));
    let mut offsets: HashMap<_, _> =
        sized.iter().map(|variable| variable.name.clone()).zip(places.iter().map(|place| place.0)).collect();
    offsets.extend(dynamic.iter().map(|variable| (variable.name.clone(), bytes)));
    SharedLayout { offsets, bytes }
}

fn decode_function(linker: &mut Linker<'_>, function: &Function) -> Result<crate::code::Code, PtxError> {
    let body = function.body.as_ref().expect("only functions with a body are linked");
    let mut decoder = Decoder::new(linker, function, body);
    let mut starts = Vec::with_capacity(body.instructions.len() + 1);
    for instruction in &body.instructions {
        starts.push(decoder.position());
        decode_instruction(&mut decoder, instruction)?;
    }
    starts.push(decoder.position());
    // Control that falls off the end returns.
    decoder.end();
    let mut code = decoder.finish();
    for instruction in &mut code.instructions {
        match &mut instruction.step {
            Step::Control(Control::Branch(target)) => *target = starts[*target as usize],
            Step::Control(Control::BranchTable { targets, .. }) => {
                targets.iter_mut().for_each(|target| *target = starts[*target as usize]);
            }
            _ => {}
        }
    }
    Ok(code)
}

fn decode_instruction(decoder: &mut Decoder<'_, '_>, instruction: &Instruction) -> Result<(), PtxError> {
    decoder.begin(instruction)?;
    let opcode = instruction.opcode.as_str();
    match opcode {
        "mov" | "cvta" | "isspacep" => moves::decode(decoder, instruction),
        "add" | "sub" | "mul" | "min" | "max" | "neg" | "abs" | "fma" | "mad" | "div" | "ex2" | "tanh" => {
            match decoder.type_of(instruction)? {
                ty if ty.is_half() => half::decode(decoder, instruction),
                ty if ty.is_float() => float::decode(decoder, instruction),
                _ => integer::decode(decoder, instruction),
            }
        }
        "sqrt" | "rcp" | "rsqrt" | "sin" | "cos" | "lg2" | "copysign" | "testp" => float::decode(decoder, instruction),
        "rem" | "mul24" | "mad24" | "sad" | "and" | "or" | "xor" | "not" | "cnot" | "shl" | "shr" | "shf" | "prmt"
        | "popc" | "clz" | "brev" | "bfind" | "bfe" | "bfi" | "bmsk" | "fns" | "lop3" | "dp4a" | "dp2a" | "addc"
        | "subc" | "madc" | "szext" => integer::decode(decoder, instruction),
        "setp" | "set" | "selp" | "slct" => compare::decode(decoder, instruction),
        "cvt" => convert::decode(decoder, instruction),
        "ld" | "ldu" | "st" | "atom" | "red" | "membar" | "fence" | "prefetch" | "prefetchu" => {
            memory::decode(decoder, instruction)
        }
        "shfl" | "vote" | "match" | "redux" | "activemask" | "elect" => warp::decode(decoder, instruction),
        "bra" | "brx" | "call" | "ret" | "exit" | "trap" | "bar" | "barrier" | "brkpt" | "nanosleep" => {
            control::decode(decoder, instruction)
        }
        _ => Err(decoder.refuse("an opcode that is not known")),
    }
}

impl Instruction {
    /// Whether an operand names this variable.
    fn names(&self, name: &str) -> bool {
        self.operands.iter().any(|operand| operand.names(name))
    }
}
