//! Counters: what a program's tensors cost, by the line that asked for it.
//!
//! A *copy* duplicates data within a device or across devices; a *sync* lets the host wait for a value; an *allocation*
//! is a buffer taken from a pool; a *launch* is one kernel; a *pass* is one traversal of a kernel. Each is counted for
//! the call site in the user's code, on the thread that made the call.
//!
//! [`report`] gives the counters of the whole process. [`measure`] gives those of one closure on the calling thread, so
//! that tests can run side by side.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt::Display;
use std::hash::{BuildHasherDefault, Hasher};
use std::ops::AddAssign;
use std::panic::Location;
use std::sync::{Mutex, PoisonError};

use crate::error::Site;

/// How often each thing happened.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counters {
    /// Copies within a device or across devices.
    pub copies: u64,
    /// Bytes of those copies.
    pub copied_bytes: u64,
    /// Waits of the host for a value.
    pub syncs: u64,
    /// Buffers taken from a pool.
    pub allocations: u64,
    /// Bytes of those buffers.
    pub allocated_bytes: u64,
    /// Kernels.
    pub launches: u64,
    /// Traversals of those kernels.
    pub passes: u64,
    /// Buffers of a device that its pool had to ask the driver for.
    pub driver_allocations: u64,
}

impl AddAssign for Counters {
    fn add_assign(&mut self, other: Counters) {
        self.copies += other.copies;
        self.copied_bytes += other.copied_bytes;
        self.syncs += other.syncs;
        self.allocations += other.allocations;
        self.allocated_bytes += other.allocated_bytes;
        self.launches += other.launches;
        self.passes += other.passes;
        self.driver_allocations += other.driver_allocations;
    }
}

/// Counters by call site.
#[derive(Clone, Debug, Default)]
pub struct Report {
    sites: Vec<(Site, Counters)>,
}

impl Report {
    /// The counters of every call site, in the order of file and line.
    pub fn sites(&self) -> &[(Site, Counters)] {
        &self.sites
    }

    /// The counters of all call sites together.
    pub fn total(&self) -> Counters {
        let mut total = Counters::default();
        for (_, counters) in &self.sites {
            total += *counters;
        }
        total
    }

    /// The counters of the call sites in one line of a file; `file` may be the end of its path.
    pub fn at(&self, file: &str, line: u32) -> Counters {
        let mut total = Counters::default();
        for (site, counters) in &self.sites {
            if site.line() == line && site.file().ends_with(file) {
                total += *counters;
            }
        }
        total
    }

    /// One place may stand at several addresses, one per crate that was compiled with it.
    fn from_map(map: &SiteMap) -> Report {
        let mut sites: Vec<(Site, Counters)> = map.values().copied().collect();
        sites.sort_by(|(a, _), (b, _)| order(a).cmp(&order(b)));
        sites.dedup_by(|(next, counters), (kept, total)| {
            let same = order(next) == order(kept);
            if same {
                *total += *counters;
            }
            same
        });
        Report { sites }
    }
}

fn order<'a>(site: &Location<'a>) -> (&'a str, u32, u32) {
    (site.file(), site.line(), site.column())
}

impl Display for Report {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(
            out,
            "{:>8} {:>14} {:>8} {:>8} {:>14} {:>8} {:>8} {:>8}  site",
            "copies", "bytes", "syncs", "allocs", "bytes", "driver", "launches", "passes"
        )?;
        for (site, of_site) in &self.sites {
            let Counters {
                copies,
                copied_bytes,
                syncs,
                allocations,
                allocated_bytes,
                launches,
                passes,
                driver_allocations,
            } = of_site;
            write!(out, "{copies:>8} {copied_bytes:>14} {syncs:>8} {allocations:>8} {allocated_bytes:>14} ")?;
            writeln!(out, "{driver_allocations:>8} {launches:>8} {passes:>8}  {site}")?;
        }
        Ok(())
    }
}

/// The counters of the process so far.
pub fn report() -> Report {
    Report::from_map(&PROCESS.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Runs `body` and gives what it cost on this thread.
pub fn measure<R>(body: impl FnOnce() -> R) -> (R, Report) {
    SCOPES.with_borrow_mut(|scopes| scopes.push(SiteMap::default()));
    let guard = Scope;
    let result = body();
    std::mem::forget(guard);
    let map = SCOPES.with_borrow_mut(|scopes| scopes.pop()).unwrap_or_default();
    (result, Report::from_map(&map))
}

/// Ends the scope of a [`measure`] whose body panicked.
struct Scope;

impl Drop for Scope {
    fn drop(&mut self) {
        SCOPES.with_borrow_mut(|scopes| scopes.pop());
    }
}

pub(crate) fn copy(site: Site, bytes: usize) {
    count(site, Counters { copies: 1, copied_bytes: bytes as u64, ..Counters::default() });
}

pub(crate) fn sync(site: Site) {
    count(site, Counters { syncs: 1, ..Counters::default() });
}

pub(crate) fn allocation(site: Site, bytes: usize) {
    count(site, Counters { allocations: 1, allocated_bytes: bytes as u64, ..Counters::default() });
}

/// A buffer that came fresh from the driver.
pub(crate) fn driver_allocation(site: Site) {
    count(site, Counters { driver_allocations: 1, ..Counters::default() });
}

/// One kernel of `passes` traversals.
pub(crate) fn launch(site: Site, passes: usize) {
    count(site, Counters { launches: 1, passes: passes as u64, ..Counters::default() });
}

/// Counters by the address of the call site: hashing the file name for every event would cost more than the event.
type SiteMap = HashMap<usize, (Site, Counters), BuildHasherDefault<AddressHasher>>;

static PROCESS: Mutex<SiteMap> = Mutex::new(SiteMap::with_hasher(BuildHasherDefault::new()));

thread_local! {
    static SCOPES: RefCell<Vec<SiteMap>> = const { RefCell::new(Vec::new()) };
}

fn count(site: Site, counters: Counters) {
    let address = std::ptr::from_ref(site).addr();
    let add = |map: &mut SiteMap| map.entry(address).or_insert((site, Counters::default())).1 += counters;
    add(&mut PROCESS.lock().unwrap_or_else(PoisonError::into_inner));
    // A thread that ends may drop tensors after its scopes are gone.
    let _ = SCOPES.try_with(|scopes| scopes.borrow_mut().iter_mut().for_each(add));
}

/// Spreads an address over the hash table.
#[derive(Default)]
struct AddressHasher(u64);

impl Hasher for AddressHasher {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_usize(usize::from(*byte));
        }
    }

    fn write_usize(&mut self, address: usize) {
        // The golden ratio's bits; the table uses the top ones.
        self.0 = (self.0.rotate_left(5) ^ address as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn finish(&self) -> u64 {
        self.0.rotate_left(26)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_of_one_line_add_up() {
        let here = Location::caller();
        let (_, report) = measure(|| {
            copy(here, 10);
            copy(here, 20);
            launch(here, 3);
        });
        let expected = Counters { copies: 2, copied_bytes: 30, launches: 1, passes: 3, ..Counters::default() };
        assert_eq!(report.total(), expected);
        assert_eq!(report.at("accounting.rs", here.line()), expected);
        assert_eq!(report.at("accounting.rs", here.line() + 1), Counters::default());
    }

    #[test]
    fn measurements_nest() {
        let here = Location::caller();
        let ((_, inner), outer) = measure(|| {
            sync(here);
            measure(|| sync(here))
        });
        assert_eq!((inner.total().syncs, outer.total().syncs), (1, 2));
    }
}
