//! The state of decoding one function: its registers, its frame, and the steps so far.

use std::collections::HashMap;

use super::{Linker, layout};
use crate::code::{self, Code, Control, Line, Special, Step};
use crate::exec::lanes::LaneStep;
use crate::exec::memory_step::MemoryStep;
use crate::exec::registers::{Bits, Class, LANES, Lane, Register, Registers};
use crate::exec::spaces::{Address, AddressSpace};
use crate::ptx::PtxError;
use crate::ptx::syntax::{Body, Function, Instruction, Operand, StateSpace, Type, Variable};

/// The predicate that holds the carry of each lane.
pub(super) const CARRY: u32 = 0;

pub(super) struct Decoder<'a, 'l> {
    pub linker: &'a mut Linker<'l>,
    body: &'a Body,
    code: Code,
    by_name: HashMap<String, Register>,
    constants: HashMap<(Class, u64), u32>,
    specials: HashMap<Special, u32>,
    /// Offsets in the frame of local and parameter variables.
    frame: HashMap<String, u32>,
    /// Offsets of the kernel's parameters.
    parameters: HashMap<String, usize>,
    /// Of the instruction being decoded.
    guard: Option<code::Guard>,
    line: Line,
    text: String,
}

type Decoded<T> = Result<T, PtxError>;

/// What a name of an address means.
pub(super) enum Place {
    /// An offset in a memory.
    Offset(AddressSpace, i64),
    /// A device address.
    Global(u64),
}

impl<'a, 'l> Decoder<'a, 'l> {
    pub(super) fn new(linker: &'a mut Linker<'l>, function: &Function, body: &'a Body) -> Self {
        let mut parameters = HashMap::new();
        if function.is_kernel {
            let (places, _) = layout(&function.parameters, 0);
            let offsets = places.iter().map(|place| place.0);
            parameters = function.parameters.iter().map(|variable| variable.name.clone()).zip(offsets).collect();
        }
        let Frame { offsets: frame, bytes: frame_bytes } = frame_layout(function);
        let code = Code {
            instructions: Vec::new(),
            lines: Vec::new(),
            registers: Registers { predicates: vec![0], ..Registers::default() },
            specials: Vec::new(),
            frame_bytes,
        };
        Self {
            linker,
            body,
            code,
            by_name: HashMap::new(),
            constants: HashMap::new(),
            specials: HashMap::new(),
            frame,
            parameters,
            guard: None,
            line: Line { ptx: 0, source: None },
            text: String::new(),
        }
    }

    /// Begins an instruction.
    pub(super) fn begin(&mut self, instruction: &Instruction) -> Decoded<()> {
        self.line = Line { ptx: instruction.line, source: instruction.source };
        self.text = instruction.spelled();
        self.guard = match &instruction.guard {
            None => None,
            Some(guard) => {
                let predicate = self.named(&guard.predicate, Class::Predicate)?.index;
                Some(code::Guard { predicate, negated: guard.negated })
            }
        };
        Ok(())
    }

    pub(super) fn refuse(&self, reason: &str) -> PtxError {
        PtxError::new(self.line.ptx, self.text.clone(), reason)
    }

    /// The type that an instruction ends in.
    pub(super) fn type_of(&self, instruction: &Instruction) -> Decoded<Type> {
        let ty = instruction.modifiers.last().and_then(|modifier| Type::parse(modifier));
        ty.ok_or_else(|| self.refuse("expected a type"))
    }

    pub(super) fn position(&self) -> u32 {
        self.code.instructions.len() as u32
    }

    /// Adds the step that ends the function.
    pub(super) fn end(&mut self) {
        self.guard = None;
        self.control(Control::Return);
    }

    pub(super) fn finish(mut self) -> Code {
        self.code.specials = self.specials.into_iter().collect();
        self.code
    }

    fn push(&mut self, step: Step) {
        self.code.instructions.push(code::Instruction { guard: self.guard, step });
        self.code.lines.push(self.line);
    }

