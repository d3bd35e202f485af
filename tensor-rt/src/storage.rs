//! Storage: the memory that tensors share.
//!
//! A storage owns one block of a device's pool and returns it when the last tensor that refers to it is gone. It knows
//! nothing of shapes.
//!
//! Invariants: the block does not move while the storage lives; what it holds is only written through a handle that has
//! made itself the only one ([`Raw::make_unique`](crate::tensor::raw::Raw::make_unique)), or that borrows such a handle
//! mutably.

use std::ptr::NonNull;

use crate::accounting;
use crate::device_id::DeviceId;
use crate::error::{Error, Origin, Result};
use crate::memory::host;
use crate::memory::pool::Block;

/// A buffer of a device.
#[derive(Debug)]
pub(crate) struct Storage {
    block: Block,
    device: DeviceId,
}

impl Storage {
    /// A buffer of at least `bytes` bytes, initialised with whatever was in it.
    pub fn stale(device: DeviceId, bytes: usize, origin: Origin) -> Result<Storage> {
        let block = match device {
            DeviceId::Cpu => host::take(bytes).map_err(|exhausted| Error::OutOfMemory {
                requested: bytes as u64,
                free: exhausted.free as u64,
                largest_block: exhausted.largest_block as u64,
                device,
                op: origin.op,
                at: origin.at,
            })?,
            DeviceId::Cuda(_) => {
                return Err(Error::CudaUnavailable { device, reason: "this build has no CUDA engine" });
            }
        };
        if block.bytes() > 0 {
            accounting::allocation(origin.at, block.bytes());
        }
        Ok(Storage { block, device })
    }

    /// The first byte, aligned to [`ALIGNMENT`](crate::memory::ALIGNMENT).
    pub fn pointer(&self) -> NonNull<u8> {
        self.block.pointer()
    }

    pub fn bytes(&self) -> usize {
        self.block.bytes()
    }

    pub fn device(&self) -> DeviceId {
        self.device
    }
}

impl Drop for Storage {
    fn drop(&mut self) {
        host::put(std::mem::replace(&mut self.block, Block::empty()));
    }
}
