//! Reading a tensor's elements on the host.
//!
//! Elements are read by name, and each read that makes the host wait for a value is counted as a sync. Only tensors whose
//! memory the host can read have these methods; [`Tensor::item`] is the one exception, for losses.

use super::Tensor;
use super::view::Movement;
use crate::accounting;
use crate::device::Device;
use crate::element::Element;
use crate::error::{Error, Origin, Result};
use crate::home::Home;
use crate::mode::GradMode;
use crate::relation::HostReadable;

impl<D: Device, G: GradMode, T: Element> Tensor<D, G, T> {
    /// The element of a tensor that has one. Waits for the device: a counted sync.
    ///
    /// # Errors
    /// Fails if there is not exactly one element, or if an earlier operation on the device failed.
    #[track_caller]
    pub fn item(&self) -> Result<T> {
        let origin = Origin::of("item");
        if self.len() != 1 {
            return Err(Error::NotAScalar { op: origin.op, shape: self.shape().sizes(), at: origin.at });
        }
        if self.raw.home().is_cpu() {
            accounting::sync(origin.at);
        }
        let host = Movement::Transfer(Home::CPU).apply(&self.raw, origin)?;
        Ok(host.element(&vec![0; self.rank()]))
    }

    /// The elements in row-major order, in a vector of their own. A counted sync.
    ///
    /// # Errors
    /// Fails if the device is out of memory.
    #[track_caller]
    pub fn to_vec(&self) -> Result<Vec<T>>
    where
        D: HostReadable,
    {
        let origin = Origin::of("to_vec");
        accounting::sync(origin.at);
        if let Some(elements) = self.raw.as_slice::<T>() {
            return Ok(elements.to_vec());
        }
        let dense = self.raw.gathered(origin)?;
        Ok(dense.as_slice::<T>().expect("bug in tensor-rt: a dense tensor is no slice").to_vec())
    }

    /// The elements in row-major order; the tensor is given up.
    ///
    /// # Errors
    /// Fails if the device is out of memory.
    #[track_caller]
    pub fn into_vec(self) -> Result<Vec<T>>
    where
        D: HostReadable,
    {
        self.to_vec()
    }

    /// The elements in row-major order, where they lie.
    ///
    /// # Errors
    /// Fails if the tensor is not contiguous.
    #[track_caller]
    pub fn as_slice(&self) -> Result<&[T]>
    where
        D: HostReadable,
    {
        let Origin { op, at } = Origin::of("as_slice");
        self.raw.as_slice().ok_or_else(|| Error::NotContiguous {
            op,
            shape: self.shape().sizes(),
            strides: self.strides().into(),
            at,
        })
    }

    /// One element.
    ///
    /// # Errors
    /// Fails if the index does not lie within the shape.
    #[track_caller]
    pub fn get(&self, index: impl AsRef<[usize]>) -> Result<T>
    where
        D: HostReadable,
    {
        check_index(self.shape(), index.as_ref(), Origin::of("get"))?;
        Ok(self.raw.element(index.as_ref()))
    }
}

/// An index names every axis and lies within each.
pub(super) fn check_index(shape: &[usize], index: &[usize], origin: Origin) -> Result<()> {
    let Origin { op, at } = origin;
    if index.len() != shape.len() {
        let (expected, found) = (shape.len(), index.len());
        return Err(Error::RankMismatch { op, param: Some("index"), expected, at_least: false, found, at });
    }
    for (value, bound) in index.iter().zip(shape) {
        if value >= bound {
            let (value, position) = (i64::try_from(*value).unwrap_or(i64::MAX), Box::default());
            return Err(Error::IndexOutOfRange { op, param: None, axis: None, value, bound: *bound, position, at });
        }
    }
    Ok(())
}
