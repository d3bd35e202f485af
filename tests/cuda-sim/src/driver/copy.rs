//! Copies and fills, and what the host may rely on when a call returns.
//!
//! | call | pageable host memory | pinned host memory |
//! | --- | --- | --- |
//! | asynchronous, to the device | the source is read at once | read when the copy runs |
//! | asynchronous, to the host | returns when the data is there | returns at once |
//! | synchronous, to the device | waits for the stream and reads the source; the copy itself may run later | waits |
//! | synchronous, to the host | waits | waits |
//! | within a device, fills | the host does not wait | |

use std::ops::Range;

use super::{
    Driver,
    code::{Code, Result},
    operation::{Done, Outcome, Touch, Work},
    session::Session,
    stream::Moment,
    time,
};
use crate::fault::Access;

/// A copy on a stream.
pub(crate) struct Copy {
    to: End,
    from: End,
    bytes: usize,
}

/// One side of a copy.
enum End {
    /// Device memory, or pinned memory by its device address.
    Device(u64),
    Pinned(u64),
    /// Pageable memory of the host.
    Pageable(Pageable),
    /// What pageable memory held when the call was made.
    Staged(Vec<u8>),
}

/// The target of a copy to pageable memory.
///
/// Invariant: the call that passed the pointer returns only after the copy has run.
struct Pageable(*mut u8);

// SAFETY: the pointer is used by whichever thread runs the copy, while the call that passed it waits (invariant).
unsafe impl Send for Pageable {}

/// A fill with copies of a pattern.
pub(crate) struct Fill {
    pub(crate) address: u64,
    pub(crate) pattern: Vec<u8>,
    pub(crate) count: usize,
}

/// A host or device address, as a call names it.
#[derive(Clone, Copy)]
pub(crate) enum Address {
    Host(*mut u8),
    Device(u64),
}

impl Copy {
    pub(crate) fn describe(&self) -> String {
        let side = |end: &End| match end {
            End::Device(_) => "the device",
            End::Pinned(_) => "pinned memory",
            End::Pageable(_) | End::Staged(_) => "the host",
        };
        format!("copy from {} to {}", side(&self.from), side(&self.to))
    }

    pub(crate) fn mentions(&self, range: &Range<u64>) -> bool {
        [&self.to, &self.from].into_iter().any(|end| match end {
            End::Device(address) | End::Pinned(address) => range.contains(address),
            End::Pageable(_) | End::Staged(_) => false,
        })
    }
}

impl Driver {
    /// Which memory a call means by an address that may be of either kind.
    pub(crate) fn unified(&self, address: u64) -> Address {
        match self.memory.allocation(address) {
            Some(_) => Address::Device(address),
            None => Address::Host(address as *mut u8),
        }
    }

    /// Runs a copy.
    pub(crate) fn run_copy(&mut self, copy: Copy) -> Outcome {
        let Copy { to, from, bytes } = copy;
        let mut touches = Vec::new();
        let mut touch = |address: u64, write| touches.push(Touch { range: address..address + bytes as u64, write });
        match (&to, &from) {
            (End::Device(to) | End::Pinned(to), End::Device(from) | End::Pinned(from)) => {
                self.memory.copy(*to, *from, bytes)?;
                touch(*from, false);
                touch(*to, true);
            }
            (End::Device(to) | End::Pinned(to), End::Staged(data)) => {
                self.memory.bytes_mut(*to, bytes)?.copy_from_slice(data);
                touch(*to, true);
            }
            (End::Pageable(host), End::Device(from) | End::Pinned(from)) => {
                let source = self.memory.bytes(*from, bytes)?;
                // SAFETY: the call that passed the pointer, and with it the promise that it is writable for `bytes`
                // bytes, has not returned (invariant of `Pageable`); device storage is never pageable memory.
                unsafe { host.0.copy_from_nonoverlapping(source.as_ptr(), bytes) };
                touch(*from, false);
            }
            (End::Staged(_), _) | (End::Pageable(_), _) | (_, End::Pageable(_)) => {
                unreachable!("`Session::copy` stages what is read, and copies on the host itself")
            }
        }
        let within = matches!((&to, &from), (End::Device(to), End::Device(from)) if self.same_device(*to, *from));
        let duration = if within { time::of_device_copy(bytes) } else { time::of_host_copy(bytes) };
        Ok(Done { touches, duration })
    }

