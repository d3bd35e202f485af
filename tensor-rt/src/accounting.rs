//! Counters: what a program's tensors cost, by the line that asked for it.
//!
//! A *copy* duplicates data within a device or across devices; a *sync* lets the host wait for a value; an *allocation*
//! is a buffer taken from a pool; a *launch* is one kernel; a *pass* is one traversal of a kernel. Each is counted for
//! the call site in the user's code, on the thread that made the call.
//!
//! [`report`] gives the counters of the whole process. [`measure`] gives those of one closure on the calling thread, so
//! that tests can run side by side.
//!
//! A thread counts in a *ledger* of its own, one *tally* per call site: an event is an addition without a lock. Other
//! threads read tallies through the list of all ledgers; a thread that ends leaves its sums there.
//!
//! Invariant: only the thread that owns a tally writes it, so no addition is lost.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::fmt::Display;
use std::ops::AddAssign;
use std::panic::Location;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::address::{self, ByAddress};
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

    /// One place may stand several times: at one address per crate that was compiled with it, and for each thread.
    fn of(mut sites: Vec<(Site, Counters)>) -> Report {
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

impl Counters {
    /// What was counted after `earlier`.
    fn since(self, earlier: Counters) -> Counters {
        Counters {
            copies: self.copies - earlier.copies,
            copied_bytes: self.copied_bytes - earlier.copied_bytes,
            syncs: self.syncs - earlier.syncs,
            allocations: self.allocations - earlier.allocations,
            allocated_bytes: self.allocated_bytes - earlier.allocated_bytes,
            launches: self.launches - earlier.launches,
            passes: self.passes - earlier.passes,
            driver_allocations: self.driver_allocations - earlier.driver_allocations,
        }
    }
}

/// The counters of the process so far.
pub fn report() -> Report {
    let process = process();
    let running = process.threads.values().flatten().map(|tally| (tally.site, tally.counters()));
    Report::of(running.chain(process.ended.iter().copied()).collect())
}

/// Runs `body` and gives what it cost on this thread.
pub fn measure<R>(body: impl FnOnce() -> R) -> (R, Report) {
    let before: ByAddress<Counters> = own_counters().into_iter().map(|(site, now)| (address::of(site), now)).collect();
    let result = body();
    let mut sites = own_counters();
    for (site, now) in &mut sites {
        *now = now.since(before.get(&address::of(*site)).copied().unwrap_or_default());
    }
    sites.retain(|(_, cost)| *cost != Counters::default());
    (result, Report::of(sites))
}

pub(crate) fn copy(site: Site, bytes: usize) {
    count(site, |tally| {
        add(&tally.copies, 1);
        add(&tally.copied_bytes, bytes as u64);
    });
}

pub(crate) fn sync(site: Site) {
    count(site, |tally| add(&tally.syncs, 1));
}

pub(crate) fn allocation(site: Site, bytes: usize) {
    count(site, |tally| {
        add(&tally.allocations, 1);
        add(&tally.allocated_bytes, bytes as u64);
    });
}

/// A buffer that came fresh from the driver.
pub(crate) fn driver_allocation(site: Site) {
    count(site, |tally| add(&tally.driver_allocations, 1));
}

/// One kernel of `passes` traversals.
pub(crate) fn launch(site: Site, passes: usize) {
    count(site, |tally| {
        add(&tally.launches, 1);
        add(&tally.passes, passes as u64);
    });
}

/// The events of one call site on one thread.
struct Tally {
    site: Site,
    copies: AtomicU64,
    copied_bytes: AtomicU64,
    syncs: AtomicU64,
    allocations: AtomicU64,
    allocated_bytes: AtomicU64,
    launches: AtomicU64,
    passes: AtomicU64,
    driver_allocations: AtomicU64,
}

impl Tally {
    fn new(site: Site) -> Tally {
        let new = || AtomicU64::new(0);
        Tally {
            site,
            copies: new(),
            copied_bytes: new(),
            syncs: new(),
            allocations: new(),
            allocated_bytes: new(),
            launches: new(),
            passes: new(),
            driver_allocations: new(),
        }
    }

    fn counters(&self) -> Counters {
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Counters {
            copies: count(&self.copies),
            copied_bytes: count(&self.copied_bytes),
            syncs: count(&self.syncs),
            allocations: count(&self.allocations),
            allocated_bytes: count(&self.allocated_bytes),
            launches: count(&self.launches),
            passes: count(&self.passes),
            driver_allocations: count(&self.driver_allocations),
        }
    }
}

/// Adds to a counter of the calling thread.
fn add(counter: &AtomicU64, amount: u64) {
    // By the invariant nobody else writes it, and so an addition need not be one atomic operation, which costs ten times
    // as much.
    counter.store(counter.load(Ordering::Relaxed) + amount, Ordering::Relaxed);
}

/// Call sites that a ledger finds without a search.
const RECENT: usize = 64;

/// The tallies of one thread.
struct Ledger {
    /// Its key among the threads of the process.
    thread: u64,
    /// Tallies at the place of their sites' addresses; the latest of those that fall on one place.
    recent: [Option<Arc<Tally>>; RECENT],
    all: ByAddress<Arc<Tally>>,
}

impl Ledger {
    fn new() -> Ledger {
        let mut process = process();
        process.started += 1;
        let thread = process.started;
        process.threads.insert(thread, Vec::new());
        Ledger { thread, recent: [const { None }; RECENT], all: HashMap::default() }
    }

    fn tally(&mut self, site: Site) -> &Tally {
        // The sites of a program lie one after the other, three words each.
        let place = address::of(site) / size_of::<usize>() % RECENT;
        if !matches!(&self.recent[place], Some(tally) if std::ptr::eq(tally.site, site)) {
            self.recent[place] = Some(self.find(site));
        }
        self.recent[place].as_deref().expect("bug in accounting: a tally that was just set is missing")
    }

    #[cold]
    fn find(&mut self, site: Site) -> Arc<Tally> {
        let thread = self.thread;
        let new = || {
            let tally = Arc::new(Tally::new(site));
            process().threads.entry(thread).or_default().push(tally.clone());
            tally
        };
        self.all.entry(address::of(site)).or_insert_with(new).clone()
    }
}

impl Drop for Ledger {
    fn drop(&mut self) {
        let mut process = process();
        for tally in process.threads.remove(&self.thread).into_iter().flatten() {
            process.end(tally.site, tally.counters());
        }
    }
}

thread_local! {
    static LEDGER: RefCell<Ledger> = RefCell::new(Ledger::new());
}

/// What all threads counted.
struct Process {
    /// Threads that counted something so far.
    started: u64,
    /// The tallies of running threads.
    threads: BTreeMap<u64, Vec<Arc<Tally>>>,
    /// The sums of threads that ended.
    ended: Vec<(Site, Counters)>,
}

impl Process {
    /// Adds to the sums of ended threads.
    fn end(&mut self, site: Site, counters: Counters) {
        match self.ended.iter_mut().find(|(known, _)| std::ptr::eq(*known, site)) {
            Some((_, sum)) => *sum += counters,
            None => self.ended.push((site, counters)),
        }
    }
}

fn process() -> MutexGuard<'static, Process> {
    static PROCESS: Mutex<Process> = Mutex::new(Process { started: 0, threads: BTreeMap::new(), ended: Vec::new() });
    PROCESS.lock().unwrap_or_else(PoisonError::into_inner)
}

