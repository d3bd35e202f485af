//! What raw tensors of CUDA devices do instead of what the host does with its own memory.

use std::sync::Arc;

use smallvec::SmallVec;

use super::copy::walks;
use super::raw::{Exclusive, Raw};
use crate::cuda::buffer::Buffer;
use crate::cuda::copy::{self, Bytes};
use crate::cuda::event::Event;
use crate::cuda::host::HostBlock;
use crate::cuda::moves::{self, Elements};
use crate::cuda::stream::{Point, Stream};
use crate::error::{Origin, Result};

fn buffer(raw: &Raw) -> &Buffer {
    raw.buffer().expect("bug in tensor-rt: a tensor of a CUDA device without a buffer")
}

/// The bytes of a dense tensor.
fn bytes(raw: &Raw) -> Bytes<'_> {
    let size = raw.dtype().size();
    assert!(raw.is_dense(), "bug in tensor-rt: a strided tensor as one piece");
    Bytes::of(buffer(raw), raw.layout().offset() * size, raw.elements() * size)
}

fn elements(raw: &Raw) -> Elements<'_> {
    Elements { buffer: buffer(raw), start: raw.layout().offset() * raw.dtype().size() }
}

/// Writes the elements of a dense tensor on another device to a dense place.
pub(super) fn transfer(target: &mut Exclusive<'_>, source: &Raw, origin: Origin) -> Result<()> {
    match (target.raw().home().stream(), source.home().stream()) {
        (Some(stream), None) => {
            let host = source.host_bytes().expect("bug in tensor-rt: a dense tensor of the host has no bytes");
            copy::upload(stream, bytes(target.raw()), host, origin)
        }
        (None, Some(stream)) => {
            let host = target.host_bytes_mut().expect("bug in tensor-rt: a dense tensor of the host has no bytes");
            copy::download(stream, host, bytes(source), origin)
        }
        (Some(stream), Some(_)) => copy::copy(stream, bytes(target.raw()), bytes(source), origin),
        (None, None) => unreachable!("bug in tensor-rt: a transfer from the host to itself"),
    }
}

/// Writes host memory to a dense place.
pub(super) fn upload(stream: &'static Stream, target: &Exclusive<'_>, source: &[u8], origin: Origin) -> Result<()> {
    copy::upload(stream, bytes(target.raw()), source, origin)
}

/// Starts to write the first bytes of a pinned block to a dense place.
///
/// # Safety
/// The block is neither changed nor given away before the event.
pub(super) unsafe fn start_upload(
    stream: &'static Stream,
    target: &Exclusive<'_>,
    source: &HostBlock,
    origin: Origin,
) -> Result<(Point, Arc<Event>)> {
    // SAFETY: the caller's.
    unsafe { copy::start_upload(stream, bytes(target.raw()), source, origin) }
}

/// Starts to write the elements of a dense tensor to the first bytes of a pinned block.
///
/// # Safety
/// The block is neither read, changed nor given away before the event.
pub(super) unsafe fn start_download(
    stream: &'static Stream,
    target: &HostBlock,
    source: &Raw,
    origin: Origin,
) -> Result<(Point, Arc<Event>)> {
    // SAFETY: the caller's.
    unsafe { copy::start_download(stream, target, bytes(source), origin) }
}

/// Writes the elements of a tensor of the same device, shape and element to a place.
pub(super) fn copy_from(stream: &'static Stream, target: &Exclusive<'_>, source: &Raw, origin: Origin) -> Result<()> {
    let target = target.raw();
    if target.is_dense() && source.is_dense() {
        return copy::copy(stream, bytes(target), bytes(source), origin);
    }
    let walks = walks(target.shape(), target.strides(), source.strides());
    // SAFETY: the layouts have one shape and lie in their storages, of which there are two; those of places have addresses
    // of their own.
    unsafe { moves::copy(stream, target.dtype().size(), elements(target), elements(source), &walks, origin) }
}

/// Writes one element, given as bits, to every element of a place.
pub(super) fn fill(stream: &'static Stream, target: &Exclusive<'_>, value: u64, origin: Origin) -> Result<()> {
    let target = target.raw();
    if value == 0 && target.is_dense() {
        return copy::zero(stream, bytes(target), origin);
    }
    let nowhere = SmallVec::<[isize; 6]>::from_elem(0, target.shape().rank());
    let walks = walks(target.shape(), target.strides(), &nowhere);
    // SAFETY: the layout lies in its storage.
    unsafe { moves::fill(stream, target.dtype().size(), elements(target), value, &walks, origin) }
}

/// Writes the numbers of a dense tensor of the same device to a dense place of another element.
pub(super) fn cast(stream: &'static Stream, target: &Exclusive<'_>, source: &Raw, origin: Origin) -> Result<()> {
    let target = target.raw();
    assert!(target.is_dense() && source.is_dense(), "bug in tensor-rt: a strided tensor is converted");
    let (to, from) = ((elements(target), target.dtype()), (elements(source), source.dtype()));
    // SAFETY: both are dense, as many, and in storages of their own.
    unsafe { moves::cast(stream, to, from, source.elements(), origin) }
}
