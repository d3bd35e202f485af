//! Operations: what a stream does, and which bytes that touches.

use std::{
    ops::Range,
    sync::{Arc, OnceLock},
    time::Instant,
};

use super::{
    Driver,
    clock::{Clock, Position},
    code::Code,
    copy::{Copy, Fill},
    launch::Launch,
    race::Access,
    report::Category,
};
use crate::fault::{Fault, FaultKind};

/// A piece of work in a stream's queue.
pub(crate) struct Operation {
    pub(crate) position: Position,
    /// Positions in other streams that come before.
    pub(crate) after: Vec<Position>,
    pub(crate) clock: Clock,
    pub(crate) context: u64,
    pub(crate) work: Work,
}

/// What an operation does.
pub(crate) enum Work {
    /// Nothing but to be ordered: a wait for an event.
    Wait,
    /// An event is reached; the cell takes the time.
    Record(Arc<OnceLock<Instant>>),
    /// Memory becomes usable. It was set aside when the call was made.
    Allocate {
        address: u64,
    },
    /// Memory is given back.
    Free {
        address: u64,
    },
    Copy(Copy),
    Fill(Fill),
    Launch(Launch),
    /// A function of the host; the thread for them runs it and completes the operation.
    HostFunction,
}

/// Device addresses that an operation touched.
pub(crate) struct Touch {
    pub(crate) range: Range<u64>,
    pub(crate) write: bool,
}

impl Work {
    /// What reports call it.
    pub(crate) fn describe(&self) -> String {
        match self {
            Work::Wait => "wait".to_owned(),
            Work::Record(_) => "record".to_owned(),
            Work::Allocate { .. } => "allocation".to_owned(),
            Work::Free { .. } => "free".to_owned(),
            Work::Copy(copy) => copy.describe(),
            Work::Fill(_) => "memset".to_owned(),
            Work::Launch(launch) => format!("kernel `{}`", launch.function.name()),
            Work::HostFunction => "host function".to_owned(),
        }
    }

    /// Can it touch this range? For a kernel: does a parameter point into it?
    pub(crate) fn mentions(&self, range: &Range<u64>) -> bool {
        match self {
            Work::Wait | Work::Record(_) | Work::HostFunction => false,
            Work::Allocate { address } | Work::Free { address } => range.contains(address),
            Work::Copy(copy) => copy.mentions(range),
            Work::Fill(fill) => range.contains(&fill.address),
            Work::Launch(launch) => launch.mentions(range),
        }
    }
}

impl Driver {
    /// Runs an operation, and looks for what it races with.
    pub(crate) fn run(&mut self, operation: Operation) {
        let what: Arc<str> = operation.work.describe().into();
        let Operation { position, clock, context, work, .. } = operation;
        let outcome = match work {
            Work::Wait | Work::HostFunction => Ok(Vec::new()),
            Work::Record(time) => {
                time.get_or_init(Instant::now);
                Ok(Vec::new())
            }
            Work::Allocate { address } => Ok(vec![Touch { range: self.range_of(address), write: true }]),
            Work::Free { address } => {
                // Looked at before the bytes and their history go.
                self.touch(&Touch { range: self.range_of(address), write: true }, position, &clock, &what);
                self.release(address);
                Ok(Vec::new())
            }
            Work::Copy(copy) => self.run_copy(copy),
            Work::Fill(fill) => self.run_fill(&fill),
            Work::Launch(launch) => self.run_launch(launch),
        };
        match outcome {
            Ok(touches) => touches.iter().for_each(|touch| self.touch(touch, position, &clock, &what)),
            Err(fault) => {
                self.log.report(Category::Fault, format!("{fault} | {what} on stream {}", position.stream.0));
                self.lose_context(context, code(&fault.kind));
            }
        }
    }

    fn touch(&mut self, touch: &Touch, position: Position, clock: &Clock, what: &Arc<str>) {
        let Some(start) = self.memory.allocation(touch.range.start).map(|allocation| allocation.start) else {
            return;
        };
        let access = Access { range: touch.range.clone(), position, write: touch.write, what: what.clone() };
        for earlier in self.accesses.add(start, access.clone(), clock) {
            let bytes = |range: &Range<u64>| format!("bytes {}..{}", range.start - start, range.end - start);
            let text = format!(
                "{}: {access}, {}, is not ordered with {earlier}, {}",
                self.allocation_name(start),
                bytes(&access.range),
                bytes(&earlier.range),
            );
            self.log.report(Category::Race, text);
        }
    }
}

/// The code that a fault on the device ends its context with.
fn code(kind: &FaultKind) -> Code {
    match kind {
        FaultKind::Assert { .. } => Code::ASSERT,
        FaultKind::Trap | FaultKind::Deadlock { .. } | FaultKind::BranchTable { .. } => Code::LAUNCH_FAILED,
        FaultKind::Timeout { .. } => Code::LAUNCH_TIMEOUT,
        FaultKind::Misaligned { .. } => Code::MISALIGNED_ADDRESS,
        FaultKind::StackOverflow { .. } => Code::HARDWARE_STACK_ERROR,
        // Reads of unwritten memory and races pass unnoticed on a device; here they end like a bad address.
        FaultKind::OutOfBounds { .. }
        | FaultKind::UseAfterFree { .. }
        | FaultKind::NotAnAddress { .. }
        | FaultKind::OutOfSpace { .. }
        | FaultKind::Uninitialised { .. }
        | FaultKind::WrongDevice { .. }
        | FaultKind::BlockRace { .. }
        | FaultKind::WarpRace { .. }
        | FaultKind::InvalidFree { .. } => Code::ILLEGAL_ADDRESS,
    }
}

/// What running an operation gives: the bytes it touched.
pub(crate) type Outcome = Result<Vec<Touch>, Fault>;
