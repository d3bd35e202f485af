//! Contexts: one device of the driver, opened once for the whole program.
//!
//! A context is the device's *primary* one, which other libraries of the process share; it is never given up. Its streams
//! and pools live as long as the program too. A driver call needs the context to be the current one of its thread, and
//! other libraries may change that, so every call is preceded by [`Context::bind`].
//!
//! When the driver stops a kernel (an illegal address, a failed `assert`), the context is *lost*: no call of it succeeds any
//! more. That is a state here, with the launches that may have caused it.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use super::driver::{self, CUcontext, CUdevice, Failure, Status};
use super::host::HostPool;
use super::module::Modules;
use super::pool::Pool;
use super::stream::{self, Stream};
use super::version::{Capability, CudaVersion};
use crate::device_id::DeviceId;
use crate::error::{Error, Origin, Result};
use crate::memory::MemoryStats;

/// The oldest driver whose interface this is: CUDA 11.4.
const OLDEST_DRIVER: CudaVersion = CudaVersion { major: 11, minor: 4 };

/// An opened device.
pub(crate) struct Context {
    ordinal: usize,
    raw: CUcontext,
    limits: Limits,
    modules: Modules,
    pool: Pool,
    host_pool: HostPool,
    /// The stream of handles that were not forked.
    main: OnceLock<&'static Stream>,
    /// Streams that were lent and came back.
    idle: Mutex<Vec<&'static Stream>>,
    /// Why the context cannot be used any more.
    lost: OnceLock<Error>,
}

// SAFETY: the driver's contexts may be used from any thread; everything else is shared by locks.
unsafe impl Send for Context {}
// SAFETY: as above.
unsafe impl Sync for Context {}

/// What a launch may ask of a device.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Blocks along each dimension.
    pub grid: [u32; 3],
    /// Threads along each dimension of a block.
    pub block: [u32; 3],
    /// Threads of a block.
    pub threads: u32,
    /// Bytes of shared memory of a block, once it asks for more than the usual amount.
    pub shared: u32,
    /// Multiprocessors.
    pub multiprocessors: u32,
}

/// A stream for as long as its handle lives.
#[derive(Debug)]
pub(crate) struct Lease {
    stream: &'static Stream,
}

static CONTEXTS: Mutex<BTreeMap<usize, &'static Context>> = Mutex::new(BTreeMap::new());

