//! Device memory: every allocation in a window of its own.
//!
//! A device address is `id << 40 | 4 GiB + offset`: each allocation owns 1 TiB of the 64-bit space and begins 4 GiB into
//! it. A pointer that runs over, or a negative index, therefore stays in *its* window, where it meets an exact check,
//! and never lands in a neighbour. Ids are given once: an address into a freed allocation is known as such for ever.
//! The first ids are no allocations but the generic addresses of shared, local and parameter memory.
//!
//! Invariants: `allocations[id - FIRST_ID]` is the allocation of window `id`; the storage of a live allocation has
//! exactly `len` bytes, that of a freed one has none; `initialised`, where kept, has `len` flags.

use std::collections::HashSet;

use crate::fault::{Access, AllocationName, Fault, FaultKind};

/// Addresses of one window, as a power of two.
const WINDOW_BITS: u32 = 40;
/// Where in its window an allocation begins; room for negative offsets.
const START: u64 = 4 << 30;
/// Windows below this are the generic addresses of [`SHARED_BASE`], [`LOCAL_BASE`] and [`PARAM_BASE`].
const FIRST_ID: u64 = 16;
/// What fresh memory holds: as a float it is NaN, as an index it is far outside.
const FRESH: u8 = 0xff;

/// Generic address of the first byte of shared memory.
pub(crate) const SHARED_BASE: u64 = 1 << WINDOW_BITS | START;
/// Generic address of the first byte of a thread's local memory.
pub(crate) const LOCAL_BASE: u64 = 2 << WINDOW_BITS | START;
/// Generic address of the first byte of a launch's parameters.
pub(crate) const PARAM_BASE: u64 = 3 << WINDOW_BITS | START;

/// All allocations of all devices.
#[derive(Default)]
pub struct Memory {
    allocations: Vec<Allocation>,
    /// Pairs (accessing, owning): the first device may touch memory of the second.
    peers: HashSet<(u32, u32)>,
    track_initialised: bool,
}

/// One allocation, live or freed.
pub struct Allocation {
    /// Device address of its first byte.
    pub start: u64,
    /// Its size in bytes.
    pub len: usize,
    /// The device that owns it.
    pub device: u32,
    /// What it was made for.
    pub kind: Kind,
    /// Whether it was freed.
    pub freed: bool,
    /// A name for reports.
    pub label: Option<String>,
    storage: Storage,
    /// One flag a byte: was it written? Absent while initialisation is not tracked, and for memory of the host.
    initialised: Option<Box<[bool]>>,
}

/// What an allocation was made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Memory that the host asked for.
    Device,
    /// A variable of a module.
    Variable,
    /// Memory of the host that the device may address.
    Host,
}

enum Storage {
    Device(Box<[u8]>),
    Host(HostBytes),
}

/// Memory of the host that the device may address.
///
/// Invariant: it is readable and writable until the allocation is freed.
struct HostBytes {
    pointer: *mut u8,
    len: usize,
}

// SAFETY: the pointer is used only through `&Memory` and `&mut Memory`, and the memory it points to may be used from any
// thread: that is what `Memory::map_host` asks of its caller.
unsafe impl Send for HostBytes {}
// SAFETY: as above; through `&HostBytes` the memory is only read.
unsafe impl Sync for HostBytes {}

/// The bytes of an access that was checked, as part of their whole allocation.
pub(crate) struct Span<'a> {
    /// All bytes of the allocation.
    pub bytes: &'a mut [u8],
    /// One flag a byte of the allocation, where tracked.
    pub initialised: Option<&'a mut [bool]>,
    /// Device address of `bytes[0]`.
    pub start: u64,
}

impl Memory {
    /// No allocations, no peers.
    pub fn new() -> Self {
        Self::default()
    }

    /// From now on, every new allocation remembers which of its bytes were written.
    pub fn track_initialised(&mut self, on: bool) {
        self.track_initialised = on;
    }

    /// Lets kernels of the device `accessing` touch memory of the device `owning`.
    pub fn allow_peer(&mut self, accessing: u32, owning: u32) {
        self.peers.insert((accessing, owning));
    }

    /// Takes back [`Memory::allow_peer`].
    pub fn forbid_peer(&mut self, accessing: u32, owning: u32) {
        self.peers.remove(&(accessing, owning));
    }

    /// Makes an allocation of this size on a device, and gives the address of its first byte.
    pub fn allocate(&mut self, bytes: usize, device: u32, kind: Kind) -> u64 {
        let initialised = self.track_initialised.then(|| vec![false; bytes].into());
        self.push(bytes, device, kind, Storage::Device(vec![FRESH; bytes].into()), initialised)
    }

    /// Gives memory of the host a device address.
    ///
    /// # Safety
    /// `pointer` is readable and writable for `bytes` bytes, from any thread, until the address is freed, and nobody
    /// holds a reference to that memory while a method of this type runs.
    pub unsafe fn map_host(&mut self, pointer: *mut u8, bytes: usize, device: u32) -> u64 {
        self.push(bytes, device, Kind::Host, Storage::Host(HostBytes { pointer, len: bytes }), None)
    }

