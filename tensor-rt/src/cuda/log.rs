//! The launch log of a stream: which line of the user's code each launch belongs to.
//!
//! A kernel reports a fault under the number of its launch; the log knows the call, and how to put the fault in words. If
//! the driver stops the device instead, the launches since the last clean wait are the ones that may have done it.

use std::collections::VecDeque;

use super::record::{ErrorRecord, Page};
use crate::device_id::DeviceId;
use crate::error::{Error, Origin, Result};

/// Launches that a log remembers: more than a device has waiting at any time.
const LENGTH: usize = 4096;

/// Puts what a kernel reported in words.
pub(crate) trait Explain: Send {
    /// The error, for the call that launched the kernel; none if the call does not mind.
    fn error(&self, found: &ErrorRecord, origin: Origin) -> Option<Error>;
}

/// The launches of a stream that are not known to be clean.
#[derive(Default)]
pub(super) struct Log {
    entries: VecDeque<Entry>,
    /// How many launches there were.
    count: u32,
}

struct Entry {
    number: u32,
    serial: u64,
    origin: Origin,
    explain: Box<dyn Explain>,
}

impl Log {
    /// The number of the next launch; never 0.
    pub fn next(&self) -> u32 {
        self.count.wrapping_add(1).max(1)
    }

    /// Adds the launch that [`Log::next`] numbered.
    pub fn push(&mut self, serial: u64, origin: Origin, explain: Box<dyn Explain>) {
        self.count = self.next();
        if self.entries.len() == LENGTH {
            self.entries.pop_front();
        }
        self.entries.push_back(Entry { number: self.count, serial, origin, explain });
    }

    /// The fault in the record of a stream on `device`, if its launch is done; what is done and clean is forgotten.
    pub fn take_fault(&mut self, done: u64, page: &Page, device: DeviceId) -> Result<()> {
        let fault = match page.read() {
            None => Ok(()),
            Some(found) => match self.entries.iter().find(|entry| entry.number == found.launch) {
                Some(entry) if entry.serial > done => return Ok(()),
                Some(entry) => {
                    page.clear();
                    entry.explain.error(&found, entry.origin).map_or(Ok(()), Err)
                }
                None => {
                    page.clear();
                    Err(Error::ForgottenLaunch { device, remembered: LENGTH })
                }
            },
        };
        self.entries.retain(|entry| entry.serial > done);
        fault
    }

    /// The calls behind the launches after a serial.
    pub fn since(&self, done: u64) -> Vec<Origin> {
        self.entries.iter().filter(|entry| entry.serial > done).map(|entry| entry.origin).collect()
    }
}
