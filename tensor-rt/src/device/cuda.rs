//! CUDA devices as handles.

use std::fmt::Debug;
use std::sync::Arc;

use super::{Device, DeviceId, sealed};
use crate::cuda::context::{Context, Lease};
use crate::cuda::stream::Stream;
use crate::error::{Origin, Result};
use crate::home::Home;
use crate::memory::MemoryStats;

/// A CUDA device; `Cuda` alone is `cuda:0`.
///
/// A handle has a *stream*, the order in which the device runs what it is given. Handles from [`Cuda::new`] and
/// [`Device::open`] share one; [`Cuda::fork`] gives one with a stream of its own, whose work may overlap with that of others.
/// Whatever stream a tensor was made on, what uses it waits for it, on the device.
#[derive(Clone)]
pub struct Cuda<const ORDINAL: usize = 0> {
    stream: &'static Stream,
    /// Keeps a forked stream from being lent to another handle.
    lease: Option<Arc<Lease>>,
}

impl Cuda {
    /// A handle of `cuda:0`; other ordinals are opened by `Cuda::<1>::open()`.
    ///
    /// # Errors
    /// Fails if there is no usable driver, compiler or device.
    pub fn new() -> Result<Cuda> {
        Cuda::<0>::open()
    }
}

impl<const ORDINAL: usize> Cuda<ORDINAL> {
    /// A handle of the same device with a stream of its own.
    ///
    /// # Errors
    /// Fails if the device was lost.
    #[track_caller]
    pub fn fork(&self) -> Result<Self> {
        let lease = self.stream.context().fork(Origin::of("fork"))?;
        Ok(Cuda { stream: lease.stream(), lease: Some(Arc::new(lease)) })
    }

    /// What the pool of this device's tensors holds.
    pub fn memory_stats(&self) -> MemoryStats {
        self.stream.context().memory_stats()
    }

    /// Bounds the bytes of all tensors on the device together with the bytes kept for reuse. What is in use stays in use;
    /// later requests beyond the cap fail with [`Error::OutOfMemory`](crate::Error::OutOfMemory). The default is the memory
    /// of the device.
    ///
    /// # Errors
    /// Fails if bytes that are kept cannot be given back, because the device was lost.
    #[track_caller]
    pub fn set_memory_cap(&self, bytes: usize) -> Result<()> {
        self.stream.context().set_memory_cap(bytes, Origin::of("set_memory_cap"))
    }

    /// Waits for what uses the bytes kept for reuse, and gives them back to the driver.
    ///
    /// # Errors
    /// Fails if the device was lost.
    #[track_caller]
    pub fn release_cached_memory(&self) -> Result<()> {
        self.stream.context().release_cached_memory(Origin::of("release_cached_memory"))
    }

    pub(crate) fn stream(&self) -> &'static Stream {
        self.stream
    }
}

impl<const ORDINAL: usize> sealed::Sealed for Cuda<ORDINAL> {}

impl<const ORDINAL: usize> Device for Cuda<ORDINAL> {
    const ID: DeviceId = DeviceId::Cuda(ORDINAL);

    fn open() -> Result<Self> {
        Ok(Cuda { stream: Context::open(ORDINAL)?.main(), lease: None })
    }

    #[track_caller]
    fn synchronize(&self) -> Result<()> {
        let origin = Origin::of("synchronize");
        crate::accounting::sync(origin.at);
        self.stream.synchronize(origin)
    }

    fn home(&self) -> Home {
        Home::on(self.stream)
    }

    fn of_home(home: Home) -> Self {
        let Some(stream) = home.stream() else {
            unreachable!("bug in tensor-rt: a tensor of a CUDA device is at home on the host")
        };
        Cuda { stream, lease: None }
    }
}

impl<const ORDINAL: usize> PartialEq for Cuda<ORDINAL> {
    /// True for handles with the same stream.
    fn eq(&self, other: &Self) -> bool {
        self.stream == other.stream
    }
}

impl<const ORDINAL: usize> Eq for Cuda<ORDINAL> {}

impl<const ORDINAL: usize> Debug for Cuda<ORDINAL> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.lease {
            None => write!(out, "{}", Self::ID),
            Some(lease) => write!(out, "{} (stream {})", Self::ID, lease.stream().id()),
        }
    }
}
