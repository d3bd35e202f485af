//! What can go wrong, as values.
//!
//! Every fallible function of the crate returns [`Result`]. An [`Error`] is plain data: the operation, what was expected
//! and found, and the call site of the user's code. Its text is made when it is printed. [`Error::kind`] is a name that
//! stays the same when a variant gains a field.
//!
//! Invariant: an error never holds storage, so keeping one keeps no tensor alive.

use std::panic::Location;

use crate::cuda::compile::{CompileFailure, Tried};
use crate::cuda::version::{Capability, CudaVersion};
use crate::device_id::DeviceId;

/// A place in the user's code.
pub type Site = &'static Location<'static>;

/// What fallible functions return.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Which operation runs, and who called it.
#[derive(Clone, Copy, Debug)]
pub struct Origin {
    /// The operation's name.
    pub op: &'static str,
    /// The caller.
    pub at: Site,
}

impl Origin {
    /// The operation `op`, called from where the calling `#[track_caller]` function was called.
    #[track_caller]
    pub const fn of(op: &'static str) -> Origin {
        Origin { op, at: Location::caller() }
    }
}

/// Sizes of a tensor, as an error holds them.
pub type Sizes = Box<[usize]>;

/// What went wrong.
///
/// `Debug` prints the sentence too: it is what a `main` that returns an error shows.
#[derive(Clone, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the fields are what the messages call them; `op` and `at` are operation and caller")]
pub enum Error {
    /// Two tensors that must have one shape have two.
    #[error("{op}: shapes {lhs:?} and {rhs:?} differ, at {at}")]
    ShapeMismatch { op: &'static str, lhs: Sizes, rhs: Sizes, at: Site },

    /// A shape cannot be stretched to another.
    #[error("{op}: shapes {lhs:?} and {rhs:?} cannot be broadcast together, at {at}")]
    Broadcast { op: &'static str, lhs: Sizes, rhs: Sizes, at: Site },

    /// A named axis has two sizes.
    #[error("{op}: axis `{axis}` is {lhs_size} in `{lhs}` and {rhs_size} in `{rhs}`, at {at}")]
    AxisMismatch {
        op: &'static str,
        axis: &'static str,
        lhs: &'static str,
        lhs_size: usize,
        rhs: &'static str,
        rhs_size: usize,
        at: Site,
    },

    /// The axes that `..` stands for have two shapes.
    #[error("{op}: `..` is {lhs_shape:?} in `{lhs}` and {rhs_shape:?} in `{rhs}`, at {at}")]
    RestMismatch {
        op: &'static str,
        lhs: &'static str,
        lhs_shape: Sizes,
        rhs: &'static str,
        rhs_shape: Sizes,
        at: Site,
    },

    /// A named axis does not have the size that the kernel asks for.
    #[error("{op}: axis `{axis}` of `{param}` must be {expected}, found {found}, at {at}")]
    AxisSize { op: &'static str, axis: &'static str, param: &'static str, expected: usize, found: usize, at: Site },

    /// A tensor has the wrong number of axes.
    #[error("{op}: expected {}{expected} axes{}, found {found}, at {at}", if *.at_least { "at least " } else { "" }, InParam(.param))]
    RankMismatch {
        op: &'static str,
        param: Option<&'static str>,
        expected: usize,
        at_least: bool,
        found: usize,
        at: Site,
    },

    /// An axis that the tensor does not have.
    #[error("{op}: axis {axis} of a tensor with {rank} axes, at {at}")]
    AxisOutOfRange { op: &'static str, axis: i64, rank: usize, at: Site },

    /// An axis that was named twice.
    #[error("{op}: axis {axis} is named twice, at {at}")]
    DuplicateAxis { op: &'static str, axis: usize, at: Site },

    /// An index outside of an axis (`axis` of `param`, if they have names); `position` is where it was found, if it was for
    /// an element of a tensor.
    #[error(
        "{op}: index {value} is out of range for {} of size {bound}{}{}, at {at}",
        NamedAxis(.axis), InParam(.param), AtPosition(.position)
    )]
    IndexOutOfRange {
        op: &'static str,
        param: Option<&'static str>,
        axis: Option<&'static str>,
        value: i64,
        bound: usize,
        position: Sizes,
        at: Site,
    },

    /// A range that its axis does not contain.
    #[error("{op}: range {start}..{end} of axis {axis}, whose size is {size}, at {at}")]
    RangeOutOfRange { op: &'static str, axis: usize, start: usize, end: usize, size: usize, at: Site },

    /// Parts that do not add up to the axis they split.
    #[error("{op}: parts of {total} in all cannot make up axis {axis} of size {size}, at {at}")]
    PartsMismatch { op: &'static str, axis: usize, total: usize, size: usize, at: Site },

    /// A shape whose number of elements or bytes is not a `usize`, or has more bytes than can be addressed.
    #[error("{op}: shape {shape:?} has more elements than can be addressed, at {at}")]
    ShapeOverflow { op: &'static str, shape: Sizes, at: Site },

    /// A shape with another number of elements.
    #[error("{op}: shape {from:?} cannot become {to:?}: the number of elements differs, at {at}")]
    ElementCount { op: &'static str, from: Sizes, to: Sizes, at: Site },

    /// The device has no memory left for a buffer.
    #[error(
        "{op}: out of memory on {device}: requested {requested} bytes, {free} free, largest block {largest_block}, at {at}"
    )]
    OutOfMemory { requested: u64, free: u64, largest_block: u64, device: DeviceId, op: &'static str, at: Site },

    /// A reduction without a value for no elements.
    #[error("{op}: `{reduction}` over no elements has no value, at {at}")]
    EmptyReduction { op: &'static str, reduction: &'static str, at: Site },

    /// A list of tensors without a tensor.
    #[error("{op}: needs at least one tensor, at {at}")]
    NoTensors { op: &'static str, at: Site },

    /// An integer division by zero or of `MIN` by `-1`.
    #[error("{op}: integer division by zero or overflow{}, at {at}", AtPosition(.position))]
    DivisionByZero { op: &'static str, position: Sizes, at: Site },

    /// A computed size below zero.
    #[error("{op}: axis `{axis}` would have size {value}, at {at}")]
    NegativeSize { op: &'static str, axis: &'static str, value: i64, at: Site },

    /// An assertion of a kernel that did not hold.
    #[error("{op}: {text}{}, at {at}", AtPosition(.position))]
    Assertion { op: &'static str, text: &'static str, position: Sizes, at: Site },

    /// A gradient was asked for where there is none.
    #[error("{op}: no gradient: {reason}, at {at}")]
    NoGradient { op: &'static str, reason: &'static str, at: Site },

    /// A graph was walked a second time.
    #[error("{op}: this graph was already consumed by the backward pass at {first}; build it anew, at {at}")]
    GraphConsumed { op: &'static str, first: Site, at: Site },

    /// A NaN or an infinity that anomaly detection met.
    #[error("{op}: {what} is not finite; its forward call is at {forward}, found at {at}")]
    NotFinite { op: &'static str, what: &'static str, forward: Site, at: Site },

    /// A gradient that finite differences contradict.
    #[error(
        "{op}: the gradient of element {element} of input {input} is {analytic:e}, differences say {numeric:e}, at {at}"
    )]
    GradientMismatch { op: &'static str, input: usize, element: usize, analytic: f64, numeric: f64, at: Site },

    /// A device that the program was not compiled for.
    #[error("device {device} is not among those that this program was compiled for: {available:?}")]
    DeviceNotCompiledIn { device: DeviceId, available: Box<[DeviceId]> },

    /// A device name that is none.
    #[error("unknown device `{name}`: expected `auto`, `cpu` or `cuda:N`")]
    UnknownDevice { name: Box<str> },

    /// An instruction set that `TENSOR_ISA` asks for and that does not exist here.
    #[error("unknown instruction set `{name}` in `TENSOR_ISA`: this processor has {available:?}")]
    UnknownInstructionSet { name: Box<str>, available: Box<[&'static str]> },

    /// No driver for CUDA devices on this machine.
    #[error("{device} is not available: there is no CUDA driver, which comes with the driver of the graphics card (looked for {})", Names(.tried))]
    DriverNotFound { device: DeviceId, tried: Box<[Box<str>]> },

    /// A driver without a function that is needed.
    #[error("{device} is not available: its driver has no `{symbol}`; a newer driver does")]
    MissingSymbol { device: DeviceId, symbol: &'static str },

    /// A driver from before the oldest that is supported.
    #[error(
        "{device} is not available: its driver is made for CUDA {driver}, and the oldest supported is {oldest}; update the driver"
    )]
    UnsupportedDriver { device: DeviceId, driver: CudaVersion, oldest: CudaVersion },

    /// A CUDA device that the machine does not have.
    #[error("{device} is not available: this machine has {count} CUDA devices")]
    NoSuchDevice { device: DeviceId, count: usize },

    /// A call of the driver that failed, after which the device can be used as before.
    #[error("{op}: `{call}` failed on {device} with {text}, at {at}")]
    DriverFailed { op: &'static str, device: DeviceId, call: &'static str, status: u32, text: Box<str>, at: Site },

    /// A kernel that the device stopped; `launches` are those that may have caused it, the first most likely.
    #[error("a kernel on {device} was stopped with {text}: {}; found by `{call}`, at {at}", Launches(.launches))]
    LaunchFailed {
        device: DeviceId,
        call: &'static str,
        status: u32,
        text: Box<str>,
        launches: Box<[Origin]>,
        at: Site,
    },

    /// A device whose context was lost earlier; nothing on it can be used before the program starts anew.
    #[error("{op}: {device} cannot be used any more, since {cause}; at {at}")]
    ContextLost {
        op: &'static str,
        device: DeviceId,
        #[source]
        cause: Box<Error>,
        at: Site,
    },

    /// A launch that asks for more than the device has.
    #[error("{op}: {name} of a launch is {found}, and {device} has from 1 to {bound}, at {at}")]
    LaunchLimit { op: &'static str, device: DeviceId, name: &'static str, found: u64, bound: u64, at: Site },

    /// A fault of a kernel that was launched so long before that its call is not remembered.
    #[error(
        "a kernel on {device} met an index, a division or an assertion that fails, more than {remembered} launches before \
         something waited for it; wait more often, or set `TENSOR_LAUNCH_BLOCKING=1`, to know which"
    )]
    ForgottenLaunch { device: DeviceId, remembered: usize },

    /// A hand-written kernel without code for CUDA devices.
    #[error(
        "{op}: this kernel has no `#[cuda(..)]` and its tensors are on {device}; move them with `t.to(&Cpu)`, at {at}"
    )]
    NoCudaKernel { op: &'static str, device: DeviceId, at: Site },

    /// No library that compiles CUDA C.
    #[error(
        "NVRTC, which compiles kernels for CUDA devices, was not found; `pip install nvidia-cuda-nvrtc`, or let \
         `TENSOR_NVRTC` name the library or its folder{}", Each(.tried)
    )]
    NvrtcNotFound { tried: Box<[Tried]> },

    /// A kernel whose CUDA source the compiler refuses.
    #[error("{op}: NVRTC {} refuses the source for `{}`, at {at}\n{failure}", .failure.nvrtc, .failure.target)]
    CompileFailed { op: &'static str, failure: Box<CompileFailure>, at: Site },

    /// A driver that loads nothing that the compilers found write; `nvrtc` is the oldest of them.
    #[error(
        "the driver knows CUDA {driver} and loads nothing that NVRTC {nvrtc} writes; update the driver, or install an \
         older NVRTC: `pip install {}`", NvrtcPackage(*.driver)
    )]
    DriverTooOld { driver: CudaVersion, nvrtc: CudaVersion },

    /// A device that the compilers found no longer compile for; `nvrtc` is the oldest of them.
    #[error(
        "the device has compute capability {capability}, and NVRTC {nvrtc} compiles for {oldest} and newer; install an \
         older NVRTC: `pip install {}`", NvrtcPackage(CudaVersion { major: nvrtc.major - 1, minor: 9 })
    )]
    CapabilityTooOld { capability: Capability, oldest: Capability, nvrtc: CudaVersion },

    /// A tensor that is not dense, where only a dense one will do.
    #[error("{op}: shape {shape:?} with strides {strides:?} is not contiguous; `contiguous()` copies, at {at}")]
    NotContiguous { op: &'static str, shape: Sizes, strides: Box<[isize]>, at: Site },

    /// A shape that these strides cannot be seen as.
    #[error(
        "{op}: shape {shape:?} with strides {strides:?} has no view of shape {target:?}; `reshape` copies, at {at}"
    )]
    NoSuchView { op: &'static str, shape: Sizes, strides: Box<[isize]>, target: Sizes, at: Site },

    /// Data whose length does not fit the shape.
    #[error("{op}: shape {shape:?} needs {expected} elements, found {found}, at {at}")]
    DataLength { op: &'static str, shape: Sizes, expected: usize, found: usize, at: Site },

    /// Nested data whose rows have different lengths.
    #[error("{op}: rows of {expected} and of {found} elements at depth {depth}, at {at}")]
    RaggedData { op: &'static str, depth: usize, expected: usize, found: usize, at: Site },

    /// A tensor of one element was needed.
    #[error("{op}: expected one element, found shape {shape:?}, at {at}")]
    NotAScalar { op: &'static str, shape: Sizes, at: Site },

    /// A scalar argument outside what it may be.
    #[error("{op}: `{name}` must be {expected}, found {found}, at {at}")]
    InvalidArgument { op: &'static str, name: &'static str, expected: &'static str, found: f64, at: Site },
}

/// The kind of an [`Error`]: one per variant, for programs that decide by it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
#[expect(missing_docs, reason = "named after the variants of `Error`")]
pub enum ErrorKind {
    ShapeMismatch,
    Broadcast,
    AxisMismatch,
    RestMismatch,
    AxisSize,
    RankMismatch,
    AxisOutOfRange,
    DuplicateAxis,
    IndexOutOfRange,
    RangeOutOfRange,
    PartsMismatch,
    ShapeOverflow,
    ElementCount,
    OutOfMemory,
    EmptyReduction,
    NoTensors,
    DivisionByZero,
    NegativeSize,
    Assertion,
    NoGradient,
    GraphConsumed,
    NotFinite,
    GradientMismatch,
    DeviceNotCompiledIn,
    UnknownDevice,
    UnknownInstructionSet,
    DriverNotFound,
    MissingSymbol,
    UnsupportedDriver,
    NoSuchDevice,
    DriverFailed,
    LaunchFailed,
    ContextLost,
    LaunchLimit,
    ForgottenLaunch,
    NoCudaKernel,
    NvrtcNotFound,
    CompileFailed,
    DriverTooOld,
    CapabilityTooOld,
    NotContiguous,
    NoSuchView,
    DataLength,
    RaggedData,
    NotAScalar,
    InvalidArgument,
}

/// One line per variant: its kind, and whether it knows operation and caller.
macro_rules! kinds {
    ($(located $($located:ident)*;)* $(bare $($bare:ident)*;)*) => {
        impl Error {
            /// What kind of error this is.
            pub fn kind(&self) -> ErrorKind {
                match self {
                    $($(Error::$located { .. } => ErrorKind::$located,)*)*
                    $($(Error::$bare { .. } => ErrorKind::$bare,)*)*
                }
            }

            /// The operation that failed and its caller, where the error belongs to a call.
            pub fn origin(&self) -> Option<Origin> {
                match self {
                    $($(Error::$located { op, at, .. } => Some(Origin { op, at }),)*)*
                    $($(Error::$bare { .. } => None,)*)*
                }
            }
        }
    };
}

kinds! {
    located ShapeMismatch Broadcast AxisMismatch RestMismatch AxisSize RankMismatch AxisOutOfRange DuplicateAxis IndexOutOfRange
        RangeOutOfRange PartsMismatch ShapeOverflow ElementCount OutOfMemory EmptyReduction NoTensors DivisionByZero
        NegativeSize Assertion NoGradient GraphConsumed NotFinite GradientMismatch NotContiguous NoSuchView DataLength RaggedData
        NotAScalar InvalidArgument CompileFailed DriverFailed ContextLost LaunchLimit NoCudaKernel;
    bare DeviceNotCompiledIn UnknownDevice UnknownInstructionSet DriverNotFound MissingSymbol UnsupportedDriver NoSuchDevice
        LaunchFailed ForgottenLaunch NvrtcNotFound DriverTooOld CapabilityTooOld;
}

impl std::fmt::Debug for Error {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{self}")
    }
}

/// Prints ` in `x`` for a named parameter.
struct InParam<'a>(&'a Option<&'static str>);

impl std::fmt::Display for InParam<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.map_or(Ok(()), |param| write!(out, " in `{param}`"))
    }
}

/// Prints ``axis `C` ``, or `an axis` without a name.
struct NamedAxis<'a>(&'a Option<&'static str>);

impl std::fmt::Display for NamedAxis<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            Some(axis) => write!(out, "axis `{axis}`"),
            None => out.write_str("an axis"),
        }
    }
}

