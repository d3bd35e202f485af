//! Events: points of a stream that others wait for.

use super::driver::{self, CUevent, Failure, Status};
use super::stream::Stream;

/// A point of a stream, for as long as somebody may wait for it.
pub(crate) struct Event {
    stream: &'static Stream,
    raw: CUevent,
}

// SAFETY: the driver's events may be used from any thread.
unsafe impl Send for Event {}
// SAFETY: as above.
unsafe impl Sync for Event {}

impl Event {
    /// An event behind everything that a stream was given so far.
    pub(super) fn record(stream: &'static Stream) -> Result<Event, Failure> {
        /// Takes no time, which makes it cheaper.
        const DISABLE_TIMING: u32 = 2;
        stream.context().bind()?;
        let mut raw = std::ptr::null_mut();
        // SAFETY: the address of a local; the stream's context is bound.
        unsafe { driver::create_event(&raw mut raw, DISABLE_TIMING)? };
        let event = Event { stream, raw };
        // SAFETY: both are alive and of the bound context.
        unsafe { driver::record_event(raw, stream.raw())? };
        Ok(event)
    }

    pub(super) fn raw(&self) -> CUevent {
        self.raw
    }

    /// True once everything before it is done.
    pub fn is_reached(&self) -> Result<bool, Failure> {
        self.stream.context().bind()?;
        // SAFETY: the event is alive, and its context bound.
        match unsafe { driver::query_event(self.raw) } {
            Ok(()) => Ok(true),
            Err(failure) if failure.status() == Some(Status::NOT_READY) => Ok(false),
            Err(failure) => Err(failure),
        }
    }

    /// Waits on the host until everything before it is done.
    pub fn wait(&self) -> Result<(), Failure> {
        self.stream.context().bind()?;
        // SAFETY: as above.
        unsafe { driver::synchronize_event(self.raw) }
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        // An event that cannot be given back is lost with its context.
        let _ = self.stream.context().bind().and_then(|()| {
            // SAFETY: the event is alive, and nobody uses it after this; a stream that still waits for it keeps it.
            unsafe { driver::destroy_event(self.raw) }
        });
    }
}
