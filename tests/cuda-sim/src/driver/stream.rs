//! Streams: queues of operations, and when they run.
//!
//! With eager execution an operation runs when it is enqueued, with lazy execution when a call must see its effect;
//! either way after what it waits for. The default stream of a context waits for all blocking streams of the context,
//! and they for it.

use std::{collections::VecDeque, ops::Range};

use super::{
    Driver,
    clock::{Clock, Position, StreamIndex},
    code::{Code, Result},
    config::Knob,
    context::Context,
    handle::Table,
    operation::{Operation, Work},
    time::{CALL, Reached},
};

/// Handle of the default stream of the current context; the null handle means the same.
const LEGACY: u64 = 1;
/// Handle of the calling thread's default stream of the current context.
const PER_THREAD: u64 = 2;

/// A stream.
///
/// Invariant: `queue` holds the operations `completed + 1 ..= enqueued`, in order.
pub(crate) struct Stream {
    pub(crate) context: u64,
    pub(crate) index: StreamIndex,
    /// Does it wait for the default stream, and the default stream for it?
    pub(crate) blocking: bool,
    pub(crate) priority: i32,
    queue: VecDeque<Operation>,
    enqueued: u64,
    completed: u64,
    /// The clock of the last operation.
    clock: Clock,
    /// When the last operation has ended.
    reached: Reached,
    /// Destroyed by its owner; it goes when its work is done.
    destroyed: bool,
    /// Queries that found it busy since its last progress, with lazy execution.
    polls: u32,
}

/// A place in a stream with what is known there.
#[derive(Clone)]
pub(crate) struct Moment {
    pub(crate) position: Position,
    pub(crate) clock: Clock,
    pub(crate) reached: Reached,
}

/// How far [`Driver::advance`] came.
#[derive(PartialEq, Eq, Debug)]
pub(crate) enum Progress {
    /// The position is reached.
    Done,
    /// A host function that comes before has not finished.
    Blocked,
}

/// All streams.
#[derive(Default)]
pub(crate) struct Streams {
    table: Table<Stream>,
    /// Handles by index.
    handles: Vec<u64>,
    /// State of the generator that picks what runs early.
    random: u64,
}

impl Stream {
    fn tail(&self) -> Moment {
        let position = Position { stream: self.index, sequence: self.enqueued };
        Moment { position, clock: self.clock.clone(), reached: self.reached.clone() }
    }
}

impl Streams {
    pub(crate) fn create(&mut self, context: u64, blocking: bool, priority: i32) -> u64 {
        let index = StreamIndex(self.handles.len() as u32);
        let handle = self.table.insert(Stream {
            context,
            index,
            blocking,
            priority,
            queue: VecDeque::new(),
            enqueued: 0,
            completed: 0,
            clock: Clock::default(),
            reached: Reached::default(),
            destroyed: false,
            polls: 0,
        });
        self.handles.push(handle);
        handle
    }

    /// A stream that its owner has not destroyed.
    pub(crate) fn get(&self, handle: u64) -> Result<&Stream> {
        self.table.get(handle).and_then(|stream| if stream.destroyed { Err(Code::INVALID_HANDLE) } else { Ok(stream) })
    }

    /// The end of a stream.
    pub(crate) fn tail(&self, handle: u64) -> Result<Moment> {
        Ok(self.get(handle)?.tail())
    }

    /// The ends of all streams of a context, those with destroyed handles included.
    pub(crate) fn tails_of(&self, context: u64) -> Vec<Moment> {
        self.table.iter().filter(|(_, stream)| stream.context == context).map(|(_, stream)| stream.tail()).collect()
    }

    /// Marks a stream as destroyed; its work goes on.
    pub(crate) fn destroy(&mut self, handle: u64) -> Result {
        self.get(handle)?;
        self.table.get_mut(handle)?.destroyed = true;
        self.sweep();
        Ok(())
    }

    /// Removes destroyed streams whose work is done.
    pub(crate) fn sweep(&mut self) {
        self.table.retain(|stream| !(stream.destroyed && stream.queue.is_empty()));
    }

