//! The record of what a kernel found wrong, as device and host see it.

use crate::kernel::block::FaultKind;

/// What a device writes when it finds a fault: the one at the lowest position of the oldest faulty launch of its stream.
/// `prelude/fault.cu` declares the same.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct ErrorRecord {
    /// The number of the launch; 0 if there is no fault.
    pub launch: u32,
    kind: u32,
    /// The operand, the write or the assertion, by position.
    site: u32,
    /// The declared position of the dimension.
    dim: u32,
    value: i64,
    bound: i64,
    /// Row-major position over the kernel's free axes.
    pub free: i64,
    /// Row-major position over its reduced axes.
    pub reduced: i64,
}

impl ErrorRecord {
    /// What was found, if anything.
    pub(crate) fn fault(&self) -> Option<FaultKind> {
        let ErrorRecord { kind, value, bound, .. } = *self;
        let (site, dim) = (self.site as u16, self.dim as u16);
        match kind {
            0 => None,
            1 => Some(FaultKind::Gather { operand: site, dim, value, bound }),
            2 => Some(FaultKind::Scatter { write: site, dim, value, bound }),
            3 => Some(FaultKind::DivisionByZero),
            4 => Some(FaultKind::DivisionOverflow),
            5 => Some(FaultKind::Assertion { assertion: site }),
            _ => unreachable!("bug in the prelude: a fault of kind {kind}"),
        }
    }
}
