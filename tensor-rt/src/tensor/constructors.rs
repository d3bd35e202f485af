//! Making tensors.
//!
//! The plain names make `f32`, as literals should; those ending in `_of` make any element. All take the device and fail
//! instead of panicking: a shape can overflow and memory can run out.

use super::Tensor;
use super::cast::odd_from_f64;
use super::nested::Nested;
use super::random;
use super::raw::Raw;
use crate::device::Device;
use crate::element::{Element, Float, bf16, f16};
use crate::error::{Error, Origin, Result};
use crate::layout::Layout;
use crate::mode::{GradMode, NoGrad};
use crate::shape::{Shape, Span};

/// # Errors
/// All constructors fail if the shape has more elements than can be addressed, or the device is out of memory.
impl<D: Device> Tensor<D, NoGrad, f32> {
    /// Zeros.
    #[track_caller]
    pub fn zeros(device: &D, shape: impl Into<Shape>) -> Result<Self> {
        filled(device, shape.into(), 0.0, Origin::of("zeros"))
    }

    /// Zeros of any element; `false` for `bool`.
    #[track_caller]
    pub fn zeros_of<T: Element>(device: &D, shape: impl Into<Shape>) -> Result<Tensor<D, NoGrad, T>> {
        filled(device, shape.into(), T::default(), Origin::of("zeros_of"))
    }

    /// Ones.
    #[track_caller]
    pub fn ones(device: &D, shape: impl Into<Shape>) -> Result<Self> {
        filled(device, shape.into(), 1.0, Origin::of("ones"))
    }

    /// Ones of any element; `true` for `bool`.
    #[track_caller]
    pub fn ones_of<T: Element>(device: &D, shape: impl Into<Shape>) -> Result<Tensor<D, NoGrad, T>> {
        filled(device, shape.into(), T::ONE, Origin::of("ones_of"))
    }

    /// One value everywhere.
    #[track_caller]
    pub fn full(device: &D, shape: impl Into<Shape>, value: f32) -> Result<Self> {
        filled(device, shape.into(), value, Origin::of("full"))
    }

    /// One value of any element everywhere.
    #[track_caller]
    pub fn full_of<T: Element>(device: &D, shape: impl Into<Shape>, value: T) -> Result<Tensor<D, NoGrad, T>> {
        filled(device, shape.into(), value, Origin::of("full_of"))
    }

    /// Independent numbers, uniform in `[0, 1)`. The same seed gives the same numbers on every device and for every
    /// number of threads.
    #[track_caller]
    pub fn rand(device: &D, shape: impl Into<Shape>, seed: u64) -> Result<Self> {
        random::uniform(device, shape.into(), seed, Origin::of("rand"))
    }

    /// [`Tensor::rand`] for any float element.
    #[track_caller]
    pub fn rand_of<T: Float>(device: &D, shape: impl Into<Shape>, seed: u64) -> Result<Tensor<D, NoGrad, T>> {
        random::uniform(device, shape.into(), seed, Origin::of("rand_of"))
    }

    /// Independent numbers from the normal distribution with mean 0 and variance 1. The same seed gives the same numbers
    /// for every number of threads.
    #[track_caller]
    pub fn randn(device: &D, shape: impl Into<Shape>, seed: u64) -> Result<Self> {
        random::normal(device, shape.into(), seed, Origin::of("randn"))
    }

    /// [`Tensor::randn`] for any float element.
    #[track_caller]
    pub fn randn_of<T: Float>(device: &D, shape: impl Into<Shape>, seed: u64) -> Result<Tensor<D, NoGrad, T>> {
        random::normal(device, shape.into(), seed, Origin::of("randn_of"))
    }

    /// `start`, `start + step`, `start + 2 * step`, .. up to but without `end`.
    ///
    /// # Errors
    /// Also fails if `step` is 0 or any argument is not finite.
    #[track_caller]
    pub fn arange(device: &D, start: f32, end: f32, step: f32) -> Result<Self> {
        arange(device, start, end, step, Origin::of("arange"))
    }

