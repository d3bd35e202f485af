//! Storage: the memory that tensors share.
//!
//! A storage owns one block of memory and returns it when the last tensor that refers to it is gone. It knows nothing of
//! shapes, and not where its tensors are at home: several handles on it may have different streams.
//!
//! Invariants: the block does not move while the storage lives; what it holds is only written through a handle that has
//! made itself the only one ([`Raw::make_unique`](crate::tensor::raw::Raw::make_unique)), or that borrows such a handle
//! mutably. `pointer` and `bytes` are those of the block; the host may follow the pointer unless the block is a device's.

use std::num::NonZero;
use std::ptr::NonNull;

use crate::accounting;
use crate::cuda::buffer::Buffer;
use crate::cuda::pinned::PinnedBlock;
use crate::cuda::stream::Stream;
use crate::device_id::DeviceId;
use crate::error::{Error, Origin, Result};
use crate::home::Home;
use crate::memory::pool::Block;
use crate::memory::{ALIGNMENT, host};

/// A buffer of a device.
#[derive(Debug)]
pub(crate) struct Storage {
    pointer: NonNull<u8>,
    bytes: usize,
    memory: Memory,
}

/// Who made the block, and takes it back.
#[derive(Debug)]
enum Memory {
    Host(Block),
    // Boxed: what a device has to know of a buffer would make every storage of the host larger.
    Device(Box<Buffer>),
    #[expect(dead_code, reason = "held for its drop")]
    Pinned(Box<PinnedBlock>),
}

// SAFETY: the memory belongs to the storage, and `&Storage` gives no access to it but the address.
unsafe impl Send for Storage {}
// SAFETY: as above.
unsafe impl Sync for Storage {}

impl Storage {
    /// A buffer of at least `bytes` bytes, initialised with whatever was in it.
    pub fn stale(home: Home, bytes: usize, origin: Origin) -> Result<Storage> {
        let storage = match home.stream() {
            None => Storage::on_host(bytes, origin)?,
            Some(stream) => Storage::on_device(stream, bytes, origin)?,
        };
        if storage.bytes > 0 {
            accounting::allocation(origin.at, storage.bytes);
        }
        Ok(storage)
    }

    fn on_host(bytes: usize, origin: Origin) -> Result<Storage> {
        let block = host::take(bytes).map_err(|exhausted| Error::OutOfMemory {
            requested: bytes as u64,
            free: exhausted.free as u64,
            largest_block: exhausted.largest_block as u64,
            device: DeviceId::Cpu,
            op: origin.op,
            at: origin.at,
        })?;
        Ok(Storage { pointer: block.pointer(), bytes: block.bytes(), memory: Memory::Host(block) })
    }

    fn on_device(stream: &'static Stream, bytes: usize, origin: Origin) -> Result<Storage> {
        let buffer = Buffer::stale(stream, bytes, origin)?;
        // No bytes have no address on the device; any aligned one will do.
        let address = NonZero::new(buffer.address() as usize).unwrap_or(NonZero::new(ALIGNMENT).unwrap());
        let (pointer, bytes) = (NonNull::without_provenance(address), buffer.bytes());
        Ok(Storage { pointer, bytes, memory: Memory::Device(Box::new(buffer)) })
    }

    /// Pinned memory of the host as a storage.
    pub fn of_pinned(block: PinnedBlock) -> Storage {
        Storage { pointer: block.pointer(), bytes: block.bytes(), memory: Memory::Pinned(Box::new(block)) }
    }

    /// The first byte, aligned to [`ALIGNMENT`].
    pub fn pointer(&self) -> NonNull<u8> {
        self.pointer
    }

    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The buffer, if this is memory of a CUDA device.
    pub fn buffer(&self) -> Option<&Buffer> {
        match &self.memory {
            Memory::Device(buffer) => Some(buffer),
            Memory::Host(_) | Memory::Pinned(_) => None,
        }
    }
}

impl Drop for Storage {
    fn drop(&mut self) {
        // The others give back what they own when they are dropped.
        if let Memory::Host(block) = &mut self.memory {
            host::put(std::mem::replace(block, Block::empty()));
        }
    }
}
