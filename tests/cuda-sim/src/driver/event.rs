//! Events: moments of streams that others can wait for.

use super::{
    Driver,
    code::{Code, Result},
    operation::Work,
    session::Session,
    stream::Moment,
};

/// `CU_EVENT_DISABLE_TIMING`.
const DISABLE_TIMING: u32 = 2;
/// All flags that there are.
const FLAGS: u32 = 7;

/// An event.
pub(crate) struct Event {
    pub(crate) context: u64,
    flags: u32,
    /// The last recording. Those who wait for it copy the moment, so that a later recording, or the end of the event,
    /// leaves them alone.
    recorded: Option<Moment>,
}

impl Driver {
    pub(crate) fn create_event(&mut self, flags: u32) -> Result<u64> {
        let context = self.current_context()?;
        if flags & !FLAGS != 0 {
            return Err(Code::INVALID_VALUE);
        }
        Ok(self.events.insert(Event { context, flags, recorded: None }))
    }

    /// Records an event at the end of a stream.
    pub(crate) fn record(&mut self, event: u64, stream: u64) -> Result {
        let (stream, context) = self.stream(stream)?;
        if self.events.get(event)?.context != context {
            return Err(Code::INVALID_HANDLE);
        }
        let moment = self.enqueue(stream, Work::Mark, Vec::new())?;
        self.events.get_mut(event)?.recorded = Some(moment);
        Ok(())
    }

    /// Lets a stream wait for an event, as it is recorded now; one never recorded holds nobody up.
    pub(crate) fn wait_event(&mut self, stream: u64, event: u64) -> Result {
        let (stream, _) = self.stream(stream)?;
        match self.event_moment(event)? {
            Some(moment) => self.enqueue(stream, Work::Mark, vec![moment]).map(|_| ()),
            None => Ok(()),
        }
    }

    /// Where an event is recorded, if it is; its context must work.
    pub(crate) fn event_moment(&self, event: u64) -> Result<Option<Moment>> {
        let event = self.events.get(event)?;
        self.working(event.context)?;
        Ok(event.recorded.clone())
    }

    /// Milliseconds between two events.
    pub(crate) fn elapsed(&self, start: u64, end: u64) -> Result<f32> {
        let mut times = [None; 2];
        for (time, handle) in times.iter_mut().zip([start, end]) {
            let event = self.events.get(handle)?;
            self.working(event.context)?;
            let recorded = event.recorded.as_ref().filter(|_| event.flags & DISABLE_TIMING == 0);
            *time = Some(*recorded.ok_or(Code::INVALID_HANDLE)?.reached.get().ok_or(Code::NOT_READY)?);
        }
        let [Some(start), Some(end)] = times else { return Err(Code::NOT_READY) };
        Ok(((end - start) * 1e-3) as f32)
    }

    /// Destroys an event; waits for it that are enqueued stay.
    pub(crate) fn destroy_event(&mut self, event: u64) -> Result {
        let event = self.events.remove(event)?;
        self.working(event.context).map(|_| ())
    }
}

impl Session {
    /// The host waits for an event.
    pub(crate) fn synchronize_event(&mut self, event: u64) -> Result {
        let context = self.events.get(event)?.context;
        if let Some(moment) = self.event_moment(event)? {
            self.synchronize(&moment);
        }
        self.working(context).map(|_| ())
    }
}
