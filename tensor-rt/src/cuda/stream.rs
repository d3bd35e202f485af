//! Streams: where work is given to a device, and in which order it runs.
//!
//! The operations of one stream run one after the other and are counted: the *serial* of an operation is its number. A
//! [`Point`] is a stream with a serial, the moment at which that operation is done. Streams know of each other only through
//! *joins*: an operation that needs a point of another stream makes its own stream wait for an event there first.
//!
//! An event is recorded when somebody first needs a point at or before it (a *mark*), so that a program with one stream
//! never records any. What a stream has waited for it remembers (`seen`), also through third streams, and never waits for
//! twice.
//!
//! Streams are made once and never destroyed: a handle that [`Context::fork`] lends takes an idle one. A tensor may therefore
//! refer to its stream by address alone, and a stream that is lent again after its handle is gone is at worst in order with
//! more than it need be.
//!
//! Invariants: everything that is given to any stream is given under the lock of [`Order`], with its serial counted in the
//! same moment, so an event recorded under the lock is behind every serial counted so far. `done` never exceeds what the
//! device has finished.

use std::collections::VecDeque;
use std::fmt::Debug;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::buffer::Buffer;
use super::context::Context;
use super::driver::{self, CUstream, Failure};
use super::event::Event;
use super::hook;
use super::log::{Explain, Log};
use super::record::Page;
use crate::device_id::DeviceId;
use crate::error::{Error, Origin, Result};

/// Marks that a stream keeps; a point before the oldest is found by a later one.
const MARKS: usize = 16;

/// Work for a device, in order.
pub struct Stream {
    context: &'static Context,
    raw: CUstream,
    /// Position in [`Order`].
    id: usize,
    /// The serial up to which everything is known to be done.
    done: AtomicU64,
    page: Page,
}

// SAFETY: the driver's streams may be used from any thread, and everything else here is shared by atomics.
unsafe impl Send for Stream {}
// SAFETY: as above.
unsafe impl Sync for Stream {}

/// The moment at which an operation of a stream is done.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Point {
    pub stream: &'static Stream,
    pub serial: u64,
}

/// What all streams were given so far.
pub(super) struct Order {
    /// By the id of the stream.
    timelines: Vec<Timeline>,
}

/// What one stream was given.
struct Timeline {
    stream: &'static Stream,
    /// The serial of the last operation.
    serial: u64,
    marks: VecDeque<Mark>,
    /// For each stream, by id, the serial that this one has waited for.
    seen: Vec<u64>,
    log: Log,
}

/// An event of a stream.
struct Mark {
    /// Everything up to here is before the event.
    serial: u64,
    event: Arc<Event>,
    /// What the stream had seen of others when it was recorded.
    seen: Vec<u64>,
}

static ORDER: Mutex<Order> = Mutex::new(Order { timelines: Vec::new() });

fn order() -> MutexGuard<'static, Order> {
    // Nothing panics between two steps that belong together.
    ORDER.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The right to give the next operation to a stream.
pub(crate) struct Submission {
    stream: &'static Stream,
    order: MutexGuard<'static, Order>,
    origin: Origin,
}

impl Stream {
    /// A new stream of a context, which lives as long as the program.
    pub(super) fn create(context: &'static Context) -> Result<&'static Stream, Failure> {
        /// Does not wait for the driver's default stream, nor that for this one.
        const NON_BLOCKING: u32 = 1;
        context.bind()?;
        let mut raw = std::ptr::null_mut();
        // SAFETY: the address of a local; the context is bound.
        unsafe { driver::create_stream(&raw mut raw, NON_BLOCKING)? };
        let page = Page::new(context)?;
        let mut order = order();
        let id = order.timelines.len();
        let stream: &'static Stream = Box::leak(Box::new(Stream { context, raw, id, done: AtomicU64::new(0), page }));
        let (marks, seen, log) = (VecDeque::new(), Vec::new(), Log::default());
        order.timelines.push(Timeline { stream, serial: 0, marks, seen, log });
        Ok(stream)
    }

    pub fn context(&self) -> &'static Context {
        self.context
    }

    pub fn device(&self) -> DeviceId {
        self.context.id()
    }

    /// The number of the stream among those of the process.
    pub fn id(&self) -> usize {
        self.id
    }

    pub(super) fn raw(&self) -> CUstream {
        self.raw
    }

    /// Where kernels on this stream report what they find wrong.
    pub(crate) fn page(&self) -> &Page {
        &self.page
    }