    /// Removes the streams of a context that has ended; gives how many its owner had left.
    pub(crate) fn remove_of(&mut self, context: &Context, handle: u64) -> usize {
        let own = |stream: &Stream| self.handles[stream.index.0 as usize] == context.default_stream;
        let threads = context.thread_streams.len();
        let left =
            self.table.iter().filter(|(_, stream)| stream.context == handle && !stream.destroyed && !own(stream));
        let left = left.count() - threads;
        self.table.retain(|stream| stream.context != handle);
        left
    }

    /// Has the operation at this position run?
    pub(crate) fn is_done(&self, position: Position) -> bool {
        let handle = self.handles[position.stream.0 as usize];
        self.table.get(handle).map_or(true, |stream| stream.completed >= position.sequence)
    }

    /// Operations that have not run.
    pub(crate) fn pending(&self) -> usize {
        self.table.iter().map(|(_, stream)| stream.queue.len()).sum()
    }

    /// What pending operations can touch a range, as reports call it.
    pub(crate) fn pending_on(&self, range: &Range<u64>) -> Vec<String> {
        let pending = self.table.iter().flat_map(|(_, stream)| &stream.queue);
        let touching = pending.filter(|operation| operation.work.mentions(range));
        touching
            .map(|operation| {
                format!("{} on stream {}, which has not run", operation.work.describe(), operation.position.stream.0)
            })
            .collect()
    }

    /// A stream with operations that have not run.
    fn at(&self, index: StreamIndex) -> &Stream {
        let found = self.table.get(self.handles[index.0 as usize]);
        found.expect("a stream is there while it has operations that have not run")
    }

    /// Takes the next operation off such a stream, and counts it as done.
    fn next(&mut self, index: StreamIndex) -> Operation {
        let found = self.table.get_mut(self.handles[index.0 as usize]);
        let stream = found.expect("a stream is there while it has operations that have not run");
        let operation = stream.queue.pop_front().expect("operations that have not run are in the queue");
        stream.completed = operation.position.sequence;
        stream.polls = 0;
        operation
    }

    /// A number below `bound`.
    pub(crate) fn random(&mut self, bound: u64) -> u64 {
        // Multiplicative congruence (Knuth's MMIX constants); the high bits are the random ones.
        self.random = self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.random >> 33) % bound
    }

    /// Starts the generator anew.
    pub(crate) fn seed(&mut self, seed: u64) {
        self.random = seed;
    }
}

impl Driver {
    /// The stream that a handle of the API stands for: its true handle and its context.
    pub(crate) fn stream(&mut self, handle: u64) -> Result<(u64, u64)> {
        if !self.initialized {
            return Err(Code::NOT_INITIALIZED);
        }
        if handle > PER_THREAD {
            let context = self.streams.get(handle)?.context;
            self.working(context)?;
            return Ok((handle, context));
        }
        let context = self.current_context()?;
        if matches!(handle, 0 | LEGACY) {
            return Ok((self.working(context)?.default_stream, context));
        }
        let thread = std::thread::current().id();
        if let Some(stream) = self.working(context)?.thread_streams.get(&thread) {
            return Ok((*stream, context));
        }
        let stream = self.streams.create(context, true, 0);
        self.contexts.get_mut(context)?.thread_streams.insert(thread, stream);
        Ok((stream, context))
    }

    /// Puts work at the end of a stream, to run after `after` as well.
    pub(crate) fn enqueue(&mut self, handle: u64, work: Work, after: Vec<Moment>) -> Result<Moment> {
        let mut after = after;
        after.extend(self.implicit_waits(handle)?);
        let host = self.host.clone();
        let stream = self.streams.table.get_mut(handle)?;
        stream.enqueued += 1;
        let position = Position { stream: stream.index, sequence: stream.enqueued };
        stream.clock.join(&host);
        after.iter().for_each(|moment| stream.clock.join(&moment.clock));
        stream.clock.observe(position);
        let (clock, context) = (stream.clock.clone(), stream.context);
        let before = std::mem::take(&mut stream.reached);
        let reached = stream.reached.clone();
        let begins_after = after.iter().map(|moment| moment.reached.clone()).chain([before]).collect();
        self.now += CALL;
        stream.queue.push_back(Operation {
            position,
            after: after.into_iter().map(|moment| moment.position).collect(),
            begins_after,
            enqueued: self.now,
            reached: reached.clone(),
            clock: clock.clone(),
            context,
            work,
        });
        if !self.config.is(Knob::Lazy) {
            // Blocked behind a host function, it runs when that has finished.
            self.advance(position);
        }
        Ok(Moment { position, clock, reached })
    }

