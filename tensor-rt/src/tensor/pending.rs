//! What a copy still works on.
//!
//! Invariant: a [`Pending`] owns everything that its copy reads or writes on the host, and gives access to none of it before
//! the copy is done. If it is forgotten that memory is never used again; if it is dropped the memory returns to its pool, which
//! does not hand it out before the copy is done.

use std::fmt::Debug;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use super::raw::Raw;
use super::{Tensor, on_device};
use crate::accounting;
use crate::cuda::event::Event;
use crate::cuda::pinned::PinnedBlock;
use crate::cuda::stream::Point;
use crate::cuda::waker;
use crate::device::{Cpu, Device};
use crate::element::Element;
use crate::error::{Origin, Result};
use crate::home::Home;
use crate::mode::{GradMode, NoGrad};
use crate::relation::WithoutGradient;
use crate::storage::Storage;

/// A value that a copy still reads or writes: a [`PinnedTensor`](super::PinnedTensor) on its way to a device, or a
/// [`Tensor`] on its way from one. [`Pending::wait`] gives it, and so does `.await`.
#[must_use = "the value comes from `wait` or `.await`"]
pub struct Pending<V> {
    /// Taken once the copy is done.
    value: Option<V>,
    /// `None` if there was nothing to copy.
    copy: Option<(Point, Arc<Event>)>,
    origin: Origin,
}

// The value is not pinned in place: the copy works on what it refers to.
impl<V> Unpin for Pending<V> {}

impl<V> Pending<V> {
    /// The value, which a copy up to `point` and `event` uses.
    pub(super) fn new(value: V, point: Point, event: Arc<Event>, origin: Origin) -> Self {
        Pending { value: Some(value), copy: Some((point, event)), origin }
    }

    /// A value that nothing uses.
    pub(super) fn ready(value: V, origin: Origin) -> Self {
        Pending { value: Some(value), copy: None, origin }
    }

    /// Waits for the copy, and gives the value. A counted sync.
    ///
    /// # Errors
    /// Fails with what went wrong on the stream up to the copy, as the error of the call that caused it.
    #[track_caller]
    pub fn wait(mut self) -> Result<V> {
        let origin = Origin::of("wait");
        accounting::sync(origin.at);
        if let Some((point, event)) = &self.copy {
            event.wait().map_err(|failure| point.error(failure, origin))?;
        }
        self.finish()
    }

    /// True once the copy is done: `wait` would not wait.
    ///
    /// # Errors
    /// Fails if the device was lost.
    #[track_caller]
    pub fn is_ready(&self) -> Result<bool> {
        self.reached(Origin::of("is_ready"))
    }

    fn reached(&self, origin: Origin) -> Result<bool> {
        self.copy
            .as_ref()
            .map_or(Ok(true), |(point, event)| event.is_reached().map_err(|failure| point.error(failure, origin)))
    }

    /// The value, now that the copy is done.
    fn finish(&mut self) -> Result<V> {
        if let Some((point, _)) = self.copy.take() {
            point.reached()?;
        }
        Ok(self.value.take().expect("`Pending` polled after completion"))
    }
}

impl<V> Future for Pending<V> {
    type Output = Result<V>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        if !self.reached(self.origin)? {
            if let Some((_, event)) = &self.copy {
                waker::wake_after(event.clone(), context.waker().clone());
            }
            return Poll::Pending;
        }
        Poll::Ready(self.finish())
    }
}

impl<D: Device, G: GradMode, T: Element> Tensor<D, G, T> {
    /// Starts a copy to the host, and goes on. The tensor comes from the [`Pending`].
    ///
    /// # Errors
    /// Fails if the host or the device is out of memory, or the device was lost.
    #[track_caller]
    pub fn to_host_async(&self) -> Result<Pending<Tensor<Cpu, NoGrad, T>>>
    where
        G: WithoutGradient,
    {
        let origin = Origin::of("to_host_async");
        let Some(stream) = self.raw.home().stream() else {
            return Ok(Pending::ready(Tensor::from_raw(self.raw.detached()), origin));
        };
        // Where a view lies scattered, the device gathers it first.
        let dense = if self.raw.is_dense() { self.raw.detached() } else { self.raw.gathered(origin)? };
        let bytes = dense.elements() * T::DTYPE.size();
        accounting::copy(origin.at, bytes);
        let mut block = PinnedBlock::stale(stream.context(), bytes, origin)?;
        // SAFETY: the block goes into the tensor in the `Pending`, which gives it out only after the copy; dropped before, it
        // returns to a pool that does not hand it out before the copy is done.
        let (point, event) = unsafe { on_device::start_download(stream, block.block(), &dense, origin)? };
        block.used_until(point);
        let raw = Raw::in_storage(Storage::of_pinned(block), Home::CPU, T::DTYPE, self.shape().clone());
        Ok(Pending::new(Tensor::from_raw(raw), point, event, origin))
    }
}

impl<V: Debug> Debug for Pending<V> {
    /// What is on its way; never data.
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.value {
            Some(value) => write!(out, "Pending({value:?})"),
            None => out.write_str("Pending(taken)"),
        }
    }
}
