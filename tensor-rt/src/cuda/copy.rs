//! Copies that the driver makes: between host and device, between devices, and of whole buffers.
//!
//! Each is given to one stream, after what it depends on there and on others.

use std::ptr::NonNull;
use std::sync::Arc;

use super::buffer::Buffer;
use super::driver;
use super::event::Event;
use super::host::HostBlock;
use super::pinned::PinnedBlock;
use super::stream::{Point, Stream};
use crate::error::{Origin, Result};

/// A range of bytes of a buffer.
#[derive(Clone, Copy)]
pub(crate) struct Bytes<'a> {
    buffer: &'a Buffer,
    start: usize,
    length: usize,
}

impl<'a> Bytes<'a> {
    /// `length` bytes of a buffer from `start` on.
    pub fn of(buffer: &'a Buffer, start: usize, length: usize) -> Bytes<'a> {
        let inside = start.checked_add(length).is_some_and(|end| end <= buffer.bytes());
        assert!(inside, "bug in tensor-rt: bytes outside of a buffer");
        Bytes { buffer, start, length }
    }

    fn address(self) -> u64 {
        self.buffer.address() + self.start as u64
    }
}

/// Copies from memory of the host that stays the caller's. Returns once that memory may change.
pub(crate) fn upload(stream: &'static Stream, target: Bytes<'_>, source: &[u8], origin: Origin) -> Result<()> {
    assert_eq!(target.length, source.len(), "bug in tensor-rt: a copy of another length");
    if source.is_empty() {
        return Ok(());
    }
    let mut submission = stream.submit(origin)?;
    submission.writes(target.buffer)?;
    // SAFETY: the target is that long (checked); the source is memory that is not pinned, which the driver has read when
    // it returns.
    unsafe { driver::copy_to_device(target.address(), source.as_ptr().cast(), source.len(), submission.raw()) }
        .map_err(|failure| submission.error(failure))?;
    submission.done([], [target.buffer]);
    Ok(())
}

/// Copies to memory of the host, waits for the copy, and gives what went wrong before it.
///
/// It goes through pinned memory: a copy to other memory waits within the driver, where it would keep all other threads from
/// giving work to any stream.
pub(crate) fn download(stream: &'static Stream, target: &mut [u8], source: Bytes<'_>, origin: Origin) -> Result<()> {
    assert_eq!(source.length, target.len(), "bug in tensor-rt: a copy of another length");
    if target.is_empty() {
        return stream.synchronize(origin);
    }
    let mut staging = PinnedBlock::stale(stream.context(), target.len(), origin)?;
    let mut submission = stream.submit(origin)?;
    submission.reads(source.buffer)?;
    let bytes = staging.pointer();
    // SAFETY: both are that long (checked), and the block is not handed out again before the copy is done.
    unsafe { driver::copy_to_host(bytes.as_ptr().cast(), source.address(), target.len(), submission.raw()) }
        .map_err(|failure| submission.error(failure))?;
    staging.used_until(submission.done([source.buffer], []));
    stream.synchronize(origin)?;
    // SAFETY: the copy into the block is done, so that many of its bytes are those of the source; the target is other memory.
    unsafe { bytes.copy_to_nonoverlapping(NonNull::from(target).cast(), source.length) };
    Ok(())
}

/// Starts a copy from the first bytes of a pinned block.
///
/// # Safety
/// The block is neither changed nor given away before the event.
pub(crate) unsafe fn start_upload(
    stream: &'static Stream,
    target: Bytes<'_>,
    source: &HostBlock,
    origin: Origin,
) -> Result<(Point, Arc<Event>)> {
    assert!(target.length <= source.bytes(), "bug in tensor-rt: a copy of more than there is");
    let mut submission = stream.submit(origin)?;
    submission.writes(target.buffer)?;
    if target.length > 0 {
        // SAFETY: both are that long (checked), and the caller keeps the source.
        unsafe {
            let source = source.pointer().as_ptr().cast();
            driver::copy_to_device(target.address(), source, target.length, submission.raw())
        }
        .map_err(|failure| submission.error(failure))?;
    }
    submission.marked([], [target.buffer])
}

/// Starts a copy to the first bytes of a pinned block.
///
/// # Safety
/// The block is neither read, changed nor given away before the event.
pub(crate) unsafe fn start_download(
    stream: &'static Stream,
    target: &HostBlock,
    source: Bytes<'_>,
    origin: Origin,
) -> Result<(Point, Arc<Event>)> {
    assert!(source.length <= target.bytes(), "bug in tensor-rt: a copy of more than there is room for");
    let mut submission = stream.submit(origin)?;
    submission.reads(source.buffer)?;
    if source.length > 0 {
        // SAFETY: both are that long (checked), and the caller keeps the target.
        unsafe {
            let target = target.pointer().as_ptr().cast();
            driver::copy_to_host(target, source.address(), source.length, submission.raw())
        }
        .map_err(|failure| submission.error(failure))?;
    }
    submission.marked([source.buffer], [])
}

/// Copies from a buffer of this or another device.
pub(crate) fn copy(stream: &'static Stream, target: Bytes<'_>, source: Bytes<'_>, origin: Origin) -> Result<()> {
    assert_eq!(target.length, source.length, "bug in tensor-rt: a copy of another length");
    if target.length == 0 {
        return Ok(());
    }
    let mut submission = stream.submit(origin)?;
    submission.reads(source.buffer)?;
    submission.writes(target.buffer)?;
    let (to, from) = (target.buffer.context(), source.buffer.context());
    let result = if std::ptr::eq(to, from) {
        // SAFETY: both are that long (checked), and the stream is after their uses.
        unsafe { driver::copy_on_device(target.address(), source.address(), source.length, submission.raw()) }
    } else {
        let (target, source, length) = (target.address(), source.address(), source.length);
        // SAFETY: as above, each in its own context.
        unsafe { driver::copy_between(target, to.raw(), source, from.raw(), length, submission.raw()) }
    };
    result.map_err(|failure| submission.error(failure))?;
    submission.done([source.buffer], [target.buffer]);
    Ok(())
}

/// Writes zeros.
pub(crate) fn zero(stream: &'static Stream, target: Bytes<'_>, origin: Origin) -> Result<()> {
    if target.length == 0 {
        return Ok(());
    }
    let mut submission = stream.submit(origin)?;
    submission.writes(target.buffer)?;
    // SAFETY: the target is that long (checked), and the stream is after its uses.
    unsafe { driver::fill_bytes(target.address(), 0, target.length, submission.raw()) }
        .map_err(|failure| submission.error(failure))?;
    submission.done([], [target.buffer]);
    Ok(())
}