    /// [`Tensor::arange`] for any number.
    ///
    /// # Errors
    /// Also fails if `step` is 0 or any argument is not finite.
    #[track_caller]
    pub fn arange_of<T: Count>(device: &D, start: T, end: T, step: T) -> Result<Tensor<D, NoGrad, T>> {
        arange(device, start, end, step, Origin::of("arange_of"))
    }

    /// The identity matrix of `size` rows.
    #[track_caller]
    pub fn eye(device: &D, size: usize) -> Result<Self> {
        eye(device, size, Origin::of("eye"))
    }

    /// The identity matrix of any element.
    #[track_caller]
    pub fn eye_of<T: Element>(device: &D, size: usize) -> Result<Tensor<D, NoGrad, T>> {
        eye(device, size, Origin::of("eye_of"))
    }

    /// The elements of nested arrays, slices or vectors; a number alone makes a tensor without axes.
    ///
    /// ```
    /// # use tensor_rt::prelude::*;
    /// let x = Tensor::new(&Cpu, [[1.0, 2.0], [3.0, 4.0]])?;
    /// assert_eq!(x.shape(), &[2, 2]);
    /// # Ok::<(), tensor_rt::Error>(())
    /// ```
    ///
    /// # Errors
    /// Also fails if rows have different lengths.
    #[track_caller]
    pub fn new(device: &D, data: impl Nested<f32>) -> Result<Self> {
        nested(device, data, Origin::of("new"))
    }

    /// [`Tensor::new`] for any element.
    ///
    /// # Errors
    /// Also fails if rows have different lengths.
    #[track_caller]
    pub fn new_of<T: Element>(device: &D, data: impl Nested<T>) -> Result<Tensor<D, NoGrad, T>> {
        nested(device, data, Origin::of("new_of"))
    }

    /// The elements of a vector in row-major order.
    ///
    /// # Errors
    /// Also fails if the shape has another number of elements.
    #[track_caller]
    pub fn from_vec<T: Element>(device: &D, data: Vec<T>, shape: impl Into<Shape>) -> Result<Tensor<D, NoGrad, T>> {
        Raw::from_slice(device.home(), shape, &data, Origin::of("from_vec")).map(Tensor::from_raw)
    }

    /// The elements of a slice in row-major order; later changes of the slice are not seen.
    ///
    /// # Errors
    /// Also fails if the shape has another number of elements.
    #[track_caller]
    pub fn from_slice<T: Element>(device: &D, data: &[T], shape: impl Into<Shape>) -> Result<Tensor<D, NoGrad, T>> {
        Raw::from_slice(device.home(), shape, data, Origin::of("from_slice")).map(Tensor::from_raw)
    }
}

/// Constructors that take everything but the values from another tensor. The result is dense and untracked.
impl<D: Device, T: Element> Tensor<D, NoGrad, T> {
    /// Zeros with the shape, device and element of another tensor.
    ///
    /// # Errors
    /// Fails if the device is out of memory.
    #[track_caller]
    pub fn zeros_like<G: GradMode>(other: &Tensor<D, G, T>) -> Result<Self> {
        filled(&other.device(), other.shape().clone(), T::default(), Origin::of("zeros_like"))
    }

    /// Ones with the shape, device and element of another tensor.
    ///
    /// # Errors
    /// Fails if the device is out of memory.
    #[track_caller]
    pub fn ones_like<G: GradMode>(other: &Tensor<D, G, T>) -> Result<Self> {
        filled(&other.device(), other.shape().clone(), T::ONE, Origin::of("ones_like"))
    }

    /// One value, with the shape, device and element of another tensor.
    ///
    /// # Errors
    /// Fails if the device is out of memory.
    #[track_caller]
    pub fn full_like<G: GradMode>(other: &Tensor<D, G, T>, value: T) -> Result<Self> {
        filled(&other.device(), other.shape().clone(), value, Origin::of("full_like"))
    }
}

fn filled<D: Device, T: Element>(device: &D, shape: Shape, value: T, origin: Origin) -> Result<Tensor<D, NoGrad, T>> {
    Raw::full(device.home(), shape, value, origin).map(Tensor::from_raw)
}