/// Prints the first names and how many more there are.
struct Names<'a>(&'a [Box<str>]);

impl std::fmt::Display for Names<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        const SHOWN: usize = 3;
        let shown = &self.0[..self.0.len().min(SHOWN)];
        write!(out, "`{}`", shown.join("`, `"))?;
        if self.0.len() > SHOWN { write!(out, " and {} other names", self.0.len() - SHOWN) } else { Ok(()) }
    }
}

/// Prints the calls that may have launched what failed.
struct Launches<'a>(&'a [Origin]);

impl std::fmt::Display for Launches<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        const SHOWN: usize = 8;
        let call = |out: &mut std::fmt::Formatter<'_>, Origin { op, at }: &Origin| write!(out, "`{op}` at {at}");
        match self.0 {
            [] => out.write_str("no launch of this program was running"),
            [only] => {
                out.write_str("it is ")?;
                call(out, only)
            }
            [first, rest @ ..] => {
                out.write_str("it is one of ")?;
                call(out, first)?;
                for origin in rest.iter().take(SHOWN - 1) {
                    out.write_str(", ")?;
                    call(out, origin)?;
                }
                match rest.len().saturating_sub(SHOWN - 1) {
                    0 => out.write_str(" (`TENSOR_LAUNCH_BLOCKING=1` tells which)"),
                    more => write!(out, " and {more} later ones (`TENSOR_LAUNCH_BLOCKING=1` tells which)"),
                }
            }
        }
    }
}

/// Prints each on a line of its own.
struct Each<'a>(&'a [Tried]);

impl std::fmt::Display for Each<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|tried| write!(out, "\n  tried {tried}"))
    }
}

/// Prints the Python package whose NVRTC is of this version or older, as an argument of `pip install`.
struct NvrtcPackage(CudaVersion);

impl std::fmt::Display for NvrtcPackage {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Since 13 the name of the package has no version.
        let suffix = if self.0.major < 13 { format!("-cu{}", self.0.major) } else { String::new() };
        write!(out, "'nvidia-cuda-nvrtc{suffix}<={}.99'", self.0)
    }
}

/// Prints ` (element [2, 0])` for a position within a tensor.
struct AtPosition<'a>(&'a [usize]);

impl std::fmt::Display for AtPosition<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.0.is_empty() { Ok(()) } else { write!(out, " (element {:?})", self.0) }
    }
}

const _: () = {
    const fn assert_plain<T: Send + Sync + 'static>() {}
    assert_plain::<Error>();
    // Larger errors make every `Result` of the user's functions a lint of clippy.
    assert!(size_of::<Error>() < 128);
};