    /// What the rules of the default stream make an operation on this stream wait for.
    fn implicit_waits(&self, handle: u64) -> Result<Vec<Moment>> {
        let stream = self.streams.get(handle)?;
        if !stream.blocking {
            return Ok(Vec::new());
        }
        let default = self.working(stream.context)?.default_stream;
        if handle != default {
            return Ok(vec![self.streams.tail(default)?]);
        }
        let blocking =
            self.streams.table.iter().filter(|(other, candidate)| {
                *other != handle && candidate.context == stream.context && candidate.blocking
            });
        Ok(blocking.map(|(_, stream)| stream.tail()).collect())
    }

    /// The moments at which all that is enqueued on a stream now is done; for the default stream, with all that the
    /// next operation on it would wait for.
    pub(crate) fn what_completes(&self, handle: u64) -> Result<Vec<Moment>> {
        let mut moments = vec![self.streams.tail(handle)?];
        if self.working(self.streams.get(handle)?.context)?.default_stream == handle {
            moments.extend(self.implicit_waits(handle)?);
        }
        Ok(moments)
    }

    /// Runs the operation at `target` after all that must come before, and nothing else.
    pub(crate) fn advance(&mut self, target: Position) -> Progress {
        // Two streams that wait for each other in turn make long chains: an explicit stack, not recursion.
        let mut goals = vec![target];
        while let Some(&goal) = goals.last() {
            if self.streams.is_done(goal) {
                goals.pop();
                continue;
            }
            let stream = self.streams.at(goal.stream);
            let next = stream.queue.front().expect("operations that have not run are in the queue");
            if let Some(first) = next.after.iter().find(|wait| !self.streams.is_done(**wait)) {
                goals.push(*first);
                continue;
            }
            let lost = self.contexts.get(stream.context).is_ok_and(|context| context.lost.is_some());
            if !lost && matches!(next.work, Work::HostFunction) {
                return Progress::Blocked;
            }
            let operation = self.streams.next(goal.stream);
            // A lost context drops its work.
            if !lost {
                self.run(operation);
            }
        }
        Progress::Done
    }

    /// Counts the host function at this position as done, unless its stream has gone with its context.
    pub(crate) fn finish_host_function(&mut self, position: Position) {
        if !self.streams.is_done(position) {
            let operation = self.streams.next(position.stream);
            operation.reached.get_or_init(|| operation.begin());
        }
    }

    /// Runs all that can run without waiting for a host function.
    pub(crate) fn run_ready(&mut self) {
        let tails: Vec<Position> = self.streams.table.iter().map(|(_, stream)| stream.tail().position).collect();
        for tail in tails {
            self.advance(tail);
        }
    }

    /// With lazy execution and a seed, runs some of the pending operations.
    pub(crate) fn run_some(&mut self) {
        if !self.config.is(Knob::Lazy) || !self.config.is(Knob::Seed) || self.streams.random(2) == 0 {
            return;
        }
        let busy = self.streams.table.iter().filter_map(|(_, stream)| Some(stream.queue.front()?.position));
        let busy: Vec<Position> = busy.collect();
        if !busy.is_empty() {
            let chosen = self.streams.random(busy.len() as u64) as usize;
            self.advance(busy[chosen]);
        }
    }

    /// The host knows a moment that is reached.
    pub(crate) fn learn(&mut self, moment: &Moment) {
        self.host.join(&moment.clock);
        // A lost context reaches nothing.
        self.now = moment.reached.get().copied().unwrap_or(0.0).max(self.now);
    }

    /// Is a position reached, as a query sees it? Work goes on between queries, so that polling ends.
    pub(crate) fn query(&mut self, moment: &Moment) -> Result {
        if self.streams.is_done(moment.position) {
            self.learn(moment);
            return Ok(());
        }
        let patience = 1 + if self.config.is(Knob::Seed) { self.streams.random(3) as u32 } else { 0 };
        let handle = self.streams.handles[moment.position.stream.0 as usize];
        let stream = self.streams.table.get_mut(handle)?;
        stream.polls += 1;
        if stream.polls >= patience {
            self.advance(moment.position);
        }
        Err(Code::NOT_READY)
    }
}
