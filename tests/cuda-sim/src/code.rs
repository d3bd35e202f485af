//! Decoded programs: what [`crate::decode`] makes and [`crate::exec`] runs.
//!
//! A program is a kernel and the functions it calls, each decoded for this kernel: the addresses of shared variables
//! are those of its layout. One PTX instruction is one or a few steps; jumps go to the first of them.

use crate::exec::lanes::LaneStep;
use crate::exec::memory_step::MemoryStep;
use crate::exec::registers::{Register, Registers};

/// A kernel and what it calls.
pub(crate) struct Program {
    /// The kernel is the first.
    pub functions: Vec<Code>,
    pub parameters: Vec<Parameter>,
    /// Bytes of shared memory that the kernel declares; dynamic shared memory begins here.
    pub shared_bytes: usize,
    pub max_threads: u32,
    /// Source files by their number in [`Line::source`].
    pub files: Vec<(u32, String)>,
}

/// Where a kernel expects a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Offset in the bytes of all parameters.
    pub offset: usize,
    /// Size in bytes.
    pub bytes: usize,
}

/// A decoded function.
pub(crate) struct Code {
    pub instructions: Vec<Instruction>,
    /// Where each instruction stands in the text.
    pub lines: Vec<Line>,
    /// Registers as they are when the function begins: zeros, and the immediates in their rows.
    pub registers: Registers,
    /// Rows that hold special registers.
    pub specials: Vec<(Special, u32)>,
    /// Bytes of local memory that a call of the function needs.
    pub frame_bytes: usize,
}

pub(crate) struct Instruction {
    pub guard: Option<Guard>,
    pub step: Step,
}

/// The lanes of a predicate, or the others.
#[derive(Clone, Copy)]
pub(crate) struct Guard {
    pub predicate: u32,
    pub negated: bool,
}

impl Guard {
    /// The lanes for which it holds; also of inactive ones.
    #[inline(always)]
    pub(crate) fn mask(self, registers: &Registers) -> u32 {
        let predicate = registers.predicates[self.predicate as usize];
        if self.negated { !predicate } else { predicate }
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Line {
    /// Line of the PTX text.
    pub ptx: u32,
    /// File and line of the source.
    pub source: Option<(u32, u32)>,
}

pub(crate) enum Step {
    Lanes(LaneStep),
    Memory(MemoryStep),
    Control(Control),
}

/// What moves a program counter other than to the next instruction.
pub(crate) enum Control {
    Branch(u32),
    /// `brx.idx`: to the target that a row names.
    BranchTable {
        index: u32,
        targets: Vec<u32>,
    },
    /// Leaves the function; in a kernel, ends the thread.
    Return,
    Exit,
    Trap,
    Call {
        function: usize,
        arguments: Vec<Copied>,
        results: Vec<Copied>,
    },
    /// A failed device `assert`, with where its parameters lie in the frame: message, file, line, function.
    Assert([u32; 4]),
    /// `printf`, with where its parameters and its result lie in the frame: format, values, result.
    Print([u32; 3]),
    Barrier(Barrier),
    /// Waits until all live lanes of the members, a row, are here, and then runs with exactly the lanes that are.
    Converge {
        members: u32,
        name: &'static str,
        run: Option<LaneStep>,
    },
}

/// Bytes that a call copies from one frame to another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Copied {
    pub from: u32,
    pub to: u32,
    pub bytes: u32,
}

/// A barrier of the block.
pub(crate) struct Barrier {
    /// Row of its number.
    pub id: u32,
    /// Row of the number of threads that it waits for; all live ones without.
    pub threads: Option<u32>,
    pub reduce: Option<BarrierReduce>,
}

/// What a barrier computes of a predicate of all its threads.
pub(crate) struct BarrierReduce {
    pub function: fn(u32, u32) -> u32,
    pub predicate: Guard,
    pub to: Register,
}

/// A register that the hardware fills.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Special {
    /// `%tid`, and the axis.
    Thread(usize),
    BlockSize(usize),
    Block(usize),
    GridSize(usize),
    Lane,
    Warp,
    Warps,
    LaneMaskEq,
    LaneMaskLt,
    LaneMaskLe,
    LaneMaskGt,
    LaneMaskGe,
    DynamicShared,
    TotalShared,
    /// Always zero here: one multiprocessor, grid zero.
    Zero,
    /// Always one here.
    One,
}
