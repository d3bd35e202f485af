//! Host memory that devices may address: allocated by the driver, or registered with it.
//!
//! Each such buffer has a window of device addresses. Copies from and to it are copies between windows, so that they
//! are checked and logged like all others.

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};

use super::{
    Driver,
    code::{Code, Result},
    session::Session,
};

/// Host memory with a device address.
///
/// Invariant: readable and writable for `bytes` bytes from the key it is stored under, until it is removed.
pub(crate) struct Pinned {
    pub(crate) bytes: usize,
    /// Start of its window.
    pub(crate) address: u64,
    pub(crate) context: u64,
    pub(crate) flags: u32,
    /// How the driver allocated it; absent for registered memory.
    layout: Option<Layout>,
}

/// Pages of the host.
const ALIGNMENT: usize = 4096;
/// What fresh pinned memory holds, so that a read before the copy has come is seen.
const FRESH: u8 = 0xfe;

impl Driver {
    /// Allocates pinned memory, and gives its host address.
    pub(crate) fn pin_new(&mut self, bytes: usize, flags: u32) -> Result<*mut u8> {
        self.current_context()?;
        if bytes == 0 {
            return Err(Code::INVALID_VALUE);
        }
        let layout = Layout::from_size_align(bytes, ALIGNMENT).map_err(|_| Code::OUT_OF_MEMORY)?;
        // SAFETY: the size is not zero.
        let pointer = unsafe { alloc(layout) };
        if pointer.is_null() {
            handle_alloc_error(layout);
        }
        // SAFETY: the block was just allocated with this size.
        unsafe { pointer.write_bytes(FRESH, bytes) };
        self.pin(pointer, bytes, flags, Some(layout))?;
        Ok(pointer)
    }

    /// Registers memory of the program.
    ///
    /// # Safety
    /// It is readable and writable, from any thread, until it is unregistered.
    pub(crate) unsafe fn pin_registered(&mut self, pointer: *mut u8, bytes: usize, flags: u32) -> Result {
        self.current_context()?;
        if pointer.is_null() || bytes == 0 {
            return Err(Code::INVALID_VALUE);
        }
        let end = pointer as u64 + bytes as u64;
        let before = self.pinned.range(..end).next_back();
        if before.is_some_and(|(start, pinned)| start + pinned.bytes as u64 > pointer as u64) {
            return Err(Code::HOST_MEMORY_ALREADY_REGISTERED);
        }
        self.pin(pointer, bytes, flags, None)
    }

    /// The memory is as the invariant of [`Pinned`] says: the two callers above see to it.
    fn pin(&mut self, pointer: *mut u8, bytes: usize, flags: u32, layout: Option<Layout>) -> Result {
        let context = self.current_context()?;
        let device = self.current_device()?;
        // SAFETY: the memory is readable and writable until it is unpinned, when its window is freed first. That nobody
        // holds a reference to it while the device works on it is what CUDA asks of its callers.
        let address = unsafe { self.memory.map_host(pointer, bytes, device) };
        self.pinned.insert(pointer as u64, Pinned { bytes, address, context, flags, layout });
        Ok(())
    }

    /// The pinned buffer that holds a host address, and where it starts.
    pub(crate) fn pinned_at(&self, pointer: u64) -> Option<(u64, &Pinned)> {
        let (start, pinned) = self.pinned.range(..=pointer).next_back()?;
        (pointer - start < pinned.bytes as u64).then_some((*start, pinned))
    }

    /// The device address of a host address in a pinned buffer.
    pub(crate) fn pinned_address(&self, pointer: u64) -> Option<u64> {
        self.pinned_at(pointer).map(|(start, pinned)| pinned.address + (pointer - start))
    }

    /// Takes away the pinned buffer that begins here.
    fn unpin(&mut self, start: u64) {
        let Some(pinned) = self.pinned.remove(&start) else { return };
        self.memory.free(pinned.address).expect("a pinned buffer has a window of its own");
        self.accesses.forget(pinned.address);
        if let Some(layout) = pinned.layout {
            // SAFETY: it was allocated with this layout in `pin_new`, and is removed from the table only here.
            unsafe { dealloc(start as *mut u8, layout) };
        }
    }

    /// Takes away the pinned buffers of a context; gives how many there were.
    pub(crate) fn unpin_all(&mut self, context: u64) -> usize {
        let starts: Vec<u64> =
            self.pinned.iter().filter(|(_, pinned)| pinned.context == context).map(|(start, _)| *start).collect();
        starts.iter().for_each(|start| self.unpin(*start));
        starts.len()
    }

    /// Takes away every pinned buffer.
    pub(crate) fn unpin_everything(&mut self) {
        while let Some((&start, _)) = self.pinned.first_key_value() {
            self.unpin(start);
        }
    }

    /// Bytes of pinned memory.
    pub(crate) fn pinned_bytes(&self) -> u64 {
        self.pinned.values().map(|pinned| pinned.bytes as u64).sum()
    }
}

impl Session {
    /// Frees pinned memory that the driver allocated (`allocated`), or unregisters memory of the program.
    pub(crate) fn unpin_checked(&mut self, start: u64, allocated: bool) -> Result {
        self.current_context()?;
        let missing = if allocated { Code::INVALID_VALUE } else { Code::HOST_MEMORY_NOT_REGISTERED };
        let pinned = self.pinned.get(&start).filter(|pinned| pinned.layout.is_some() == allocated);
        let Some(address) = pinned.map(|pinned| pinned.address) else {
            self.misuse(format!("{start:#x} is no start of a pinned buffer"));
            return Err(missing);
        };
        self.report_in_flight(address);
        self.unpin(start);
        Ok(())
    }
}
