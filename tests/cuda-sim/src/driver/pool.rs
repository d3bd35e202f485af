//! Memory pools: memory that stays with its pool after it is freed.

use std::collections::BTreeSet;

use super::{
    Driver,
    code::{Code, Result},
};

/// A pool of device memory.
///
/// Invariant: `used <= reserved`, and both are part of the device's memory.
pub(crate) struct Pool {
    pub(crate) device: u32,
    pub(crate) used: u64,
    /// Bytes taken from the device; what exceeds `used` serves the next allocations.
    pub(crate) reserved: u64,
    pub(crate) used_high: u64,
    pub(crate) reserved_high: u64,
    /// Bytes that the pool keeps when the host waits for the device.
    pub(crate) threshold: u64,
    /// The most it may reserve; 0 for no limit.
    pub(crate) max_size: u64,
    /// The three permissions to reuse memory, attributes 1 to 3.
    pub(crate) reuse: [i32; 3],
    /// Other devices whose kernels may touch its memory.
    pub(crate) accessible: BTreeSet<u32>,
}

impl Pool {
    pub(crate) fn new(device: u32) -> Self {
        Self {
            device,
            used: 0,
            reserved: 0,
            used_high: 0,
            reserved_high: 0,
            threshold: 0,
            max_size: 0,
            reuse: [1; 3],
            accessible: BTreeSet::new(),
        }
    }

    /// Bytes that the device must give for an allocation.
    pub(crate) fn growth(&self, bytes: u64) -> u64 {
        (self.used + bytes).saturating_sub(self.reserved)
    }

    pub(crate) fn take(&mut self, bytes: u64) -> Result {
        if self.max_size > 0 && self.used + bytes > self.max_size {
            return Err(Code::OUT_OF_MEMORY);
        }
        self.used += bytes;
        self.reserved = self.reserved.max(self.used);
        self.used_high = self.used_high.max(self.used);
        self.reserved_high = self.reserved_high.max(self.reserved);
        Ok(())
    }

    pub(crate) fn give_back(&mut self, bytes: u64) {
        self.used -= bytes;
    }

    /// Gives memory back to the device, down to `keep` bytes.
    pub(crate) fn trim(&mut self, keep: u64) {
        self.reserved = self.reserved.min(keep.max(self.used));
    }
}

impl Driver {
    /// Takes from the pools of a device all that is not used.
    pub(crate) fn trim_pools(&mut self, device: u32) {
        self.pools.iter_mut().filter(|(_, pool)| pool.device == device).for_each(|(_, pool)| pool.trim(0));
    }

    /// The host waits: pools give back what exceeds their thresholds.
    pub(crate) fn settle_pools(&mut self) {
        self.pools.iter_mut().for_each(|(_, pool)| pool.trim(pool.threshold));
    }

    /// Destroys a pool; memory that is still allocated from it stays.
    pub(crate) fn destroy_pool(&mut self, handle: u64) -> Result {
        let device = self.pools.get(handle).map_err(|_| Code::INVALID_VALUE)?.device as usize;
        if self.devices[device].default_pool == handle {
            return Err(Code::INVALID_VALUE);
        }
        if self.devices[device].current_pool == handle {
            self.devices[device].current_pool = self.devices[device].default_pool;
        }
        // Its allocations become the device's own, so that their bytes stay counted.
        let mut left = 0;
        for held in self.allocated.values_mut().filter(|held| held.pool == Some(handle)) {
            held.pool = None;
            left += held.bytes;
        }
        self.devices[device].direct += left;
        self.pools.remove(handle).map(|_| ())
    }
}
