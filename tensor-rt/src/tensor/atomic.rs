//! Tensors that many threads accumulate into.
//!
//! Invariants: the raw tensor inside is dense, untracked, and the only handle on its storage; while it is in here its
//! elements are accessed atomically and in no other way, so no slice of them exists.

use std::fmt::Debug;
use std::marker::PhantomData;

use super::raw::Raw;
use super::{Tensor, device_name};
use crate::device::{Cpu, Device, DeviceId};
use crate::element::{DType, Element};
use crate::error::{Origin, Result};
use crate::mode::{GradMode, NoGrad};
use crate::relation::InPlace;
use crate::shape::Shape;

/// A tensor that any number of kernels accumulate into at the same time, through `&`.
///
/// A parameter `acc: &atomic Tensor<i64>[B]` of a kernel takes it. No update is lost: integers come out exact, floats up
/// to the order of rounding. It has no slices and no `Clone`, for nobody may read or share it as a plain tensor meanwhile.
///
/// ```
/// use tensor_rt::prelude::*;
///
/// tensor_fn! {
///     fn histogram(acc: &atomic Tensor<i64>[B], bin: &Tensor<i64>[N]) { acc[bin] += 1; }
/// }
///
/// # fn main() -> Result<()> {
/// let acc = Tensor::from_vec(&Cpu, vec![0_i64; 3], [3])?.into_atomic()?;
/// let bins = Tensor::from_vec(&Cpu, vec![2_i64, 0, 2], [3])?;
/// std::thread::scope(|scope| {
///     let threads = [(); 4].map(|()| scope.spawn(|| histogram(&acc, &bins)));
///     threads.into_iter().try_for_each(|thread| thread.join().expect("no thread panics"))
/// })?;
/// assert_eq!(acc.into_tensor().to_vec()?, [4, 0, 8]);
/// # Ok(())
/// # }
/// ```
pub struct AtomicTensor<D: Device = Cpu, T: Element = f32> {
    pub(crate) raw: Raw,
    types: PhantomData<(D, T)>,
}

impl<D: Device, G: GradMode, T: Element> Tensor<D, G, T> {
    /// The same value as a tensor that many threads accumulate into. The storage is made unique and dense first, which is
    /// a counted copy unless it already is.
    ///
    /// # Errors
    /// Fails if the device is out of memory.
    #[track_caller]
    pub fn into_atomic(mut self) -> Result<AtomicTensor<D, T>>
    where
        Self: InPlace<Device = D, Element = T>,
    {
        self.raw.make_unique(true, Origin::of("into_atomic"))?;
        Ok(AtomicTensor { raw: self.raw, types: PhantomData })
    }
}

impl<D: Device, T: Element> AtomicTensor<D, T> {
    /// The value as a plain tensor again; copies nothing.
    pub fn into_tensor(self) -> Tensor<D, NoGrad, T> {
        Tensor::from_raw(self.raw)
    }

    /// A copy of the value. While other threads accumulate, each element is one that it had at some moment of the call.
    /// A counted copy.
    ///
    /// # Errors
    /// Fails if the device is out of memory.
    #[track_caller]
    pub fn load(&self) -> Result<Tensor<D, NoGrad, T>> {
        self.raw.loaded(Origin::of("load")).map(Tensor::from_raw)
    }

    /// The sizes of the axes, outermost first.
    pub fn shape(&self) -> &Shape {
        self.raw.shape()
    }

    /// The number of axes.
    pub fn rank(&self) -> usize {
        self.raw.shape().rank()
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.raw.elements()
    }

    /// True if there are no elements.
    pub fn is_empty(&self) -> bool {
        self.raw.elements() == 0
    }

    /// The element type, as a run-time value.
    pub fn dtype(&self) -> DType {
        T::DTYPE
    }

    /// The device.
    pub fn device(&self) -> D {
        D::of_home(self.raw.home())
    }

    /// The device, as a run-time value.
    pub fn device_id(&self) -> DeviceId {
        D::ID
    }
}

impl<D: Device, T: Element> Debug for AtomicTensor<D, T> {
    /// Type, shape and device; never data.
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "AtomicTensor<{}, {}>{:?} on {}", device_name::<D>(), T::DTYPE, self.shape(), D::ID)
    }
}

const _: () = {
    const fn assert_shared_between_threads<T: Send + Sync>() {}
    assert_shared_between_threads::<AtomicTensor<Cpu, f32>>();
};
