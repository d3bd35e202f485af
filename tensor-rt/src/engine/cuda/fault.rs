//! What a kernel found wrong, out of the record of its stream.

use crate::cuda::record::ErrorRecord;
use crate::kernel::block::FaultKind;

/// What was found. The numbers are those of `prelude/fault.cu`.
pub(crate) fn kind_of(record: &ErrorRecord) -> FaultKind {
    let ErrorRecord { kind, value, bound, .. } = *record;
    let (site, dim) = (record.site as u16, record.dim as u16);
    match kind {
        1 => FaultKind::Gather { operand: site, dim, value, bound },
        2 => FaultKind::Scatter { write: site, dim, value, bound },
        3 => FaultKind::DivisionByZero,
        4 => FaultKind::DivisionOverflow,
        5 => FaultKind::Assertion { assertion: site },
        _ => unreachable!("bug in the prelude: a fault of kind {kind}"),
    }
}
