//! Tensors in pinned memory, from which devices copy while the host goes on.

use std::fmt::Debug;
use std::marker::PhantomData;
use std::ptr::NonNull;

use super::raw::Raw;
use super::{Pending, Tensor, on_device};
use crate::accounting;
use crate::cuda::pinned::PinnedBlock;
use crate::device::{Cuda, Device};
use crate::element::Element;
use crate::error::{Error, Origin, Result};
use crate::mode::NoGrad;
use crate::shape::Shape;

/// A dense array in pinned memory of the host, to be filled and then [uploaded](Cuda::upload).
///
/// A copy from it runs by itself: the host goes on at once, and neither waits nor copies. Meanwhile the copy owns it.
///
/// ```no_run
/// use tensor_rt::{PinnedTensor, prelude::*};
///
/// let gpu = Cuda::new()?;
/// let mut batch = PinnedTensor::zeros(&gpu, [128, 784])?;
/// for step in 0..100 {
///     batch.as_mut_slice().fill(step as f32);
///     let (x, pending) = gpu.upload(batch)?;
///     let loss = x.mean()?;
///     batch = pending.wait()?;
///     # drop(loss);
/// }
/// # Ok::<(), tensor_rt::Error>(())
/// ```
pub struct PinnedTensor<T: Element = f32> {
    // Invariant: the block has an initialised element of `T` for each of the shape, and no copy uses it.
    block: PinnedBlock,
    shape: Shape,
    elements: usize,
    element: PhantomData<T>,
}

impl PinnedTensor<f32> {
    /// Zeros, in memory that copies to the device of the handle, and any other, may use.
    ///
    /// # Errors
    /// Fails if the shape has more elements than can be addressed, or if no more memory can be pinned.
    #[track_caller]
    pub fn zeros<const ORDINAL: usize>(device: &Cuda<ORDINAL>, shape: impl Into<Shape>) -> Result<PinnedTensor> {
        zeros(device, shape.into(), Origin::of("PinnedTensor::zeros"))
    }

    /// [`PinnedTensor::zeros`] of any element: `PinnedTensor::zeros_of::<i64, _>(&gpu, [128])`.
    ///
    /// # Errors
    /// As [`PinnedTensor::zeros`].
    #[track_caller]
    pub fn zeros_of<T: Element, const ORDINAL: usize>(
        device: &Cuda<ORDINAL>,
        shape: impl Into<Shape>,
    ) -> Result<PinnedTensor<T>> {
        zeros(device, shape.into(), Origin::of("PinnedTensor::zeros_of"))
    }

    /// The elements of a slice in row-major order.
    ///
    /// # Errors
    /// Also fails if the shape has another number of elements.
    #[track_caller]
    pub fn from_slice<T: Element, const ORDINAL: usize>(
        device: &Cuda<ORDINAL>,
        data: &[T],
        shape: impl Into<Shape>,
    ) -> Result<PinnedTensor<T>> {
        let (shape, origin) = (shape.into(), Origin::of("PinnedTensor::from_slice"));
        let expected = shape.elements(origin)?;
        if expected != data.len() {
            let (op, at) = (origin.op, origin.at);
            return Err(Error::DataLength { op, shape: shape.sizes(), expected, found: data.len(), at });
        }
        let pinned = stale::<T, ORDINAL>(device, shape, origin)?;
        // SAFETY: the block has room for as many elements, nobody else refers to it, and the slice is other memory.
        unsafe { pinned.block.pointer().cast::<T>().copy_from_nonoverlapping(NonNull::from(data).cast(), data.len()) };
        Ok(pinned)
    }
}

fn zeros<T: Element, const ORDINAL: usize>(
    device: &Cuda<ORDINAL>,
    shape: Shape,
    origin: Origin,
) -> Result<PinnedTensor<T>> {
    let pinned = stale::<T, ORDINAL>(device, shape, origin)?;
    // SAFETY: the block is that long, and nobody else refers to it; zero bytes are the zero of every element.
    unsafe { pinned.block.pointer().cast::<T>().write_bytes(0, pinned.elements) };
    Ok(pinned)
}

/// A block for a shape, whose elements the caller writes.
fn stale<T: Element, const ORDINAL: usize>(
    device: &Cuda<ORDINAL>,
    shape: Shape,
    origin: Origin,
) -> Result<PinnedTensor<T>> {
    let block = PinnedBlock::stale(device.stream().context(), shape.bytes(size_of::<T>(), origin)?, origin)?;
    let elements = shape.elements(origin)?;
    Ok(PinnedTensor { block, shape, elements, element: PhantomData })
}

impl<T: Element> PinnedTensor<T> {
    /// The sizes of the axes, outermost first.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.elements
    }

    /// True if there are no elements.
    pub fn is_empty(&self) -> bool {
        self.elements == 0
    }

    /// The elements in row-major order.
    pub fn as_slice(&self) -> &[T] {
        // SAFETY: by the invariant the block holds that many elements, and no copy writes them.
        unsafe { std::slice::from_raw_parts(self.block.pointer().cast::<T>().as_ptr(), self.elements) }
    }

    /// The elements for writing, in row-major order.
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        // SAFETY: as in `as_slice`, no copy reads them either, and the block is borrowed mutably.
        unsafe { std::slice::from_raw_parts_mut(self.block.pointer().cast::<T>().as_ptr(), self.elements) }
    }
}

impl<const ORDINAL: usize> Cuda<ORDINAL> {
    /// Starts a copy to the device, on the stream of this handle. The tensor may be used at once: what uses it waits for the
    /// copy, on the device. The buffer comes back from the [`Pending`].
    ///
    /// # Errors
    /// Fails if the device is out of memory or was lost; the buffer is given up then.
    #[track_caller]
    #[expect(clippy::type_complexity, reason = "a name would hide that these are two values")]
    pub fn upload<T: Element>(
        &self,
        pinned: PinnedTensor<T>,
    ) -> Result<(Tensor<Self, NoGrad, T>, Pending<PinnedTensor<T>>)> {
        let (origin, mut pinned) = (Origin::of("upload"), pinned);
        let mut raw = Raw::empty(self.home(), T::DTYPE, pinned.shape.clone(), origin)?;
        accounting::copy(origin.at, pinned.elements * size_of::<T>());
        // SAFETY: the block goes into the `Pending`, which gives it back only after the copy; dropped before, it returns to a
        // pool that does not hand it out before the copy is done.
        let (point, event) =
            unsafe { on_device::start_upload(self.stream(), &raw.fresh(), pinned.block.block(), origin)? };
        pinned.block.used_until(point);
        Ok((Tensor::from_raw(raw), Pending::new(pinned, point, event, origin)))
    }
}

impl<T: Element> Debug for PinnedTensor<T> {
    /// Type and shape; never data.
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "PinnedTensor<{}>{:?}", T::DTYPE, self.shape)
    }
}
