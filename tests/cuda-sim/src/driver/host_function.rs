//! Functions of the host in streams.
//!
//! They run on one thread of the driver, in the order in which they were enqueued, without the lock. With lazy execution
//! a program may wait for one by other means than the API (a channel, a waker): so this thread lets the work before it
//! run after a moment, even if nobody calls.

use std::{
    ffi::c_void,
    sync::{
        OnceLock,
        mpsc::{Sender, channel},
    },
    thread,
    time::Duration,
};

use super::{
    Driver,
    code::{Code, Result},
    config::Knob,
    operation::Work,
    session::Session,
    stream::{Moment, Progress},
};

/// How long lazy execution leaves a host function alone.
const PATIENCE: Duration = Duration::from_millis(2);

/// A `CUhostFn`.
pub(crate) type HostFunction = unsafe extern "C" fn(*mut c_void);

/// A host function that is enqueued.
///
/// Invariant: whoever enqueued it promised that `function` may be called once with `data`, on any thread.
struct Enqueued {
    moment: Moment,
    function: HostFunction,
    data: *mut c_void,
}

// SAFETY: the promise in the invariant is for any thread.
unsafe impl Send for Enqueued {}

static THREAD: OnceLock<Sender<Enqueued>> = OnceLock::new();

impl Driver {
    /// Puts a function at the end of a stream.
    ///
    /// # Safety
    /// `function` may be called once with `data`, on any thread, when the work before it is done.
    pub(crate) unsafe fn enqueue_host_function(
        &mut self,
        stream: u64,
        function: HostFunction,
        data: *mut c_void,
    ) -> Result {
        let (stream, _) = self.stream(stream)?;
        let moment = self.enqueue(stream, Work::HostFunction, Vec::new())?;
        let thread = THREAD.get_or_init(|| {
            let (sender, receiver) = channel();
            let body = move || receiver.into_iter().for_each(run);
            thread::Builder::new().name("cuda-sim host functions".to_owned()).spawn(body).expect("a thread can start");
            sender
        });
        thread.send(Enqueued { moment, function, data }).map_err(|_| Code::UNKNOWN)
    }
}

/// Waits for the turn of a host function, and runs it.
fn run(enqueued: Enqueued) {
    let Enqueued { moment, function, data } = enqueued;
    let mut session = Session::open();
    if session.config.is(Knob::Lazy) {
        drop(session);
        thread::sleep(PATIENCE);
        session = Session::open();
    }
    // Those before it in this thread's order are done, so nothing but itself can block. If its context is lost, it is
    // dropped with the other operations there.
    if session.advance(moment.position) == Progress::Done {
        session.wake_others();
        return;
    }
    // What the function tells the rest of the program, the host knows.
    session.learn(&moment);
    drop(session);
    // SAFETY: the promise of whoever enqueued it (invariant of `Enqueued`); it runs once, here.
    unsafe { function(data) };
    let mut session = Session::open();
    session.finish_host_function(moment.position);
    if !session.config.is(Knob::Lazy) {
        session.run_ready();
    }
    session.wake_others();
}