fn own_counters() -> Vec<(Site, Counters)> {
    LEDGER.with_borrow(|ledger| ledger.all.values().map(|tally| (tally.site, tally.counters())).collect())
}

fn count(site: Site, event: impl Fn(&Tally)) {
    if LEDGER.try_with(|ledger| event(ledger.borrow_mut().tally(site))).is_err() {
        // A thread that ends may drop tensors after its ledger is gone.
        let tally = Tally::new(site);
        event(&tally);
        process().end(site, tally.counters());
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

    #[test]
    fn what_a_thread_counted_stays_when_it_ends() {
        let here = Location::caller();
        let counted = |report: Report| report.at("accounting.rs", here.line()).syncs;
        let body = || {
            sync(here);
            assert_eq!(counted(report()), 1);
        };
        std::thread::scope(|scope| scope.spawn(body).join()).unwrap();
        assert_eq!(counted(report()), 1);
        let (_, own) = measure(|| std::thread::scope(|scope| scope.spawn(|| sync(here)).join()));
        assert_eq!((counted(own), counted(report())), (0, 2));
        assert!(process().ended.iter().any(|(site, _)| std::ptr::eq(*site, here)));
    }

    #[test]
    fn sites_that_share_a_place_are_told_apart() {
        let sites: Vec<Site> = (0..2 * RECENT).map(|_| -> Site { Box::leak(Box::new(*Location::caller())) }).collect();
        let (_, report) = measure(|| sites.iter().chain(&sites).for_each(|site| launch(site, 3)));
        assert_eq!(report.sites().len(), 1);
        assert_eq!((report.total().launches, report.total().passes), (4 * RECENT as u64, 12 * RECENT as u64));
    }
}