fn contexts() -> MutexGuard<'static, BTreeMap<usize, &'static Context>> {
    // The map is whole between statements.
    CONTEXTS.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Context {
    /// The context of a device, opened when it is first asked for.
    pub fn open(ordinal: usize) -> Result<&'static Context> {
        let mut contexts = contexts();
        if let Some(context) = contexts.get(&ordinal) {
            return Ok(context);
        }
        let context: &'static Context = Box::leak(Box::new(Context::new(ordinal)?));
        let origin = Origin::of("open");
        let main = Stream::create(context).map_err(|failure| context.error_with(failure, origin, Vec::new))?;
        context.main.get_or_init(|| main);
        contexts.insert(ordinal, context);
        Ok(context)
    }

    fn new(ordinal: usize) -> Result<Context> {
        let device = DeviceId::Cuda(ordinal);
        let failed = |failure| opening_error(failure, device);
        // SAFETY: no flags are defined.
        unsafe { driver::init(0) }.map_err(failed)?;
        let mut version = 0;
        // SAFETY: the address of a local.
        unsafe { driver::driver_version(&raw mut version) }.map_err(failed)?;
        let driver = CudaVersion::of_driver(version);
        if driver < OLDEST_DRIVER {
            return Err(Error::UnsupportedDriver { device, driver, oldest: OLDEST_DRIVER });
        }
        let mut count = 0;
        // SAFETY: the address of a local.
        unsafe { driver::device_count(&raw mut count) }.map_err(failed)?;
        let count = count as usize;
        if ordinal >= count {
            return Err(Error::NoSuchDevice { device, count });
        }
        let mut handle = 0;
        // SAFETY: the address of a local, and an ordinal that there is.
        unsafe { driver::device(&raw mut handle, ordinal as i32) }.map_err(failed)?;
        let (major, minor) = (attribute(handle, 75).map_err(failed)?, attribute(handle, 76).map_err(failed)?);
        let capability = Capability { major, minor };
        let mut raw = std::ptr::null_mut();
        // SAFETY: the address of a local, and a device.
        unsafe { driver::retain_context(&raw mut raw, handle) }.map_err(failed)?;
        let mut memory = 0;
        // SAFETY: the address of a local, and a device.
        unsafe { driver::device_memory(&raw mut memory, handle) }.map_err(failed)?;
        Ok(Context {
            ordinal,
            raw,
            limits: Limits::of(handle).map_err(failed)?,
            modules: Modules::of(capability, driver)?,
            pool: Pool::with_cap(memory),
            host_pool: HostPool::default(),
            main: OnceLock::new(),
            idle: Mutex::default(),
            lost: OnceLock::new(),
        })
    }

    pub fn id(&self) -> DeviceId {
        DeviceId::Cuda(self.ordinal)
    }

    pub fn ordinal(&self) -> usize {
        self.ordinal
    }

    pub(super) fn raw(&self) -> CUcontext {
        self.raw
    }

    pub fn limits(&self) -> Limits {
        self.limits
    }

    pub(super) fn modules(&self) -> &Modules {
        &self.modules
    }

    pub(super) fn pool(&self) -> &Pool {
        &self.pool
    }

    pub(crate) fn host_pool(&self) -> &HostPool {
        &self.host_pool
    }

    /// The stream of handles that were not forked.
    pub fn main(&self) -> &'static Stream {
        self.main.get().expect("bug in tensor-rt: a context is used before it is open")
    }

    /// A stream that no other handle has.
    pub fn fork(&'static self, origin: Origin) -> Result<Lease> {
        self.check(origin)?;
        let idle = self.idle().pop();
        let stream = match idle {
            Some(stream) => stream,
            None => Stream::create(self).map_err(|failure| self.error(failure, origin))?,
        };
        Ok(Lease { stream })
    }

    /// Makes this the context of the calling thread.
    pub(super) fn bind(&self) -> Result<(), Failure> {
        let mut current = std::ptr::null_mut();
        // SAFETY: the address of a local.
        unsafe { driver::current_context(&raw mut current)? };
        if current == self.raw {
            return Ok(());
        }
        // SAFETY: the context is alive: it is never given up.
        unsafe { driver::set_current_context(self.raw) }
    }

    /// Fails if the context is lost.
    pub(crate) fn check(&self, origin: Origin) -> Result<()> {
        match self.lost.get() {
            None => Ok(()),
            Some(cause) => {
                let Origin { op, at } = origin;
                Err(Error::ContextLost { op, device: self.id(), cause: Box::new(cause.clone()), at })
            }
        }
    }

    /// What a failure of the driver means for the caller.
    pub(super) fn error(&'static self, failure: Failure, origin: Origin) -> Error {
        self.error_with(failure, origin, || stream::unfinished(self))
    }

    /// [`Context::error`], with the calls behind the launches that may have caused it.
    pub(super) fn error_with(&self, failure: Failure, origin: Origin, launches: impl FnOnce() -> Vec<Origin>) -> Error {
        let (device, Origin { op, at }) = (self.id(), origin);
        match failure {
            Failure::NoLibrary => not_found(device),
            Failure::Missing(symbol) => Error::MissingSymbol { device, symbol },
            Failure::Status { call, status } if status.is_fatal() => {
                let cause = self.lost.get_or_init(|| Error::LaunchFailed {
                    device,
                    call,
                    status: status.code(),
                    text: status.to_string().into(),
                    launches: launches().into(),
                    at,
                });
                match cause {
                    Error::LaunchFailed { at: first, .. } if *first == at => cause.clone(),
                    cause => Error::ContextLost { op, device, cause: Box::new(cause.clone()), at },
                }
            }
            Failure::Status { call, status } => {
                Error::DriverFailed { op, device, call, status: status.code(), text: status.to_string().into(), at }
            }
        }
    }

    /// What the pool of this device's tensors holds.
    pub fn memory_stats(&self) -> MemoryStats {
        self.pool.stats()
    }

    /// Bounds live and cached bytes together.
    pub fn set_memory_cap(&'static self, bytes: usize, origin: Origin) -> Result<()> {
        self.pool.set_cap(self, bytes).map_err(|failure| self.error(failure, origin))
    }

    /// Gives the bytes kept for reuse back to the driver.
    pub fn release_cached_memory(&'static self, origin: Origin) -> Result<()> {
        self.pool.release_cached(self).map_err(|failure| self.error(failure, origin))
    }

    fn idle(&self) -> MutexGuard<'_, Vec<&'static Stream>> {
        // The list is whole between statements.
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Debug for Context {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        Debug::fmt(&self.id(), out)
    }
}

impl Lease {
    pub fn stream(&self) -> &'static Stream {
        self.stream
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.stream.context().idle().push(self.stream);
    }
}

impl Limits {
    fn of(device: CUdevice) -> Result<Limits, Failure> {
        let three = |[x, y, z]: [u32; 3]| -> Result<[u32; 3], Failure> {
            Ok([attribute(device, x)?, attribute(device, y)?, attribute(device, z)?])
        };
        Ok(Limits {
            grid: three([5, 6, 7])?,
            block: three([2, 3, 4])?,
            threads: attribute(device, 1)?,
            shared: attribute(device, 97)?,
            multiprocessors: attribute(device, 16)?,
        })
    }
}

/// A property of a device, by the number that the driver's interface gives it.
fn attribute(device: CUdevice, number: u32) -> Result<u32, Failure> {
    let mut value = 0;
    // SAFETY: the address of a local, and a device.
    unsafe { driver::device_attribute(&raw mut value, number, device)? };
    Ok(value as u32)
}

fn opening_error(failure: Failure, device: DeviceId) -> Error {
    match failure {
        Failure::NoLibrary => not_found(device),
        Failure::Missing(symbol) => Error::MissingSymbol { device, symbol },
        // What the driver says on a machine that has it but no device.
        Failure::Status { status, .. } if status == Status::NO_DEVICE => Error::NoSuchDevice { device, count: 0 },
        Failure::Status { call, status } => {
            let Origin { op, at } = Origin::of("open");
            Error::DriverFailed { op, device, call, status: status.code(), text: status.to_string().into(), at }
        }
    }
}

fn not_found(device: DeviceId) -> Error {
    let tried = driver::library_names().into_iter().map(Into::into).collect();
    Error::DriverNotFound { device, tried }
}