    fn same_device(&self, left: u64, right: u64) -> bool {
        let device = |address| self.memory.allocation(address).map(|allocation| allocation.device);
        device(left) == device(right)
    }

    /// Runs a fill.
    pub(crate) fn run_fill(&mut self, fill: &Fill) -> Outcome {
        let bytes = fill.pattern.len() * fill.count;
        let target = self.memory.bytes_mut(fill.address, bytes)?;
        target.chunks_exact_mut(fill.pattern.len()).for_each(|element| element.copy_from_slice(&fill.pattern));
        let touches = vec![Touch { range: fill.address..fill.address + bytes as u64, write: true }];
        Ok(Done { touches, duration: time::of_device_copy(bytes) })
    }

    /// Fills memory at the end of a stream; the host does not wait.
    pub(crate) fn fill(&mut self, address: u64, pattern: &[u8], count: usize, stream: u64) -> Result {
        self.current_context()?;
        let (stream, _) = self.stream(stream)?;
        if !address.is_multiple_of(pattern.len() as u64) {
            return Err(Code::INVALID_VALUE);
        }
        if count == 0 {
            return Ok(());
        }
        self.check_range(address, pattern.len() * count, Access::Write)?;
        self.enqueue(stream, Work::Fill(Fill { address, pattern: pattern.to_vec(), count }), Vec::new())?;
        Ok(())
    }
}

impl Session {
    /// Copies `bytes` at the end of a stream, and waits as the table above says.
    ///
    /// # Safety
    /// Host addresses are readable or writable for `bytes` bytes, as their side asks: pageable ones until this returns,
    /// pinned ones until the copy has run.
    pub(crate) unsafe fn copy(
        &mut self,
        to: Address,
        from: Address,
        bytes: usize,
        stream: u64,
        synchronous: bool,
    ) -> Result {
        self.current_context()?;
        let (stream, context) = self.stream(stream)?;
        if bytes == 0 {
            return Ok(());
        }
        let pinned = |address| match address {
            Address::Host(pointer) => self.pinned_address(pointer as u64).map(End::Pinned),
            Address::Device(address) => Some(End::Device(address)),
        };
        let (target, source) = (pinned(to), pinned(from));
        for (end, access) in [(&target, Access::Write), (&source, Access::Read)] {
            if let Some(End::Device(address) | End::Pinned(address)) = end {
                self.check_range(*address, bytes, access)?;
            }
        }
        let within_devices = matches!((&target, &source), (Some(End::Device(_)), Some(End::Device(_))));
        let mut wait = synchronous && !within_devices;
        let source = match (source, from) {
            (None, Address::Host(pointer)) => {
                if synchronous {
                    let tail = self.streams.tail(stream)?;
                    self.synchronize(&tail);
                    self.working(context)?;
                }
                wait = false;
                // SAFETY: the caller promises `bytes` readable bytes.
                End::Staged(unsafe { std::slice::from_raw_parts(pointer, bytes) }.to_vec())
            }
            (Some(source), _) => source,
            (None, Address::Device(_)) => unreachable!("device addresses were sorted out above"),
        };
        let target = match (target, to) {
            (None, Address::Host(pointer)) => {
                if let End::Staged(data) = &source {
                    // SAFETY: the caller promises `bytes` writable bytes; the source is a copy of its own.
                    unsafe { pointer.copy_from_nonoverlapping(data.as_ptr(), bytes) };
                    return Ok(());
                }
                wait = true;
                End::Pageable(Pageable(pointer))
            }
            (Some(target), _) => target,
            (None, Address::Device(_)) => unreachable!("device addresses were sorted out above"),
        };
        let moment = self.enqueue(stream, Work::Copy(Copy { to: target, from: source, bytes }), Vec::new())?;
        if wait {
            self.synchronize(&moment);
            self.working(context)?;
        }
        Ok(())
    }

    /// The host waits for a moment, and knows it from then on.
    pub(crate) fn synchronize(&mut self, moment: &Moment) {
        self.wait_for(moment.position);
        self.learn(moment);
        self.settle_pools();
    }
}
