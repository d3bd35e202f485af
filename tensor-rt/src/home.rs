//! Where a tensor is at home: the processor, or a stream of a CUDA device.
//!
//! It is the run-time value behind a handle of a [device](crate::device). A tensor remembers that of the handle that it was
//! made with; a kernel runs at the home of its first tensor.

use std::fmt::Debug;

use crate::cuda::stream::Stream;
use crate::device_id::DeviceId;

/// The processor, or a stream. One word, which is null for the processor.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Home(Option<&'static Stream>);

impl Home {
    /// The processor.
    pub const CPU: Home = Home(None);

    /// A stream of a CUDA device.
    pub(crate) fn on(stream: &'static Stream) -> Home {
        Home(Some(stream))
    }

    /// The stream, unless this is the processor.
    pub(crate) fn stream(self) -> Option<&'static Stream> {
        self.0
    }

    /// True for the processor.
    pub fn is_cpu(self) -> bool {
        self.0.is_none()
    }

    /// The device.
    pub fn device(self) -> DeviceId {
        self.0.map_or(DeviceId::Cpu, Stream::device)
    }
}

impl Debug for Home {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            None => Debug::fmt(&DeviceId::Cpu, out),
            Some(stream) => Debug::fmt(stream, out),
        }
    }
}
