//! Wakes tasks that wait for events.
//!
//! The driver calls nobody when an event is reached (its host functions may call neither the driver nor anything that does),
//! so one thread looks at all events that tasks wait for. It sleeps while there are none.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, OnceLock};
use std::task::Waker;
use std::time::Duration;

use super::event::Event;

/// How often the events are looked at.
const INTERVAL: Duration = Duration::from_micros(100);

type Waiting = (Arc<Event>, Waker);

/// Wakes a task once an event is reached.
pub(crate) fn wake_after(event: Arc<Event>, waker: Waker) {
    static SENDER: OnceLock<Option<Sender<Waiting>>> = OnceLock::new();
    let sender = SENDER.get_or_init(|| {
        let (sender, receiver) = channel();
        let thread = std::thread::Builder::new().name("tensor-rt waker".to_owned());
        thread.spawn(move || watch(&receiver)).ok().map(|_| sender)
    });
    match sender {
        Some(sender) => {
            let _ = sender.send((event, waker));
        }
        // Without a thread the task asks again and again.
        None => waker.wake(),
    }
}

fn watch(receiver: &Receiver<Waiting>) {
    let mut waiting: Vec<Waiting> = Vec::new();
    loop {
        let next = if waiting.is_empty() {
            receiver.recv().map_err(|_| RecvTimeoutError::Disconnected)
        } else {
            receiver.recv_timeout(INTERVAL)
        };
        match next {
            Ok(new) => waiting.push(new),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
        // The task finds out itself why an event cannot be asked for.
        let reached = |waiting: &mut Waiting| waiting.0.is_reached().unwrap_or(true);
        for (_, waker) in waiting.extract_if(.., reached) {
            waker.wake();
        }
    }
}
