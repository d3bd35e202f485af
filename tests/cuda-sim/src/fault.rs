//! What went wrong on the device, and where.
//!
//! A [`Fault`] is a kind and, when a kernel caused it, a place. Offsets are relative to the start of an allocation, so
//! that a report does not depend on where the allocation happened to lie.

use std::fmt;

/// Why a kernel or a copy was stopped.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// What happened.
    pub kind: Box<FaultKind>,
    /// The instruction that did it; absent for faults of the host, such as a copy outside its allocation.
    pub place: Option<Box<Place>>,
}

/// What happened.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the sentence above a variant names its fields")]
pub enum FaultKind {
    /// An access begins or ends outside the allocation that its pointer belongs to.
    OutOfBounds { access: Access, bytes: usize, allocation: AllocationName, offset: i64 },
    /// An access to an allocation that was freed.
    UseAfterFree { access: Access, bytes: usize, allocation: AllocationName, offset: i64 },
    /// An address that no allocation ever had; null among them.
    NotAnAddress { access: Access, bytes: usize, address: u64 },
    /// An access outside shared, local or parameter memory.
    OutOfSpace { access: Access, bytes: usize, space: Space, offset: i64, size: usize },
    /// A read of bytes that nobody wrote.
    Uninitialised { bytes: usize, allocation: AllocationName, offset: i64 },
    /// An address that is no multiple of the size of the access.
    Misaligned { access: Access, bytes: usize, address: u64 },
    /// Memory of another device, without peer access.
    WrongDevice { access: Access, allocation: AllocationName, owner: u32, device: u32 },
    /// Two blocks touch one word, one of them writes, and nothing orders them.
    BlockRace { access: Access, before: Access, allocation: AllocationName, offset: i64, other: u32 },
    /// Two warps touch one word of shared memory, one of them writes, and no barrier stands between.
    WarpRace { access: Access, before: Access, offset: i64, other: u32 },
    /// No thread of the block can go on.
    Deadlock { waiting: String },
    /// The kernel executed `trap`.
    Trap,
    /// A device `assert` failed.
    Assert { message: String, file: String, line: u32, function: String },
    /// The kernel executed more warp instructions than allowed.
    Timeout { instructions: u64 },
    /// A jump table has no such entry.
    BranchTable { index: u32, targets: usize },
    /// Calls nested deeper than the stack of a thread.
    StackOverflow { depth: usize },
    /// A free of an address that is no start of an allocation, or of one freed before.
    InvalidFree { address: u64 },
}

/// How memory was touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// A load.
    Read,
    /// A store.
    Write,
    /// A read and a write in one.
    Atomic,
}

/// A memory that belongs to a block, a thread or a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// Shared by the threads of a block.
    Shared,
    /// Of one thread.
    Local,
    /// The parameters of a launch.
    Param,
}

/// An allocation as reports name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AllocationName {
    /// Its place in the order of all allocations, from 1.
    pub number: u64,
    /// Its size in bytes.
    pub bytes: usize,
    /// The name that the host gave it.
    pub label: Option<String>,
}

/// The instruction that caused a fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The kernel.
    pub kernel: String,
    /// Index of the block in the grid.
    pub block: [u32; 3],
    /// Index of the thread in the block.
    pub thread: [u32; 3],
    /// The line of the PTX text, from 1.
    pub ptx_line: u32,
    /// File and line of the source, where the PTX says them.
    pub source: Option<(String, u32)>,
    /// Position of the kernel's parameter that points into the allocation concerned.
    pub parameter: Option<usize>,
}

impl Fault {
    pub(crate) fn new(kind: FaultKind) -> Self {
        Self { kind: Box::new(kind), place: None }
    }
}

impl From<FaultKind> for Fault {
    fn from(kind: FaultKind) -> Self {
        Self::new(kind)
    }
}

impl std::error::Error for Fault {}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.kind)?;
        let Some(place) = &self.place else { return Ok(()) };
        if let Some(parameter) = place.parameter {
            write!(f, " | parameter {parameter}")?;
        }
        let ([bx, by, bz], [tx, ty, tz]) = (place.block, place.thread);
        write!(f, " | kernel `{}`, block ({bx}, {by}, {bz}), thread ({tx}, {ty}, {tz})", place.kernel)?;
        write!(f, " | PTX line {}", place.ptx_line)?;
        match &place.source {
            Some((file, line)) => write!(f, ", {file}:{line}"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OutOfBounds { access, bytes, allocation, offset } => {
                write!(f, "out of bounds: {access} of {bytes} bytes at offset {offset} of {allocation}")
            }
            Self::UseAfterFree { access, bytes, allocation, offset } => {
                write!(f, "use after free: {access} of {bytes} bytes at offset {offset} of {allocation}, freed before")
            }
            Self::NotAnAddress { access, bytes, address: 0 } => {
                write!(f, "null pointer: {access} of {bytes} bytes")
            }
            Self::NotAnAddress { access, bytes, address } => {
                write!(f, "no allocation: {access} of {bytes} bytes at address {address:#x}")
            }
            Self::OutOfSpace { access, bytes, space, offset, size } => {
                write!(
                    f,
                    "out of bounds: {access} of {bytes} bytes at offset {offset} of {size} bytes of {space} memory"
                )
            }
            Self::Uninitialised { bytes, allocation, offset } => {
                write!(f, "uninitialised memory: read of {bytes} bytes at offset {offset} of {allocation}")
            }
            Self::Misaligned { access, bytes, address } => {
                write!(f, "misaligned address: {access} of {bytes} bytes at address {address:#x}")
            }
            Self::WrongDevice { access, allocation, owner, device } => {
                write!(f, "wrong device: {access} by device {device} of {allocation}, which belongs to device {owner}")
            }
            Self::BlockRace { access, before, allocation, offset, other } => {
                let word = format_args!("the word at offset {offset} of {allocation}");
                write!(f, "race between blocks: {access} of {word} after a {before} by block #{other}, not ordered")
            }
            Self::WarpRace { access, before, offset, other } => {
                let word = format_args!("the word at offset {offset} of shared memory");
                write!(f, "race between warps: {access} of {word} after a {before} by warp {other}, no barrier between")
            }
            Self::Deadlock { waiting } => write!(f, "deadlock: {waiting}"),
            Self::Trap => write!(f, "trap"),
            Self::Assert { message, file, line, function } => {
                write!(f, "assertion `{message}` failed in `{function}` at {file}:{line}")
            }
            Self::Timeout { instructions } => write!(f, "timeout: more than {instructions} warp instructions"),
            Self::BranchTable { index, targets } => {
                write!(f, "jump table: entry {index} of a table of {targets}")
            }
            Self::StackOverflow { depth } => write!(f, "stack overflow: calls nested {depth} deep"),
            Self::InvalidFree { address } => {
                write!(f, "invalid free: {address:#x} is no start of a live allocation")
            }
        }
    }
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Atomic => "atomic access",
        })
    }
}

impl fmt::Display for Space {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Shared => "shared",
            Self::Local => "local",
            Self::Param => "parameter",
        })
    }
}

impl fmt::Display for AllocationName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "allocation #{}", self.number)?;
        if let Some(label) = &self.label {
            write!(f, " `{label}`")?;
        }
        write!(f, " ({} bytes)", self.bytes)
    }
}