    pub(super) fn lanes(&mut self, step: LaneStep) {
        self.push(Step::Lanes(step));
    }

    pub(super) fn memory(&mut self, step: MemoryStep) {
        self.push(Step::Memory(step));
    }

    pub(super) fn control(&mut self, control: Control) {
        self.push(Step::Control(control));
    }

    /// The operands, which must be this many.
    pub(super) fn operands<'i, const N: usize>(&self, instruction: &'i Instruction) -> Decoded<[&'i Operand; N]> {
        let operands: Vec<&Operand> = instruction.operands.iter().collect();
        operands.try_into().map_err(|_| self.refuse(&format!("expected {N} operands")))
    }

    /// A new register that no name means.
    pub(super) fn temporary(&mut self, class: Class) -> u32 {
        let registers = &mut self.code.registers;
        match class {
            Class::Predicate => push(&mut registers.predicates, 0),
            Class::B16 => push(&mut registers.b16, [0; LANES]),
            Class::B32 => push(&mut registers.b32, [0; LANES]),
            Class::B64 => push(&mut registers.b64, [0; LANES]),
        }
    }

    /// The declared register of a name, if it is one.
    pub(super) fn register(&mut self, name: &str) -> Decoded<Option<Register>> {
        if let Some(&register) = self.by_name.get(name) {
            return Ok(Some(register));
        }
        let Some(ty) = self.body.registers.get(name) else { return Ok(None) };
        let Some(class) = ty.class() else { return Err(self.refuse("a type of registers that is not known")) };
        let register = Register { class, index: self.temporary(class) };
        self.by_name.insert(name.to_owned(), register);
        Ok(Some(register))
    }

    /// The register of a name, of this class.
    fn named(&mut self, name: &str, class: Class) -> Decoded<Register> {
        match self.register(name)? {
            Some(register) if register.class == class => Ok(register),
            Some(register) => Err(self.refuse(&format!("`{name}` is {:?}, expected {class:?}", register.class))),
            None => Err(self.refuse(&format!("`{name}` is no register"))),
        }
    }

    /// The row of a constant.
    pub(super) fn constant(&mut self, class: Class, bits: u64) -> u32 {
        if let Some(&index) = self.constants.get(&(class, bits)) {
            return index;
        }
        let index = self.temporary(class);
        let registers = &mut self.code.registers;
        match class {
            Class::Predicate => registers.predicates[index as usize] = if bits & 1 != 0 { u32::MAX } else { 0 },
            Class::B16 => registers.b16[index as usize] = [bits as u16; LANES],
            Class::B32 => registers.b32[index as usize] = [bits as u32; LANES],
            Class::B64 => registers.b64[index as usize] = [bits; LANES],
        }
        self.constants.insert((class, bits), index);
        index
    }

    /// The row of a special register of 32 bits.
    fn special(&mut self, special: Special) -> u32 {
        if let Some(&index) = self.specials.get(&special) {
            return index;
        }
        let index = self.temporary(Class::B32);
        self.specials.insert(special, index);
        index
    }

    /// Where a result of a type goes.
    pub(super) fn result<T: Lane>(&mut self, operand: &Operand) -> Decoded<u32> {
        self.result_row(operand, T::Bits::CLASS)
    }

    /// Where a result of a class goes; `_` is a register that nobody reads.
    pub(super) fn result_row(&mut self, operand: &Operand, class: Class) -> Decoded<u32> {
        match operand {
            Operand::Name(name) if name == "_" => Ok(self.temporary(class)),
            Operand::Name(name) => Ok(self.named(name, class)?.index),
            _ => Err(self.refuse("expected a register")),
        }
    }

    /// The row of an operand of a type.
    pub(super) fn operand<T: Lane>(&mut self, operand: &Operand) -> Decoded<u32> {
        self.operand_row(operand, T::Bits::CLASS)
    }

    /// The row of an operand of a class.
    pub(super) fn operand_row(&mut self, operand: &Operand, class: Class) -> Decoded<u32> {
        let bits = match *operand {
            Operand::Name(ref name) => return self.named_operand(name, class),
            Operand::Int(value) => value as u64,
            Operand::Float32(bits) if class == Class::B32 => u64::from(bits),
            Operand::Float64(bits) if class == Class::B64 => bits,
            _ => return Err(self.refuse("an operand that is not known here")),
        };
        Ok(self.constant(class, bits))
    }

    fn named_operand(&mut self, name: &str, class: Class) -> Decoded<u32> {
        if let Some(register) = self.register(name)? {
            return self.named(name, class).map(|_| register.index);
        }
        if let Some(special) = special(name) {
            if class != Class::B32 {
                return Err(self.refuse(&format!("`{name}` has 32 bits, expected {class:?}")));
            }
            return Ok(self.special(special));
        }
        Err(self.refuse(&format!("`{name}` is not known")))
    }

    /// An operand in whatever register it is, and if it is none in one of this class.
    pub(super) fn operand_register(&mut self, operand: &Operand, class: Class) -> Decoded<Register> {
        if let Operand::Name(name) = operand
            && let Some(register) = self.register(name)?
        {
            return Ok(register);
        }
        Ok(Register { class, index: self.operand_row(operand, class)? })
    }

    /// A predicate operand, perhaps negated.
    pub(super) fn predicate(&mut self, operand: &Operand) -> Decoded<code::Guard> {
        match operand {
            Operand::Not(name) => {
                Ok(code::Guard { predicate: self.named(name, Class::Predicate)?.index, negated: true })
            }
            _ => Ok(code::Guard { predicate: self.operand_row(operand, Class::Predicate)?, negated: false }),
        }
    }

    /// What the name of a variable means.
    pub(super) fn place(&mut self, name: &str) -> Decoded<Place> {
        if let Some(&offset) = self.frame.get(name) {
            return Ok(Place::Offset(AddressSpace::Frame, i64::from(offset)));
        }
        if let Some(&offset) = self.parameters.get(name) {
            return Ok(Place::Offset(AddressSpace::Param, offset as i64));
        }
        if let Some(&offset) = self.linker.shared.offsets.get(name) {
            return Ok(Place::Offset(AddressSpace::Shared, offset as i64));
        }
        if let Some(&address) = self.linker.environment.globals.get(name) {
            return Ok(Place::Global(address));
        }
        Err(self.refuse(&format!("`{name}` is not known")))
    }

    /// Where a variable of this function lies in its frame.
    pub(super) fn frame_offset(&self, name: &str) -> Decoded<u32> {
        self.frame.get(name).copied().ok_or_else(|| self.refuse(&format!("`{name}` is no parameter of a call")))
    }

    /// The address operand of an instruction that names a space.
    pub(super) fn address(&mut self, operand: &Operand, space: AddressSpace) -> Decoded<Address> {
        let Operand::Address { base, offset } = operand else { return Err(self.refuse("expected an address")) };
        let Some(name) = base else { return Ok(Address { space, base: None, offset: *offset }) };
        if let Some(register) = self.register(name)? {
            let fits = register.class == Class::B64 || register.class == Class::B32 && space != AddressSpace::Generic;
            if !fits {
                return Err(self.refuse("an address must have 64 bits, or 32 in a space of its own"));
            }
            return Ok(Address { space, base: Some(register), offset: *offset });
        }
        match self.place(name)? {
            Place::Global(start) => Ok(Address { space, base: None, offset: offset.wrapping_add(start as i64) }),
            Place::Offset(own, start) => {
                let agrees = own == space
                    || own == AddressSpace::Frame && matches!(space, AddressSpace::Local | AddressSpace::Param);
                if !agrees {
                    return Err(self.refuse(&format!("`{name}` lies in another space")));
                }
                Ok(Address { space: own, base: None, offset: offset.wrapping_add(start) })
            }
        }
    }

    /// Position of the instruction that a label stands at.
    pub(super) fn label(&self, name: &str) -> Decoded<u32> {
        match self.body.labels.get(name) {
            Some(&position) => Ok(position as u32),
            None => Err(self.refuse(&format!("the label `{name}` is not known"))),
        }
    }

    /// The labels of a jump table.
    pub(super) fn table(&self, name: &str) -> Decoded<Vec<u32>> {
        match self.body.tables.get(name) {
            Some(labels) => labels.iter().map(|label| self.label(label)).collect(),
            None => Err(self.refuse(&format!("the jump table `{name}` is not known"))),
        }
    }
}