    fn push(&mut self, len: usize, device: u32, kind: Kind, storage: Storage, initialised: Option<Box<[bool]>>) -> u64 {
        let id = FIRST_ID + self.allocations.len() as u64;
        let start = id << WINDOW_BITS | START;
        self.allocations.push(Allocation { start, len, device, kind, freed: false, label: None, storage, initialised });
        start
    }

    /// Frees the allocation that begins at this address.
    ///
    /// # Errors
    /// Fails if the address is no start of a live allocation.
    pub fn free(&mut self, address: u64) -> Result<(), Fault> {
        let invalid = || Fault::new(FaultKind::InvalidFree { address });
        let index = index(address).ok_or_else(invalid)?;
        let allocation = self.allocations.get_mut(index).ok_or_else(invalid)?;
        if allocation.freed || allocation.start != address {
            return Err(invalid());
        }
        allocation.freed = true;
        allocation.storage = Storage::Device(Box::default());
        allocation.initialised = None;
        Ok(())
    }

    /// Names the allocation that this address belongs to, for reports.
    pub fn set_label(&mut self, address: u64, label: &str) {
        if let Some(allocation) = index(address).and_then(|index| self.allocations.get_mut(index)) {
            allocation.label = Some(label.to_owned());
        }
    }

    /// The allocation, live or freed, whose window holds this address.
    pub fn allocation(&self, address: u64) -> Option<&Allocation> {
        self.allocations.get(index(address)?)
    }

    /// All allocations that were ever made, in order.
    pub fn allocations(&self) -> &[Allocation] {
        &self.allocations
    }

    /// Bytes for the host to read. They need not have been written: a copy of unwritten memory is no fault.
    ///
    /// # Errors
    /// Fails if they are not inside one live allocation.
    pub fn bytes(&self, address: u64, len: usize) -> Result<&[u8], Fault> {
        let allocation = self.live(address, len, Access::Read)?;
        let offset = (address - allocation.start) as usize;
        Ok(&allocation.storage.bytes()[offset..offset + len])
    }

    /// Bytes for the host to write; they count as written.
    ///
    /// # Errors
    /// Fails if they are not inside one live allocation.
    pub fn bytes_mut(&mut self, address: u64, len: usize) -> Result<&mut [u8], Fault> {
        let span = self.span(address, len, Access::Write)?;
        let offset = (address - span.start) as usize;
        if let Some(initialised) = span.initialised {
            initialised[offset..offset + len].fill(true);
        }
        Ok(&mut span.bytes[offset..offset + len])
    }

    /// Copies between allocations; bytes that nobody wrote stay so.
    ///
    /// # Errors
    /// Fails if either side is not inside one live allocation.
    pub fn copy(&mut self, to: u64, from: u64, len: usize) -> Result<(), Fault> {
        let bytes = self.bytes(from, len)?.to_vec();
        let source = self.live(from, len, Access::Read)?;
        let offset = (from - source.start) as usize;
        let flags = source.initialised.as_ref().map(|flags| flags[offset..offset + len].to_vec());
        self.bytes_mut(to, len)?.copy_from_slice(&bytes);
        if let Some(flags) = flags {
            let target = self.span(to, len, Access::Write)?;
            let offset = (to - target.start) as usize;
            if let Some(initialised) = target.initialised {
                initialised[offset..offset + len].copy_from_slice(&flags);
            }
        }
        Ok(())
    }

    /// The allocation that holds all of `len` bytes from `address`.
    fn live(&self, address: u64, len: usize, access: Access) -> Result<&Allocation, Fault> {
        let Some(allocation) = self.allocation(address) else {
            return Err(Fault::new(FaultKind::NotAnAddress { access, bytes: len, address }));
        };
        let offset = address.wrapping_sub(allocation.start) as i64;
        let name = || allocation.name();
        if allocation.freed {
            return Err(Fault::new(FaultKind::UseAfterFree { access, bytes: len, allocation: name(), offset }));
        }
        if offset < 0 || offset as usize + len > allocation.len {
            return Err(Fault::new(FaultKind::OutOfBounds { access, bytes: len, allocation: name(), offset }));
        }
        Ok(allocation)
    }

