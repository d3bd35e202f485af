//! Giving the kernels of a launch to a stream.
//!
//! What is compiled is found by its key; its text is only made when it is new. All kernels of a launch go to the stream as
//! one operation, under one number, so that a fault in any of them belongs to the launch.

use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::{Mutex, PoisonError};

use smallvec::SmallVec;

use super::source::Source;
use super::{KernelLaunch, Prepared, prepare};
use crate::cuda::buffer::Buffer;
use crate::cuda::launch::Geometry;
use crate::cuda::launch_blocking;
use crate::cuda::log::Explain;
use crate::cuda::module::Function;
use crate::cuda::stream::Stream;
use crate::engine::Launch;
use crate::error::{Error, Origin, Result};

/// The buffers that a launch uses.
#[derive(Default)]
pub(crate) struct Buffers<'a> {
    pub reads: SmallVec<[&'a Buffer; 4]>,
    pub writes: SmallVec<[&'a Buffer; 2]>,
}

/// Runs a launch on a stream, after whatever else uses its buffers. Returns at once: what its kernels find wrong, `explain`
/// puts in words for the next call that waits for the stream.
///
/// # Safety
/// `buffers` hold all elements that the launch addresses, those that it writes among the writes.
pub(crate) unsafe fn run(
    stream: &'static Stream,
    launch: &Launch<'_>,
    buffers: &Buffers<'_>,
    explain: Box<dyn Explain>,
    origin: Origin,
) -> Result<()> {
    let Prepared { mut kernels, scratch } = prepare(launch);
    let context = stream.context();
    let mut functions: SmallVec<[Function; 2]> = SmallVec::new();
    for kernel in &kernels {
        kernel.geometry().check(context.limits()).map_err(|(name, found, bound)| {
            let (op, at) = (origin.op, origin.at);
            Error::LaunchLimit { op, device: context.id(), name, found, bound, at }
        })?;
        functions.push(function(stream, kernel, origin)?);
    }
    if kernels.is_empty() {
        return Ok(());
    }
    let scratch = Buffer::stale(stream, scratch, origin)?;
    let writes = || buffers.writes.iter().copied().chain([&scratch]);
    let all = buffers.reads.iter().copied().chain(writes());
    assert!(
        all.into_iter().all(|buffer| std::ptr::eq(buffer.context(), context)),
        "bug in tensor-rt: a kernel with arrays on two devices"
    );
    let mut submission = stream.submit(origin)?;
    buffers.reads.iter().try_for_each(|buffer| submission.reads(buffer))?;
    writes().try_for_each(|buffer| submission.writes(buffer))?;
    let number = submission.launch_number();
    let mut result = Ok(());
    for (kernel, function) in kernels.iter_mut().zip(functions) {
        kernel.arguments.bind(scratch.address(), stream.page().address(), number);
        let bytes = kernel.arguments.bytes();
        let starts = kernel.arguments.starts().iter();
        let mut parameters: SmallVec<[*mut c_void; 16]> =
            starts.map(|&start| bytes[start as usize..].as_ptr().cast_mut().cast()).collect();
        // SAFETY: the arguments are the values of the parameters (invariant of the preparation). The kernel touches the
        // elements that the launch addresses, which lie in the buffers (the caller's), its scratch memory, and the record of
        // the stream.
        result = unsafe { submission.launch(function, kernel.geometry(), &mut parameters) };
        if result.is_err() {
            break;
        }
    }
    let result = result.map_err(|failure| submission.error(failure));
    // Kernels before one that was refused run all the same.
    submission.launched(buffers.reads.iter().copied(), writes(), explain);
    result?;
    if launch_blocking() { stream.synchronize(origin) } else { Ok(()) }
}

impl KernelLaunch {
    fn geometry(&self) -> Geometry {
        Geometry { grid: self.grid, block: self.block, shared_bytes: self.shared }
    }
}

/// What finds a function.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Key {
    /// The ordinal of the device.
    device: usize,
    source: Source,
    /// The address of the constant that names the entry.
    entry: usize,
}

/// The loaded function of a kernel.
fn function(stream: &'static Stream, kernel: &KernelLaunch, origin: Origin) -> Result<Function> {
    static FUNCTIONS: Mutex<Option<HashMap<Key, Function>>> = Mutex::new(None);
    let key = Key { device: stream.context().ordinal(), source: kernel.source, entry: kernel.entry.as_ptr().addr() };
    // The map is whole between statements.
    let lock = || FUNCTIONS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(function) = lock().get_or_insert_default().get(&key) {
        return Ok(*function);
    }
    // Compiled without the lock: other kernels may be launched meanwhile.
    let function = stream.context().function(&kernel.source.text(), kernel.entry, kernel.shared, origin)?;
    lock().get_or_insert_default().insert(key, function);
    Ok(function)
}