    /// The right to give the stream one operation, which may be several kernels.
    pub(crate) fn submit(&'static self, origin: Origin) -> Result<Submission> {
        self.context.check(origin)?;
        let order = order();
        self.context.bind().map_err(|failure| self.context.error(failure, origin))?;
        Ok(Submission { stream: self, order, origin })
    }

    /// Waits until everything that the stream was given so far is done, and gives what went wrong in it.
    pub(crate) fn synchronize(&'static self, origin: Origin) -> Result<()> {
        let serial = order().timelines[self.id].serial;
        self.wait(serial, origin)
    }

    /// Waits for an operation of this stream, and gives what went wrong up to it.
    fn wait(&'static self, serial: u64, origin: Origin) -> Result<()> {
        self.context.check(origin)?;
        if self.done() < serial {
            self.context.bind().map_err(|failure| self.context.error(failure, origin))?;
            // SAFETY: the stream is alive, as all are, and its context is bound.
            unsafe { driver::synchronize_stream(self.raw) }.map_err(|failure| self.context.error(failure, origin))?;
        }
        self.finished(serial)
    }

    /// Tells what is done now that everything up to `serial` is, and gives the first fault of it.
    fn finished(&'static self, serial: u64) -> Result<()> {
        let mut order = order();
        self.done.fetch_max(serial, Ordering::AcqRel);
        for (id, serial) in order.seen_by(self, serial).into_iter().enumerate() {
            order.timelines[id].stream.done.fetch_max(serial, Ordering::AcqRel);
        }
        // The caller waits for operations of this stream, so its faults come first.
        let own = order.timelines[self.id].take_fault();
        order.timelines.iter_mut().fold(own, |first, timeline| first.and(timeline.take_fault()))
    }

    /// The serial up to which everything is known to be done.
    pub(super) fn done(&self) -> u64 {
        self.done.load(Ordering::Acquire)
    }
}

impl Debug for Stream {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "stream {} of {}", self.id, self.device())
    }
}

impl PartialEq for Stream {
    fn eq(&self, other: &Stream) -> bool {
        self.id == other.id
    }
}

impl Eq for Stream {}

impl Point {
    /// True if the operation is known to be done.
    pub fn is_done(self) -> bool {
        self.stream.done() >= self.serial
    }

    /// Tells that the operation is done, and gives what went wrong up to it.
    pub fn reached(self) -> Result<()> {
        self.stream.finished(self.serial)
    }

    /// What a failure of the driver means for a caller who waits for the operation.
    pub fn error(self, failure: Failure, origin: Origin) -> Error {
        self.stream.context.error(failure, origin)
    }

    /// Waits for the operation on the host, without asking what went wrong in it.
    pub fn wait(self) -> Result<(), Failure> {
        if self.is_done() {
            return Ok(());
        }
        self.stream.context.bind()?;
        // SAFETY: the stream is alive, as all are, and its context is bound.
        unsafe { driver::synchronize_stream(self.stream.raw) }
    }
}

impl Submission {
    pub(super) fn raw(&self) -> CUstream {
        self.stream.raw
    }

    /// Lets the operation be after the last write of a buffer that it reads.
    pub fn reads(&mut self, buffer: &Buffer) -> Result<()> {
        let writer = buffer.uses().writer();
        writer.map_or(Ok(()), |point| self.join(point))
    }

    /// Lets the operation be after every use of a buffer that it writes.
    pub fn writes(&mut self, buffer: &Buffer) -> Result<()> {
        let uses = buffer.uses().all();
        uses.into_iter().try_for_each(|point| self.join(point))
    }

    /// The number by which the device names this operation when it finds something wrong; not 0.
    pub fn launch_number(&self) -> u32 {
        self.order.timelines[self.stream.id].log.next()
    }