    /// The allocation around `len` bytes from `address`, for an access of them.
    pub(crate) fn span(&mut self, address: u64, len: usize, access: Access) -> Result<Span<'_>, Fault> {
        self.live(address, len, access)?;
        let allocation = index(address).and_then(|index| self.allocations.get_mut(index));
        let allocation = allocation.expect("the window was found above");
        let (bytes, initialised) = (allocation.storage.bytes_mut(), allocation.initialised.as_deref_mut());
        Ok(Span { bytes, initialised, start: allocation.start })
    }

    /// Whether all of these bytes were written, as far as that is tracked; they are inside one live allocation.
    pub(crate) fn is_initialised(&self, address: u64, len: usize) -> bool {
        let Some(allocation) = self.allocation(address) else { return true };
        let offset = (address - allocation.start) as usize;
        allocation.initialised.as_ref().is_none_or(|flags| !flags[offset..offset + len].contains(&false))
    }

    /// Fails if kernels of `device` must not touch the allocation around this address.
    pub(crate) fn check_device(&self, address: u64, device: u32, access: Access) -> Result<(), Fault> {
        let Some(allocation) = self.allocation(address) else { return Ok(()) };
        let owner = allocation.device;
        if owner == device || allocation.kind == Kind::Host || self.peers.contains(&(device, owner)) {
            return Ok(());
        }
        Err(Fault::new(FaultKind::WrongDevice { access, allocation: allocation.name(), owner, device }))
    }
}

impl Allocation {
    /// The allocation as reports name it.
    pub fn name(&self) -> AllocationName {
        AllocationName { number: number(self.start), bytes: self.len, label: self.label.clone() }
    }
}

impl Storage {
    fn bytes(&self) -> &[u8] {
        match self {
            Self::Device(bytes) => bytes,
            // SAFETY: the memory is readable while the allocation lives (invariant of `HostBytes`), and nobody has a
            // reference that writes it while `Memory` is used (`map_host`).
            Self::Host(host) => unsafe { std::slice::from_raw_parts(host.pointer, host.len) },
        }
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        match self {
            Self::Device(bytes) => bytes,
            // SAFETY: the memory is writable while the allocation lives (invariant of `HostBytes`), and nobody has
            // another reference to it while `Memory` is used (`map_host`).
            Self::Host(host) => unsafe { std::slice::from_raw_parts_mut(host.pointer, host.len) },
        }
    }
}

/// The window of an address.
pub(crate) fn window(address: u64) -> u64 {
    address >> WINDOW_BITS
}

/// Position in the list of allocations of the window of an address.
fn index(address: u64) -> Option<usize> {
    window(address).checked_sub(FIRST_ID).map(|index| index as usize)
}

/// Place in the order of all allocations, from 1.
fn number(start: u64) -> u64 {
    (start >> WINDOW_BITS) - FIRST_ID + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_negative_index_and_an_overflow_stay_in_their_window() {
        let mut memory = Memory::new();
        let [first, second] = [(); 2].map(|()| memory.allocate(100, 0, Kind::Device));
        assert_eq!(memory.bytes_mut(second + 96, 4).expect("inside").len(), 4);
        for (address, offset) in [(second - 4, -4), (second + 97, 97), (second + (1 << 35), 1 << 35)] {
            let fault = memory.bytes(address, 4).expect_err("outside");
            let FaultKind::OutOfBounds { offset: found, allocation, .. } = *fault.kind else { panic!("{fault}") };
            assert_eq!((found, allocation.number), (offset, 2));
        }
        assert!(memory.bytes(first, 100).is_ok());
    }

    #[test]
    fn ids_are_never_used_again() {
        let mut memory = Memory::new();
        let first = memory.allocate(8, 0, Kind::Device);
        memory.free(first).expect("live");
        let second = memory.allocate(8, 0, Kind::Device);
        assert_ne!(first, second);
        assert!(matches!(*memory.bytes(first, 4).expect_err("freed").kind, FaultKind::UseAfterFree { .. }));
        for address in [first, second + 4, 0, 7] {
            assert!(matches!(*memory.free(address).expect_err("invalid").kind, FaultKind::InvalidFree { .. }));
        }
    }

    #[test]
    fn null_is_no_address() {
        let fault = Memory::new().bytes(0, 4).expect_err("null");
        assert_eq!(fault.to_string(), "null pointer: read of 4 bytes");
    }

    #[test]
    fn mapped_memory_is_the_hosts() {
        let mut memory = Memory::new();
        let mut host = [1_u8, 2, 3, 4];
        // SAFETY: `host` outlives `memory`, and is not used while a method of `memory` runs.
        let address = unsafe { memory.map_host(host.as_mut_ptr(), 4, 0) };
        memory.bytes_mut(address + 1, 1).expect("inside")[0] = 9;
        assert_eq!(memory.bytes(address, 4).expect("inside"), [1, 9, 3, 4]);
        memory.free(address).expect("live");
        assert_eq!(host, [1, 9, 3, 4]);
    }

    #[test]
    fn a_copy_keeps_what_was_not_written() {
        let mut memory = Memory::new();
        memory.track_initialised(true);
        let [from, to] = [(); 2].map(|()| memory.allocate(4, 0, Kind::Device));
        memory.bytes_mut(from, 2).expect("inside").fill(7);
        memory.copy(to, from, 4).expect("inside");
        let span = memory.span(to, 4, Access::Read).expect("inside");
        assert_eq!(span.initialised.expect("tracked"), [true, true, false, false]);
    }
}
