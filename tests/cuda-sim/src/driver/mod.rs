//! The state of the simulated driver: devices, contexts, streams, memory.
//!
//! Vocabulary. An *operation* is a piece of work on a stream; it is *enqueued* by a call and *run* later, at once with
//! eager execution, as late as the API allows with lazy execution. A *position* is the place of an operation in its
//! stream, a *clock* what is known to have happened before ([`clock`]). A context is *lost* after a failure on the
//! device; every later call that uses it gives the code of that failure.
//!
//! Invariants:
//! - All state is behind one lock ([`session`]); kernels run while it is held, host functions do not.
//! - An operation runs only after the operations before it on its stream and those it waits for. Positions it waits for
//!   are taken when it is enqueued, so that an event may be recorded anew or destroyed while a wait on it is pending.
//! - Handles, stream indices and device addresses are never given out twice, so that every use of a stale one is found.
//! - Memory counts as used from the call that allocates it to the run of the operation that frees it.

pub(crate) mod allocation;
pub(crate) mod clock;
pub mod code;
pub mod config;
pub(crate) mod context;
pub(crate) mod copy;
pub(crate) mod device;
pub(crate) mod event;
pub(crate) mod handle;
pub(crate) mod host_function;
pub(crate) mod injection;
pub(crate) mod launch;
pub(crate) mod module;
pub(crate) mod operation;
pub(crate) mod pinned;
pub(crate) mod pool;
pub(crate) mod race;
pub mod report;
pub(crate) mod session;
pub(crate) mod stream;
pub(crate) mod time;

use std::collections::BTreeMap;

use self::{
    allocation::Allocated,
    clock::Clock,
    code::{Code, Result},
    config::{Config, Knob},
    context::Context,
    device::Device,
    event::Event,
    handle::Table,
    injection::Injections,
    module::{LoadedFunction, LoadedModule},
    pinned::Pinned,
    pool::Pool,
    race::AccessLog,
    report::{Category, Log},
    stream::Streams,
    time::Time,
};
use crate::memory::Memory;

/// The whole state.
pub(crate) struct Driver {
    pub(crate) config: Config,
    pub(crate) initialized: bool,
    pub(crate) devices: Vec<Device>,
    pub(crate) contexts: Table<Context>,
    pub(crate) streams: Streams,
    pub(crate) events: Table<Event>,
    pub(crate) modules: Table<LoadedModule>,
    pub(crate) functions: Table<LoadedFunction>,
    pub(crate) pools: Table<Pool>,
    pub(crate) memory: Memory,
    /// Live allocations by address.
    pub(crate) allocated: BTreeMap<u64, Allocated>,
    /// Host memory that devices may address, by its address on the host.
    pub(crate) pinned: BTreeMap<u64, Pinned>,
    pub(crate) accesses: AccessLog,
    /// What the host has waited for.
    pub(crate) host: Clock,
    /// The host's virtual time: that of the last thing it has waited for, and its calls since.
    pub(crate) now: Time,
    pub(crate) injections: Injections,
    pub(crate) log: Log,
}

impl Driver {
    /// A machine as the environment describes it, before `cuInit`.
    pub(crate) fn new() -> Self {
        let config = Config::from_environment();
        let mut driver = Self {
            config,
            initialized: false,
            devices: Vec::new(),
            contexts: Table::default(),
            streams: Streams::default(),
            events: Table::default(),
            modules: Table::default(),
            functions: Table::default(),
            pools: Table::default(),
            memory: Memory::new(),
            allocated: BTreeMap::new(),
            pinned: BTreeMap::new(),
            accesses: AccessLog::default(),
            host: Clock::default(),
            now: 0.0,
            injections: Injections::default(),
            log: Log::default(),
        };
        driver.apply_config();
        driver
    }

    /// Lets a choice that was changed take effect.
    pub(crate) fn apply_config(&mut self) {
        while self.devices.len() < self.config.get(Knob::Devices).max(0) as usize {
            let pool = self.pools.insert(Pool::new(self.devices.len() as u32));
            self.devices.push(Device { default_pool: pool, current_pool: pool, ..Device::default() });
        }
        self.memory.track_initialised(self.config.is(Knob::CheckUninitialised));
        self.log.echo = self.config.is(Knob::Log);
    }

    /// The ordinal of a device, checked.
    pub(crate) fn device(&self, ordinal: i32) -> Result<u32> {
        if !self.initialized {
            return Err(Code::NOT_INITIALIZED);
        }
        let count = self.config.get(Knob::Devices);
        if (0..count).contains(&i64::from(ordinal)) { Ok(ordinal as u32) } else { Err(Code::INVALID_DEVICE) }
    }

    /// Keeps a report of a call that a real driver would refuse or leave undefined.
    pub(crate) fn misuse(&mut self, text: String) {
        self.log.report(Category::Misuse, text);
    }
}
