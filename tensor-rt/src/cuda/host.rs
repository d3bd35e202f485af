//! Pinned memory of the host, which devices copy from and to by themselves.
//!
//! It is never write-combined, since reading such memory on the host is very slow. Making it takes the driver about a
//! millisecond, so blocks return to a [`HostPool`]; a block that a copy may still be using carries the point at which that
//! copy is done, and is not handed out before.

use std::collections::BTreeMap;
use std::ptr::NonNull;
use std::sync::{Mutex, PoisonError};

use super::context::Context;
use super::driver::{self, Failure};
use super::stream::Point;
use crate::memory::pool::rounded;

/// A piece of pinned memory, owned. It is aligned to a page, and every context may use it.
///
/// Invariant: the `bytes` bytes from `pointer` on are initialised, and the device sees them from `device` on.
#[derive(Debug)]
pub(crate) struct HostBlock {
    context: &'static Context,
    pointer: NonNull<u8>,
    device: u64,
    bytes: usize,
}

// SAFETY: a block owns its memory and gives no access to it but the address.
unsafe impl Send for HostBlock {}
// SAFETY: as above.
unsafe impl Sync for HostBlock {}

impl HostBlock {
    /// New memory, zero; `bytes` is not 0.
    pub(super) fn allocate(context: &'static Context, bytes: usize) -> Result<HostBlock, Failure> {
        /// For every context, and with an address on the device.
        const PORTABLE_AND_MAPPED: u32 = 1 | 2;
        context.bind()?;
        let (mut pointer, mut device) = (std::ptr::null_mut(), 0);
        // SAFETY: the address of a local; the context is bound.
        unsafe { driver::allocate_host(&raw mut pointer, bytes, PORTABLE_AND_MAPPED)? };
        let Some(pointer) = NonNull::new(pointer.cast::<u8>()) else {
            unreachable!("the driver gave no address for memory that it said it made");
        };
        // SAFETY: the driver made that many bytes here, for us alone.
        unsafe { pointer.write_bytes(0, bytes) };
        // SAFETY: the address of a local, and memory that was made to have an address on the device.
        unsafe { driver::host_address(&raw mut device, pointer.as_ptr().cast(), 0)? };
        Ok(HostBlock { context, pointer, device, bytes })
    }

    pub fn pointer(&self) -> NonNull<u8> {
        self.pointer
    }

    pub fn device_address(&self) -> u64 {
        self.device
    }

    pub fn bytes(&self) -> usize {
        self.bytes
    }

    pub(super) fn context(&self) -> &'static Context {
        self.context
    }

    /// Gives the memory back to the driver; no copy uses it any more.
    fn release(self) {
        // Memory that cannot be given back is lost with its context.
        let _ = self.context.bind().and_then(|()| {
            // SAFETY: the driver made it, nobody refers to it (it is owned), and no copy is using it (the caller's).
            unsafe { driver::free_host(self.pointer.as_ptr().cast()) }
        });
    }
}

/// Pinned blocks by size.
#[derive(Default)]
pub(crate) struct HostPool {
    cached: Mutex<BTreeMap<usize, Vec<Cached>>>,
}

/// A block that nobody owns, and the copy that may still be using it.
struct Cached {
    block: HostBlock,
    last: Option<Point>,
}

impl Cached {
    fn is_free(&self) -> bool {
        self.last.is_none_or(Point::is_done)
    }
}

impl HostPool {
    /// A block of at least `bytes` bytes, initialised with whatever was in it.
    pub fn take(&self, context: &'static Context, bytes: usize) -> Result<HostBlock, Failure> {
        let size = rounded(bytes.max(1)).unwrap_or(usize::MAX);
        if let Some(block) = self.take_cached(size) {
            return Ok(block);
        }
        match HostBlock::allocate(context, size) {
            Err(failure) if failure.status() == Some(driver::Status::OUT_OF_MEMORY) => {
                self.release();
                HostBlock::allocate(context, size)
            }
            result => result,
        }
    }

    /// Takes a block back that `last` may be using.
    pub fn put(&self, block: HostBlock, last: Option<Point>) {
        self.lock().entry(block.bytes).or_default().push(Cached { block, last });
    }

    fn take_cached(&self, bytes: usize) -> Option<HostBlock> {
        let mut cached = self.lock();
        cached.range_mut(bytes..=bytes.saturating_add(bytes / 8)).find_map(|(_, blocks)| {
            let free = blocks.iter().position(Cached::is_free)?;
            Some(blocks.swap_remove(free).block)
        })
    }

    /// Gives what nobody uses back to the driver.
    fn release(&self) {
        for blocks in self.lock().values_mut() {
            for cached in blocks.extract_if(.., |cached| cached.is_free()) {
                cached.block.release();
            }
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeMap<usize, Vec<Cached>>> {
        // The map is whole between statements.
        self.cached.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