    /// The operation was given to the stream: counts it, and notes what it uses.
    pub fn done<'b>(
        mut self,
        reads: impl IntoIterator<Item = &'b Buffer>,
        writes: impl IntoIterator<Item = &'b Buffer>,
    ) -> Point {
        self.count(reads, writes)
    }

    /// [`Submission::done`] for a kernel, which the device can find something wrong in; `explain` says what.
    pub fn launched<'b>(
        mut self,
        reads: impl IntoIterator<Item = &'b Buffer>,
        writes: impl IntoIterator<Item = &'b Buffer>,
        explain: Box<dyn Explain>,
    ) -> Point {
        let point = self.count(reads, writes);
        self.order.timelines[self.stream.id].log.push(point.serial, self.origin, explain);
        point
    }

    /// [`Submission::done`] with an event behind the operation.
    pub fn marked<'b>(
        mut self,
        reads: impl IntoIterator<Item = &'b Buffer>,
        writes: impl IntoIterator<Item = &'b Buffer>,
    ) -> Result<(Point, Arc<Event>)> {
        let point = self.count(reads, writes);
        let event = self.order.mark(self.stream).map_err(|failure| self.error(failure))?;
        Ok((point, event))
    }

    /// What a failure of the driver means for the caller.
    pub fn error(&self, failure: Failure) -> Error {
        let context = self.stream.context;
        context.error_with(failure, self.origin, || self.order.unfinished(context))
    }

    fn count<'b>(
        &mut self,
        reads: impl IntoIterator<Item = &'b Buffer>,
        writes: impl IntoIterator<Item = &'b Buffer>,
    ) -> Point {
        let timeline = &mut self.order.timelines[self.stream.id];
        timeline.serial += 1;
        let point = Point { stream: self.stream, serial: timeline.serial };
        reads.into_iter().for_each(|buffer| buffer.uses().read(point));
        writes.into_iter().for_each(|buffer| buffer.uses().written(point));
        point
    }

    fn join(&mut self, point: Point) -> Result<()> {
        if point.stream.id == self.stream.id || point.is_done() || hook::joins_are_skipped() {
            return Ok(());
        }
        self.order.join(self.stream, point).map_err(|failure| self.error(failure))
    }
}

/// The calls behind the launches of a context that are not known to be clean.
pub(super) fn unfinished(context: &'static Context) -> Vec<Origin> {
    order().unfinished(context)
}

impl Timeline {
    /// The fault that the device recorded, if its launch is done.
    fn take_fault(&mut self) -> Result<()> {
        self.log.take_fault(self.stream.done(), &self.stream.page, self.stream.device())
    }
}

impl Order {
    /// Lets everything that `stream` is given from now on be after `point` of another stream.
    fn join(&mut self, stream: &'static Stream, point: Point) -> Result<(), Failure> {
        let other = point.stream;
        if self.timelines[stream.id].seen.get(other.id).is_some_and(|&seen| seen >= point.serial) {
            return Ok(());
        }
        if self.timelines[other.id].marks.iter().all(|mark| mark.serial < point.serial) {
            self.mark(other)?;
        }
        let [timeline, from] = self
            .timelines
            .get_disjoint_mut([stream.id, other.id])
            .expect("bug in tensor-rt: a stream that joins itself, or is not in the order");
        let mark =
            from.marks.iter().find(|mark| mark.serial >= point.serial).expect("bug in tensor-rt: no mark was made");
        stream.context.bind()?;
        // SAFETY: both are alive, and the stream's context is bound; events are waited for across devices too.
        unsafe { driver::wait_event(stream.raw, mark.event.raw(), 0)? };
        for (id, &serial) in mark.seen.iter().enumerate() {
            see(&mut timeline.seen, id, serial);
        }
        see(&mut timeline.seen, other.id, mark.serial);
        // The wait is an operation of its own: what was seen through it belongs to a serial.
        timeline.serial += 1;
        Ok(())
    }

    /// An event behind everything that a stream was given so far.
    fn mark(&mut self, stream: &'static Stream) -> Result<Arc<Event>, Failure> {
        let timeline = &mut self.timelines[stream.id];
        if let Some(last) = timeline.marks.back().filter(|last| last.serial == timeline.serial) {
            return Ok(last.event.clone());
        }
        let event = Arc::new(Event::record(stream)?);
        if timeline.marks.len() == MARKS {
            timeline.marks.pop_front();
        }
        let (serial, seen) = (timeline.serial, timeline.seen.clone());
        timeline.marks.push_back(Mark { serial, event: event.clone(), seen });
        Ok(event)
    }

    /// What is done of other streams when a stream is done up to `serial`: what it had seen at the last mark up to there,
    /// or all that it has seen if it was given nothing more since.
    fn seen_by(&self, stream: &Stream, serial: u64) -> Vec<u64> {
        let timeline = &self.timelines[stream.id];
        if timeline.serial == serial {
            return timeline.seen.clone();
        }
        timeline.marks.iter().rev().find(|mark| mark.serial <= serial).map(|mark| mark.seen.clone()).unwrap_or_default()
    }

    /// As the function of this name.
    fn unfinished(&self, context: &'static Context) -> Vec<Origin> {
        let of_context = self.timelines.iter().filter(|timeline| std::ptr::eq(timeline.stream.context, context));
        of_context.flat_map(|timeline| timeline.log.since(timeline.stream.done())).collect()
    }
}

fn see(seen: &mut Vec<u64>, id: usize, serial: u64) {
    if seen.len() <= id {
        seen.resize(id + 1, 0);
    }
    seen[id] = seen[id].max(serial);
}
