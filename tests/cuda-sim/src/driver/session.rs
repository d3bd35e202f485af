//! The lock around the driver, and waiting.
//!
//! A call of the API is a *session*: it holds the lock, counts itself, and may wait for operations. While it waits for
//! a host function, which runs on a thread of its own and without the lock, the lock is let go.

use std::{
    ops::{Deref, DerefMut},
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Condvar, LazyLock, Mutex, MutexGuard, PoisonError},
};

use super::{
    Driver,
    clock::Position,
    code::{Code, Result},
    report::Category,
    stream::Progress,
};

static DRIVER: LazyLock<Mutex<Driver>> = LazyLock::new(|| Mutex::new(Driver::new()));
/// Signaled when a host function has finished.
static FINISHED: Condvar = Condvar::new();

/// The driver, locked.
pub(crate) struct Session(Option<MutexGuard<'static, Driver>>);

impl Session {
    /// Locks the driver.
    pub(crate) fn open() -> Self {
        // A panic in one call is reported where it happens; the state is still the best there is for the next.
        Self(Some(DRIVER.lock().unwrap_or_else(PoisonError::into_inner)))
    }

    /// Runs operations until `target` is done.
    pub(crate) fn wait_for(&mut self, target: Position) {
        while let Progress::Blocked = self.advance(target) {
            self.sleep();
        }
    }

    /// Lets go of the lock until a host function has finished.
    fn sleep(&mut self) {
        let guard = self.0.take().expect("a session holds the lock between its calls");
        self.0 = Some(FINISHED.wait(guard).unwrap_or_else(PoisonError::into_inner));
    }

    /// Wakes the sessions that wait for a host function.
    pub(crate) fn wake_others(&self) {
        FINISHED.notify_all();
    }
}

impl Deref for Session {
    type Target = Driver;

    fn deref(&self) -> &Driver {
        self.0.as_ref().expect("a session holds the lock between its calls")
    }
}

impl DerefMut for Session {
    fn deref_mut(&mut self) -> &mut Driver {
        self.0.as_mut().expect("a session holds the lock between its calls")
    }
}

/// Runs the body of a driver function: counts it, injects the failure that is due, and turns a panic into a code.
pub(crate) fn call(function: &'static str, body: impl FnOnce(&mut Session) -> Result) -> u32 {
    let mut session = Session::open();
    session.log.count(function);
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        session.injections.call(function).inspect_err(|code| session.lose_current_context(*code))?;
        session.run_some();
        body(&mut session)
    }));
    match outcome {
        Ok(Ok(())) => Code::SUCCESS.0,
        Ok(Err(code)) => {
            if code == Code::INVALID_HANDLE {
                session.misuse(format!("{function}: a handle that is not, or no longer, valid"));
            }
            code.0
        }
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
            session.log.report(Category::Internal, format!("{function}: {text}"));
            Code::UNKNOWN.0
        }
    }
}
