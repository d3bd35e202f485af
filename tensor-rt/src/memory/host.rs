//! The pool that tensors on the processor come from, and its default cap.

use std::cell::RefCell;
use std::sync::LazyLock;

use super::MemoryStats;
use super::front::Front;
use super::pool::{Block, Exhausted, Pool};
use crate::device::Cpu;

static POOL: LazyLock<Pool> = LazyLock::new(|| Pool::with_cap(default_cap()));

thread_local! {
    static FRONT: RefCell<Front> = RefCell::new(Front::of(&POOL));
}

/// A block of at least `bytes` bytes, initialised with whatever was in it.
pub(crate) fn take(bytes: usize) -> Result<Block, Exhausted> {
    // A thread that ends may make and drop tensors after its front is gone.
    FRONT.try_with(|front| front.borrow_mut().take(bytes)).unwrap_or_else(|_| POOL.take(bytes))
}

/// Takes a block back.
pub(crate) fn put(block: Block) {
    let mut block = Some(block);
    let _ = FRONT.try_with(|front| block.take().map(|block| front.borrow_mut().put(block)));
    if let Some(block) = block {
        POOL.put(block);
    }
}

/// Returns what idles in the front of this thread to the pool.
fn release_front() {
    let _ = FRONT.try_with(|front| front.borrow_mut().release());
}

impl Cpu {
    /// What the pool of the processor's tensors holds.
    pub fn memory_stats(&self) -> MemoryStats {
        POOL.stats()
    }

    /// Bounds the bytes of all tensors on the processor together with the bytes kept for reuse. What is in use stays in
    /// use; later requests beyond the cap fail with [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    ///
    /// The default is the memory of the machine, or of the control group that the process runs in.
    pub fn set_memory_cap(&self, bytes: usize) {
        release_front();
        POOL.set_cap(bytes);
    }

    /// Gives the bytes kept for reuse back to the system. Other threads may keep a few small buffers.
    pub fn release_cached_memory(&self) {
        release_front();
        POOL.release_cached();
    }
}

/// The memory that this process can have: asking the system for more can succeed, and end the process when the memory is
/// touched.
fn default_cap() -> usize {
    let machine = std::fs::read_to_string("/proc/meminfo").ok().and_then(|text| total_of_meminfo(&text));
    let limits = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"];
    let group = limits.iter().find_map(|path| std::fs::read_to_string(path).ok()?.trim().parse().ok());
    machine.into_iter().chain(group).min().unwrap_or(usize::MAX)
}

/// `MemTotal` of `/proc/meminfo`, in bytes.
fn total_of_meminfo(text: &str) -> Option<usize> {
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kibibytes: usize = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn total_memory_is_read_in_bytes() {
        assert_eq!(total_of_meminfo("MemTotal:       16318176 kB\nMemFree: 1 kB\n"), Some(16_318_176 * 1024));
        assert_eq!(total_of_meminfo("MemFree: 1 kB\n"), None);
    }
}
