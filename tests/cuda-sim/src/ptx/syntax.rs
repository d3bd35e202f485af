//! The syntax tree.

use std::collections::HashMap;

/// A text.
#[derive(Debug, Default)]
pub(crate) struct Module {
    /// `.version 8.8` is `(8, 8)`.
    pub version: (u32, u32),
    /// `sm_80`.
    pub target: String,
    /// Source files by their number.
    pub files: HashMap<u32, String>,
    pub variables: Vec<Variable>,
    pub functions: Vec<Function>,
}

/// The type of an instruction or a declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Type {
    B8,
    B16,
    B32,
    B64,
    U8,
    U16,
    U32,
    U64,
    S8,
    S16,
    S32,
    S64,
    F16,
    F16x2,
    Bf16,
    Bf16x2,
    F32,
    F64,
    Pred,
}

/// Where a variable lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StateSpace {
    Global,
    Const,
    Shared,
    Local,
    Param,
}

/// A declared variable or parameter.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    pub name: String,
    pub space: StateSpace,
    pub align: usize,
    pub bytes: usize,
    /// What it begins with; shorter than `bytes` means zeros after it.
    pub initial: Vec<Initial>,
    /// `.extern .shared x[]`: its size is given at the launch.
    pub dynamic: bool,
    pub line: u32,
}

/// A part of an initial value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Initial {
    Bytes(Vec<u8>),
    /// The address of another variable, as 8 bytes.
    Address {
        name: String,
        offset: i64,
    },
}

/// A kernel or a device function.
#[derive(Debug)]
pub(crate) struct Function {
    pub name: String,
    pub is_kernel: bool,
    pub results: Vec<Variable>,
    pub parameters: Vec<Variable>,
    /// Absent for a declaration.
    pub body: Option<Body>,
    /// From `.maxntid` or `.reqntid`.
    pub max_threads: Option<u32>,
}

#[derive(Debug, Default)]
pub(crate) struct Body {
    /// Registers by name; `%r<3>` declares `%r0`, `%r1`, `%r2`.
    pub registers: Registers,
    pub variables: Vec<Variable>,
    /// Position in `instructions` by label.
    pub labels: HashMap<String, usize>,
    /// Labels of a jump table by its name.
    pub tables: HashMap<String, Vec<String>>,
    pub instructions: Vec<Instruction>,
}

/// The declared registers of a function.
#[derive(Debug, Default)]
pub(crate) struct Registers {
    pub single: HashMap<String, Type>,
    pub ranges: Vec<(String, u32, Type)>,
}

#[derive(Clone, Debug)]
pub(crate) struct Instruction {
    pub guard: Option<Guard>,
    /// `add`
    pub opcode: String,
    /// `["rn", "f32"]`
    pub modifiers: Vec<String>,
    pub operands: Vec<Operand>,
    /// The line of the text.
    pub line: u32,
    /// File and line of the source, from `.loc`.
    pub source: Option<(u32, u32)>,
}

/// `@%p` or `@!%p`
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Guard {
    pub predicate: String,
    pub negated: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Operand {
    /// A register, variable, label or function; `_` is nothing.
    Name(String),
    /// `!%p`
    Not(String),
    /// `%p|%q`
    Pair(Box<Operand>, Box<Operand>),
    Int(i64),
    Float32(u32),
    Float64(u64),
    /// `[name + offset]`, or `[offset]`.
    Address {
        base: Option<String>,
        offset: i64,
    },
    /// `{a, b}`
    Vector(Vec<Operand>),
    /// `(a, b)` of a call
    List(Vec<Operand>),
}

impl Type {
    pub(crate) fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "b8" => Self::B8,
            "b16" => Self::B16,
            "b32" => Self::B32,
            "b64" => Self::B64,
            "u8" => Self::U8,
            "u16" => Self::U16,
            "u32" => Self::U32,
            "u64" => Self::U64,
            "s8" => Self::S8,
            "s16" => Self::S16,
            "s32" => Self::S32,
            "s64" => Self::S64,
            "f16" => Self::F16,
            "f16x2" => Self::F16x2,
            "bf16" => Self::Bf16,
            "bf16x2" => Self::Bf16x2,
            "f32" => Self::F32,
            "f64" => Self::F64,
            "pred" => Self::Pred,
            _ => return None,
        })
    }

    /// Its size in memory.
    pub(crate) fn bytes(self) -> usize {
        match self {
            Self::B8 | Self::U8 | Self::S8 | Self::Pred => 1,
            Self::B16 | Self::U16 | Self::S16 | Self::F16 | Self::Bf16 => 2,
            Self::B32 | Self::U32 | Self::S32 | Self::F32 | Self::F16x2 | Self::Bf16x2 => 4,
            Self::B64 | Self::U64 | Self::S64 | Self::F64 => 8,
        }
    }

    pub(crate) fn is_signed(self) -> bool {
        matches!(self, Self::S8 | Self::S16 | Self::S32 | Self::S64)
    }
}

impl Registers {
    /// The type of a register, if it was declared.
    pub(crate) fn get(&self, name: &str) -> Option<Type> {
        if let Some(&ty) = self.single.get(name) {
            return Some(ty);
        }
        // `%r12` of the range `%r<20>`; the name may have a suffix of its scope, which the prefix has too.
        self.ranges.iter().rev().find_map(|(prefix, count, ty)| {
            let number = match prefix.split_once('\'') {
                None => name.strip_prefix(prefix.as_str())?,
                Some((prefix, scope)) => name.strip_suffix(scope)?.strip_suffix('\'')?.strip_prefix(prefix)?,
            };
            number.parse::<u32>().is_ok_and(|number| number < *count).then_some(*ty)
        })
    }
}

impl Instruction {
    /// Opcode and modifiers as they stand in the text.
    pub(crate) fn spelled(&self) -> String {
        self.modifiers.iter().fold(self.opcode.clone(), |text, modifier| text + "." + modifier)
    }
}