fn nested<D: Device, T: Element, N: Nested<T>>(device: &D, data: N, origin: Origin) -> Result<Tensor<D, NoGrad, T>> {
    let mut lengths = vec![None; N::DEPTH];
    let mut elements = Vec::new();
    data.append(0, &mut lengths, &mut elements, origin)?;
    // A depth that no row reached has no elements.
    let shape: Shape = lengths.into_iter().map(Option::unwrap_or_default).collect();
    Raw::from_slice(device.home(), shape, &elements, origin).map(Tensor::from_raw)
}

fn eye<D: Device, T: Element>(device: &D, size: usize, origin: Origin) -> Result<Tensor<D, NoGrad, T>> {
    let mut raw = Raw::zeros(device.home(), T::DTYPE, [size, size], origin)?;
    let diagonal =
        Layout::dense([size * size].into()).slice(0, Span { start: 0, length: size, step: size as isize + 1 });
    raw.fresh().part(diagonal).fill(T::ONE, origin)?;
    Ok(Tensor::from_raw(raw))
}

fn arange<D: Device, T: Count>(device: &D, start: T, end: T, step: T, origin: Origin) -> Result<Tensor<D, NoGrad, T>> {
    let length = T::count(start, end, step).map_err(|(name, expected, found)| Error::InvalidArgument {
        op: origin.op,
        name,
        expected,
        found,
        at: origin.at,
    })?;
    let raw = Raw::written(device.home(), [length], origin, |elements: &mut [T]| {
        for (index, element) in elements.iter_mut().enumerate() {
            *element = T::at(start, step, index);
        }
    });
    raw.map(Tensor::from_raw)
}

/// An element that can be counted with: every one but `bool`.
pub trait Count: Element {
    /// How many numbers lie between `start` and `end`, or the name of what is wrong, what it must be, and its value.
    #[doc(hidden)]
    fn count(start: Self, end: Self, step: Self) -> std::result::Result<usize, (&'static str, &'static str, f64)>;

    /// Number `index` from `start`.
    #[doc(hidden)]
    fn at(start: Self, step: Self, index: usize) -> Self;
}

macro_rules! count_floats {
    ($($float:ty: $to:expr, $from:expr;)*) => {$(
        impl Count for $float {
            fn count(start: Self, end: Self, step: Self) -> std::result::Result<usize, (&'static str, &'static str, f64)> {
                let to: fn($float) -> f64 = $to;
                for (name, value) in [("start", to(start)), ("end", to(end)), ("step", to(step))] {
                    if !value.is_finite() {
                        return Err((name, "finite", value));
                    }
                }
                if to(step) == 0.0 {
                    return Err(("step", "other than 0", 0.0));
                }
                // A negative number of steps saturates to none, too many to a shape that overflows.
                Ok(((to(end) - to(start)) / to(step)).ceil() as usize)
            }

            fn at(start: Self, step: Self, index: usize) -> Self {
                let (to, from): (fn($float) -> f64, fn(f64) -> $float) = ($to, $from);
                from(to(start) + index as f64 * to(step))
            }
        }
    )*};
}

count_floats! {
    f32: f64::from, |value| value as f32;
    f64: |value| value, |value| value;
    f16: f64::from, |value| f16::narrow(odd_from_f64(value));
    bf16: f64::from, |value| bf16::narrow(odd_from_f64(value));
}

macro_rules! count_integers {
    ($($integer:ty)*) => {$(
        impl Count for $integer {
            fn count(start: Self, end: Self, step: Self) -> std::result::Result<usize, (&'static str, &'static str, f64)> {
                let (start, end, step) = (i128::from(start), i128::from(end), i128::from(step));
                match step {
                    0 => Err(("step", "other than 0", 0.0)),
                    1.. => Ok(usize::try_from((end - start + step - 1) / step).unwrap_or(0)),
                    _ => Ok(usize::try_from((start - end - step - 1) / -step).unwrap_or(0)),
                }
            }

            fn at(start: Self, step: Self, index: usize) -> Self {
                (i128::from(start) + i128::from(step) * index as i128) as $integer
            }
        }
    )*};
}

count_integers! { i64 i32 u32 u8 }