/// Local memory of one call of a function.
pub(super) struct Frame {
    pub offsets: HashMap<String, u32>,
    pub bytes: usize,
}

/// Places the local variables of a function, its results and parameters if it is no kernel, and those of its calls.
pub(super) fn frame_layout(function: &Function) -> Frame {
    let own = function.body.iter().flat_map(|body| &body.variables);
    let mut variables: Vec<Variable> =
        own.filter(|variable| matches!(variable.space, StateSpace::Local | StateSpace::Param)).cloned().collect();
    if !function.is_kernel {
        variables.extend(function.results.iter().chain(&function.parameters).cloned());
    }
    // Room for 8 bytes each, so that a system call can read its parameters without knowing their sizes.
    for variable in &mut variables {
        variable.bytes = variable.bytes.max(8);
        variable.align = variable.align.max(8);
    }
    let (places, end) = layout(&variables, 0);
    let offsets = variables.into_iter().map(|variable| variable.name).zip(places.iter().map(|place| place.0 as u32));
    Frame { offsets: offsets.collect(), bytes: end.next_multiple_of(16) }
}

fn push<T>(rows: &mut Vec<T>, row: T) -> u32 {
    rows.push(row);
    rows.len() as u32 - 1
}

fn special(name: &str) -> Option<Special> {
    let axis = |text: &str| ["x", "y", "z"].iter().position(|axis| *axis == text);
    if let Some((name, component)) = name.split_once('.') {
        let axis = axis(component)?;
        return Some(match name {
            "%tid" => Special::Thread(axis),
            "%ntid" => Special::BlockSize(axis),
            "%ctaid" => Special::Block(axis),
            "%nctaid" => Special::GridSize(axis),
            _ => return None,
        });
    }
    Some(match name {
        "%laneid" => Special::Lane,
        "%warpid" => Special::Warp,
        "%nwarpid" => Special::Warps,
        "%lanemask_eq" => Special::LaneMaskEq,
        "%lanemask_lt" => Special::LaneMaskLt,
        "%lanemask_le" => Special::LaneMaskLe,
        "%lanemask_gt" => Special::LaneMaskGt,
        "%lanemask_ge" => Special::LaneMaskGe,
        "%dynamic_smem_size" => Special::DynamicShared,
        "%total_smem_size" => Special::TotalShared,
        "%smid" => Special::Zero,
        "%nsmid" => Special::One,
        _ => return None,
    })
}

impl Type {
    /// The registers that values of the type live in.
    pub(super) fn class(self) -> Option<Class> {
        Some(match self {
            Self::Pred => Class::Predicate,
            Self::B8 | Self::U8 | Self::S8 => Class::B16,
            _ => match self.bytes() {
                2 => Class::B16,
                4 => Class::B32,
                _ => Class::B64,
            },
        })
    }

    pub(super) fn is_half(self) -> bool {
        matches!(self, Self::F16 | Self::F16x2 | Self::Bf16 | Self::Bf16x2)
    }

    pub(super) fn is_float(self) -> bool {
        matches!(self, Self::F32 | Self::F64)
    }
}

impl Operand {
    /// Whether the operand names this variable.
    pub(super) fn names(&self, variable: &str) -> bool {
        match self {
            Self::Name(name) => name == variable,
            Self::Address { base, .. } => base.as_deref() == Some(variable),
            Self::Vector(operands) | Self::List(operands) => operands.iter().any(|operand| operand.names(variable)),
            Self::Not(_) | Self::Pair(..) | Self::Int(_) | Self::Float32(_) | Self::Float64(_) => false,
        }
    }
}
