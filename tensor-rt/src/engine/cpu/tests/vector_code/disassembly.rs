//! The machine code of a function of this program: its loops, and how wide they compute.
//!
//! The code is read from the program's file, where the table of symbols says how long the function is. A *loop* is what
//! lies between the target of a backward jump and that jump, without a smaller loop inside: what a kernel spends its time
//! in.

use std::fmt;

use iced_x86::{Decoder, DecoderOptions, FlowControl, Instruction};
use object::{Object, ObjectSection, ObjectSymbol};

unsafe extern "C" {
    /// The first byte of the program, at address 0 of its file; the linker defines it.
    safe static __executable_start: u8;
}

/// The arithmetic of one loop, counted by width.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Loop {
    /// Instructions on vectors of 64 bytes.
    pub zmm: usize,
    /// On vectors of 32 bytes.
    pub ymm: usize,
    /// On vectors of 16 bytes.
    pub xmm: usize,
    /// On single numbers.
    pub scalar: usize,
}

impl fmt::Display for Loop {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Loop { zmm, ymm, xmm, scalar } = self;
        write!(out, "{zmm} zmm, {ymm} ymm, {xmm} xmm, {scalar} scalar")
    }
}

/// The functions of this program.
pub struct Program(Vec<u8>);

impl Program {
    /// This program.
    pub fn this() -> Self {
        let path = std::env::current_exe().expect("the program knows its file");
        Self(std::fs::read(path).expect("the program's file is readable"))
    }

    /// The loops of the function that starts at `entry`.
    pub fn loops(&self, entry: *const ()) -> Vec<Loop> {
        let code = self.instructions(entry);
        let backward = |code: &Instruction| {
            let jumps =
                matches!(code.flow_control(), FlowControl::ConditionalBranch | FlowControl::UnconditionalBranch);
            let (first, last) = (code.near_branch_target(), code.ip());
            (jumps && first <= last).then_some((first, last))
        };
        let spans: Vec<(u64, u64)> = code.iter().filter_map(backward).collect();
        let innermost = |&&(first, last): &&(u64, u64)| {
            !spans.iter().any(|&(from, to)| (from, to) != (first, last) && first <= from && to <= last)
        };
        let body = |&(first, last): &(u64, u64)| count(code.iter().filter(|code| (first..=last).contains(&code.ip())));
        spans.iter().filter(innermost).map(body).collect()
    }

    fn instructions(&self, entry: *const ()) -> Vec<Instruction> {
        let file = object::File::parse(&*self.0).expect("the program is an object file");
        let address = (entry.addr() - (&raw const __executable_start).addr()) as u64;
        let symbol = file.symbols().find(|symbol| symbol.address() == address && symbol.size() > 0);
        let size = symbol.expect("the program has its symbols").size();
        let text = file.section_by_name(".text").expect("the program has code");
        let code = text.data_range(address, size).expect("the code is readable").expect("functions are code");
        Decoder::with_ip(64, code, address, DecoderOptions::NONE).into_iter().collect()
    }
}

fn count<'a>(body: impl Iterator<Item = &'a Instruction>) -> Loop {
    let mut counts = Loop::default();
    for code in body {
        let mnemonic = format!("{:?}", code.mnemonic()).to_lowercase();
        let name = mnemonic.strip_prefix('v').unwrap_or(&mnemonic);
        let float = name.ends_with("ps") || name.ends_with("pd");
        let single = name.ends_with("ss") || name.ends_with("sd");
        // Vectors of integers; without the prefix these are instructions on general registers.
        let integer = name.strip_prefix('p');
        // Sums, products, quotients, roots, extremes, comparisons and fused operations; no moves.
        let arithmetic = ["add", "sub", "mul", "div", "sqrt", "max", "min", "cmp", "fm", "fnm"];
        let arithmetic = |name: &str| arithmetic.iter().any(|operation| name.starts_with(operation));
        if single && arithmetic(name) {
            counts.scalar += 1;
        } else if float && arithmetic(name) || integer.is_some_and(arithmetic) {
            match (0..code.op_count()).map(|operand| code.op_register(operand).size()).max() {
                Some(64) => counts.zmm += 1,
                Some(32) => counts.ymm += 1,
                _ => counts.xmm += 1,
            }
        }
    }
    counts
}
