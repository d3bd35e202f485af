//! What kernels report: one record for each stream, in memory of the host that the device writes.
//!
//! A kernel that finds something wrong puts the number of its launch into the record, if that holds none yet, and what it
//! found beside it; among the elements of one launch the lowest position stays. It then goes on with a neutral value, so
//! the context lives. The host reads the record once it knows that the launch is done, and empties it.

use std::ptr::NonNull;

use super::context::Context;
use super::driver::Failure;
use super::host::HostBlock;

/// The record, as kernels declare it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ErrorRecord {
    /// The number of the launch that found something; 0 if none did.
    pub launch: u32,
    /// What it found, as the kernels number it.
    pub kind: u32,
    /// The operand, the write or the assertion.
    pub site: u32,
    /// The dimension of an index.
    pub dim: u32,
    /// The index.
    pub value: i64,
    /// The size of its dimension.
    pub bound: i64,
    /// The row-major position along the kernel's free axes.
    pub free: i64,
    /// The row-major position along its reduced axes.
    pub reduced: i64,
}

/// The record of a stream.
///
/// Invariant: `record` is the address of an `ErrorRecord` in the block, which the device writes and the host reads and
/// empties, each by whole words.
pub(crate) struct Page {
    block: HostBlock,
    record: NonNull<ErrorRecord>,
}

impl Page {
    pub(super) fn new(context: &'static Context) -> Result<Page, Failure> {
        let block = HostBlock::allocate(context, size_of::<ErrorRecord>())?;
        let record = block.pointer().cast::<ErrorRecord>();
        // SAFETY: the block is new, long enough, and aligned to a page.
        unsafe { record.write(ErrorRecord::default()) };
        Ok(Page { block, record })
    }

    /// Where the device sees the record.
    pub fn address(&self) -> u64 {
        self.block.device_address()
    }

    /// What was found, if anything was.
    pub(super) fn read(&self) -> Option<ErrorRecord> {
        // SAFETY: by the invariant; the device may be writing, so the memory is read anew each time.
        let record = unsafe { self.record.read_volatile() };
        (record.launch != 0).then_some(record)
    }

    /// Makes room for the next one.
    pub(super) fn clear(&self) {
        // SAFETY: by the invariant; the launch that wrote it is done, and later ones leave a record alone that is taken.
        unsafe { self.record.write_volatile(ErrorRecord::default()) };
    }
}
