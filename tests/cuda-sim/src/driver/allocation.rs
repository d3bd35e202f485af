//! Device memory: how much of it is used, and by whom.

use std::ops::Range;

use super::{
    Driver,
    code::{Code, Result},
    config::Knob,
    operation::Work,
    report::Category,
    session::Session,
};
use crate::{fault::Access, memory::Kind};

/// A live allocation.
pub(crate) struct Allocated {
    pub(crate) bytes: u64,
    pub(crate) context: u64,
    pub(crate) device: u32,
    /// The pool it came from.
    pub(crate) pool: Option<u64>,
    /// An operation that frees it is enqueued: only work enqueued before may use it.
    pub(crate) freeing: bool,
}

impl Driver {
    /// Sets memory aside on a device, outside pools.
    pub(crate) fn allocate(&mut self, bytes: usize) -> Result<u64> {
        let context = self.current_context()?;
        let device = self.current_device()?;
        if bytes == 0 {
            return Err(Code::INVALID_VALUE);
        }
        self.make_room(device, |_| bytes as u64)?;
        self.devices[device as usize].direct += bytes as u64;
        Ok(self.hold(bytes, device, context, None))
    }

    /// Sets memory of a pool aside, usable from the end of a stream on.
    pub(crate) fn allocate_on(&mut self, bytes: usize, pool: Option<u64>, stream: u64) -> Result<u64> {
        let (stream, context) = self.stream(stream)?;
        let device = self.working(context)?.device;
        if !self.config.is(Knob::Pools) {
            return Err(Code::NOT_SUPPORTED);
        }
        let pool = pool.unwrap_or(self.devices[device as usize].current_pool);
        // The device that owns the memory, which a stream of another may allocate for.
        let owner = self.pools.get(pool)?.device;
        if bytes == 0 {
            return Err(Code::INVALID_VALUE);
        }
        self.make_room(owner, |driver| driver.pools.get(pool).map_or(0, |pool| pool.growth(bytes as u64)))?;
        self.pools.get_mut(pool)?.take(bytes as u64)?;
        let address = self.hold(bytes, owner, context, Some(pool));
        self.enqueue(stream, Work::Allocate { address }, Vec::new())?;
        Ok(address)
    }

    fn hold(&mut self, bytes: usize, device: u32, context: u64, pool: Option<u64>) -> u64 {
        let address = self.memory.allocate(bytes, device, Kind::Device);
        self.allocated.insert(address, Allocated { bytes: bytes as u64, context, device, pool, freeing: false });
        address
    }

    /// Makes sure that a device has as many free bytes as `wanted` then gives.
    fn make_room(&mut self, device: u32, wanted: impl Fn(&Driver) -> u64) -> Result {
        if wanted(self) > self.free_bytes(device) {
            // What a driver tries before it gives up: frees that are enqueued, and memory that pools hold back.
            self.run_ready();
            self.trim_pools(device);
        }
        if wanted(self) > self.free_bytes(device) { Err(Code::OUT_OF_MEMORY) } else { Ok(()) }
    }

    /// Bytes of a device that nobody holds.
    pub(crate) fn free_bytes(&self, device: u32) -> u64 {
        let pools = self.pools.iter().filter(|(_, pool)| pool.device == device).map(|(_, pool)| pool.reserved);
        let held = self.devices[device as usize].direct + pools.sum::<u64>();
        (self.config.get(Knob::Memory) as u64).saturating_sub(held)
    }

    /// Bytes of a device in allocations, those that pools hold back not counted.
    pub(crate) fn used_bytes(&self, device: u32) -> u64 {
        self.allocated.values().filter(|held| held.device == device).map(|held| held.bytes).sum()
    }

    /// Frees memory at the end of a stream.
    pub(crate) fn free_on(&mut self, address: u64, stream: u64) -> Result {
        let (stream, _) = self.stream(stream)?;
        self.check_start(address)?;
        self.enqueue(stream, Work::Free { address }, Vec::new())?;
        if let Some(held) = self.allocated.get_mut(&address) {
            held.freeing = true;
        }
        Ok(())
    }

    /// Fails unless a live allocation begins here that nobody has freed yet.
    fn check_start(&mut self, address: u64) -> Result {
        if self.allocated.get(&address).is_some_and(|held| !held.freeing) {
            return Ok(());
        }
        let name = match self.memory.allocation(address) {
            Some(allocation) if allocation.start == address => format!("{} was freed before", allocation.name()),
            Some(allocation) => {
                format!("{:#x} is no start of an allocation, but inside {}", address, allocation.name())
            }
            None => format!("{address:#x} is no device address"),
        };
        self.misuse(format!("free: {name}"));
        Err(Code::INVALID_VALUE)
    }

    /// Gives memory back now.
    pub(crate) fn release(&mut self, address: u64) {
        let Some(held) = self.allocated.remove(&address) else { return };
        self.memory.free(address).expect("a live allocation begins at each held address");
        self.accesses.forget(address);
        match held.pool {
            Some(pool) => {
                if let Ok(pool) = self.pools.get_mut(pool) {
                    pool.give_back(held.bytes);
                }
            }
            None => self.devices[held.device as usize].direct -= held.bytes,
        }
    }

    /// The addresses of the allocation that begins here.
    pub(crate) fn range_of(&self, address: u64) -> Range<u64> {
        let bytes = self.memory.allocation(address).map_or(0, |allocation| allocation.len as u64);
        address..address + bytes
    }

    /// An allocation as reports name it.
    pub(crate) fn allocation_name(&self, address: u64) -> String {
        self.memory.allocation(address).map_or_else(|| format!("{address:#x}"), |found| found.name().to_string())
    }

    /// Fails unless `bytes` from `address` can be used so by work that is enqueued now.
    pub(crate) fn check_range(&mut self, address: u64, bytes: usize, access: Access) -> Result {
        let start = self.memory.allocation(address).map_or(0, |allocation| allocation.start);
        let freeing = self.allocated.get(&start).is_some_and(|held| held.freeing);
        let text = match self.memory.span(address, bytes, access) {
            Ok(_) if freeing => {
                format!("use after free: {} is freed by work enqueued before", self.allocation_name(start))
            }
            Ok(_) => return Ok(()),
            Err(fault) => fault.to_string(),
        };
        self.misuse(text);
        Err(Code::INVALID_VALUE)
    }
}

impl Session {
    /// Frees memory now. A driver waits for the device first, unless the memory is of a pool.
    pub(crate) fn free_now(&mut self, address: u64) -> Result {
        let context = self.current_context()?;
        self.check_start(address)?;
        let held = &self.allocated[&address];
        if held.pool.is_none() {
            self.finish_context(held.context);
        } else {
            self.report_in_flight(address);
        }
        self.release(address);
        self.working(context).map(|_| ())
    }

    /// Reports the work on an allocation that the host has not waited for.
    pub(crate) fn report_in_flight(&mut self, address: u64) {
        let range = self.range_of(address);
        let mut work: Vec<String> =
            self.accesses.unknown_to(address, &self.host).iter().map(|access| access.to_string()).collect();
        work.extend(self.streams.pending_on(&range));
        if !work.is_empty() {
            let text = format!("{} is freed, and not waited for: {}", self.allocation_name(address), work.join("; "));
            self.log.report(Category::InFlight, text);
        }
    }
}
