//! Typed tensors, kernels with derived gradients, and the engines that run them. The [`guide`] says how to write kernels.

extern crate self as tensor_rt;

#[forbid(unsafe_code)]
pub mod accounting;
#[forbid(unsafe_code)]
mod address;
mod atomic;
pub mod autograd;
mod cuda;
#[forbid(unsafe_code)]
pub mod device;
#[forbid(unsafe_code)]
mod device_id;
pub mod element;
mod engine;
#[forbid(unsafe_code)]
pub mod error;
#[forbid(unsafe_code)]
pub mod guide;
#[forbid(unsafe_code)]
mod home;
pub mod isa;
pub mod kernel;
#[forbid(unsafe_code)]
mod layout;
mod math;
pub mod memory;
#[forbid(unsafe_code)]
pub mod mode;
pub mod ops;
#[forbid(unsafe_code)]
mod param;
#[forbid(unsafe_code)]
pub mod relation;
#[forbid(unsafe_code)]
pub mod shape;
mod storage;
mod tensor;

pub use autograd::{Gradients, detect_anomaly, gradcheck};
pub use cuda::compile::{CompileFailure, Tried};
pub use cuda::version::{Capability, CudaVersion};
pub use device::{Cpu, Cuda, Device, DeviceChoice, DeviceId};
pub use element::{DType, Element, Float, bf16, f16};
pub use error::{Error, ErrorKind, Result};
pub use kernel::{TensorView, TensorViewMut};
pub use mode::{Grad, GradMode, Join, NoGrad};
pub use ops::Keep;
pub use param::{Param, ParamId};
pub use relation::{HostReadable, InPlace, SameDevice, SameElement, Tracked};
pub use shape::{Axis, Shape, Slice};
pub use tensor::{AtomicTensor, Nested, Pending, PinnedTensor, Tensor, TensorMut};
pub use tensor_rt_macros::tensor_fn;

/// What a program that uses tensors needs.
pub mod prelude {
    pub use crate::autograd::Gradients;
    pub use crate::device::{Cpu, Cuda, Device, DeviceChoice};
    pub use crate::element::{Element, Float, bf16, f16};
    pub use crate::error::Result;
    pub use crate::kernel::{TensorView, TensorViewMut};
    pub use crate::mode::{Grad, GradMode, Join, NoGrad};
    pub use crate::ops::Keep;
    pub use crate::param::{Param, ParamId};
    pub use crate::relation::{HostReadable, InPlace, SameDevice, SameElement, Tracked};
    pub use crate::tensor::{AtomicTensor, Tensor, TensorMut};
    pub use crate::tensor_fn;
    pub use crate::with_device;
}

/// What generated code names. Not for people: it changes with the macro.
#[doc(hidden)]
pub mod __private {
    pub use crate::cuda::hook::skip_joins;
    pub use crate::device::{Candidate, Device, Selection};
    pub use crate::element::{Compute, DType, Element, Float, bf16, f16};
    pub use crate::error::Result;
    pub use crate::isa::Isa;
    pub use crate::kernel::program::*;
    pub use crate::kernel::{
        BLOCK, Block, Bodies, Call, Gather, Kept, LineBody, LineValues, Outputs, PassBody, PassFn, Source, Views,
    };
    pub use crate::mode::{Grad, GradMode, Join, NoGrad};
    pub use crate::relation::{InPlace, SameDevice, SameElement, UntrackedBesideEdit, WithoutGradient};
    pub use crate::tensor::{Tensor, TensorMut};
}
