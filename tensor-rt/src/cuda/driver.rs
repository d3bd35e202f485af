//! The functions of the CUDA driver.
//!
//! The library is found and loaded by cudarc, whose types these are; its own functions are not used, because they end
//! the program where a symbol is missing, and because a status that is newer than its list would be no value of its
//! `enum`. Here each function is looked up by name when it is first called, and a driver without it loses that alone.
//!
//! Invariant: every signature below is that of the driver's interface for the symbol beside it.

use std::ffi::{c_char, c_int, c_uint, c_void};
use std::fmt::{Debug, Display};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

pub(super) use cudarc::driver::sys::{CUcontext, CUdevice, CUdeviceptr, CUevent, CUfunction, CUmodule, CUstream};

/// Why a call of the driver failed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Failure {
    /// There is no library.
    NoLibrary,
    /// The library has no such function.
    Missing(&'static str),
    /// The function gave a status other than 0.
    Status { call: &'static str, status: Status },
}

impl Failure {
    /// The status that the driver gave, if it gave one.
    pub fn status(self) -> Option<Status> {
        match self {
            Failure::NoLibrary | Failure::Missing(_) => None,
            Failure::Status { status, .. } => Some(status),
        }
    }
}

/// A status of the driver, by number.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Status(pub(crate) u32);

impl Status {
    pub(crate) const OUT_OF_MEMORY: Status = Status(2);
    pub(crate) const NO_DEVICE: Status = Status(100);
    pub(crate) const NO_BINARY_FOR_DEVICE: Status = Status(209);
    pub(crate) const INVALID_PTX: Status = Status(218);
    pub(crate) const UNSUPPORTED_PTX_VERSION: Status = Status(222);
    pub(crate) const NOT_READY: Status = Status(600);

    /// The number, as the driver's headers give it.
    pub fn code(self) -> u32 {
        self.0
    }

    /// True if the context is unusable from now on: a kernel was stopped, or the device is gone.
    pub(crate) fn is_fatal(self) -> bool {
        matches!(self.0, 4 | 46 | 214 | 220 | 226 | 700 | 702 | 709 | 710 | 714..=720 | 999)
    }
}

impl Display for Status {
    /// The number and the driver's own words for it.
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut name = std::ptr::null();
        // SAFETY: the address of a local; the driver writes a pointer to a text of its own, or null.
        let found = unsafe { error_string(self.0, &raw mut name) };
        if found.is_err() || name.is_null() {
            return write!(out, "status {}", self.0);
        }
        // SAFETY: not null, so a text of the driver, which ends in a zero and lives as long as the library.
        let name = unsafe { std::ffi::CStr::from_ptr(name) };
        write!(out, "status {}: {}", self.0, name.to_string_lossy())
    }
}

impl Debug for Status {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        Display::fmt(self, out)
    }
}

/// True if the library of the driver can be loaded.
pub(super) fn is_present() -> bool {
    static PRESENT: AtomicBool = AtomicBool::new(false);
    // A library that is not there yet may be there later.
    if !PRESENT.load(Ordering::Relaxed) {
        // SAFETY: loading the library runs its initialisers, which is what whoever installs a driver wants.
        PRESENT.store(unsafe { cudarc::driver::sys::is_culib_present() }, Ordering::Relaxed);
    }
    PRESENT.load(Ordering::Relaxed)
}

/// The names under which the library is looked for.
pub(super) fn library_names() -> Vec<String> {
    ["cuda", "nvcuda"].into_iter().flat_map(cudarc::get_lib_name_candidates).collect()
}

macro_rules! functions {
    ($($(#[$attr:meta])* $name:ident = $symbol:literal ($($argument:ident: $ty:ty),* $(,)?);)*) => {$(
        $(#[$attr])*
        ///
        /// # Safety
        /// As the driver's interface demands: handles are alive and of the current context where it needs one, and
        /// addresses are those of what is read or written for as long as the call takes, or the copy that it starts.
        #[allow(clippy::too_many_arguments, reason = "mirrors the driver's interface")]
        pub(super) unsafe fn $name($($argument: $ty),*) -> Result<(), Failure> {
            type Function = unsafe extern "C" fn($($ty),*) -> u32;
            static FUNCTION: OnceLock<Option<Function>> = OnceLock::new();
            if !is_present() {
                return Err(Failure::NoLibrary);
            }
            let found = FUNCTION.get_or_init(|| {
                // SAFETY: the library is there (checked above), and the symbol has this signature (invariant).
                unsafe { cudarc::driver::sys::culib().get::<Function>($symbol.as_bytes()).ok().map(|symbol| *symbol) }
            });
            let function = found.ok_or(Failure::Missing($symbol))?;
            // SAFETY: the caller's.
            match unsafe { function($($argument),*) } {
                0 => Ok(()),
                status => Err(Failure::Status { call: $symbol, status: Status(status) }),
            }
        }
    )*};
}

functions! {
    /// Starts the driver; more than once is allowed.
    init = "cuInit"(flags: c_uint);
    /// The version of CUDA that the driver is made for, as 1000 times the major and 10 times the minor.
    driver_version = "cuDriverGetVersion"(version: *mut c_int);
    /// What a status means, in words.
    error_string = "cuGetErrorString"(status: u32, text: *mut *const c_char);

    /// The number of devices.
    device_count = "cuDeviceGetCount"(count: *mut c_int);
    /// A device by ordinal.
    device = "cuDeviceGet"(device: *mut CUdevice, ordinal: c_int);
    /// A property of a device, by the number of the interface.
    device_attribute = "cuDeviceGetAttribute"(value: *mut c_int, attribute: c_uint, device: CUdevice);
    /// Its memory in bytes.
    device_memory = "cuDeviceTotalMem_v2"(bytes: *mut usize, device: CUdevice);

    /// The context that all libraries of the process share.
    retain_context = "cuDevicePrimaryCtxRetain"(context: *mut CUcontext, device: CUdevice);
    /// The context of this thread.
    current_context = "cuCtxGetCurrent"(context: *mut CUcontext);
    /// Makes a context that of this thread.
    set_current_context = "cuCtxSetCurrent"(context: CUcontext);

    /// Memory of the current context's device.
    allocate = "cuMemAlloc_v2"(address: *mut CUdeviceptr, bytes: usize);
    /// Gives it back.
    free = "cuMemFree_v2"(address: CUdeviceptr);
    /// Pinned memory of the host.
    allocate_host = "cuMemHostAlloc"(address: *mut *mut c_void, bytes: usize, flags: c_uint);
    /// Where the device sees it.
    host_address = "cuMemHostGetDevicePointer_v2"(address: *mut CUdeviceptr, host: *mut c_void, flags: c_uint);
    /// Gives it back.
    free_host = "cuMemFreeHost"(address: *mut c_void);

    /// Copies from the host, in the order of a stream.
    copy_to_device = "cuMemcpyHtoDAsync_v2"(target: CUdeviceptr, source: *const c_void, bytes: usize, stream: CUstream);
    /// Copies to the host, in the order of a stream.
    copy_to_host = "cuMemcpyDtoHAsync_v2"(target: *mut c_void, source: CUdeviceptr, bytes: usize, stream: CUstream);
    /// Copies within a device, in the order of a stream.
    copy_on_device = "cuMemcpyDtoDAsync_v2"(target: CUdeviceptr, source: CUdeviceptr, bytes: usize, stream: CUstream);
    /// Copies between devices, in the order of a stream.
    copy_between = "cuMemcpyPeerAsync"(
        target: CUdeviceptr,
        target_context: CUcontext,
        source: CUdeviceptr,
        source_context: CUcontext,
        bytes: usize,
        stream: CUstream,
    );
    /// Fills bytes, in the order of a stream.
    fill_bytes = "cuMemsetD8Async"(target: CUdeviceptr, value: u8, count: usize, stream: CUstream);

    /// A stream.
    create_stream = "cuStreamCreate"(stream: *mut CUstream, flags: c_uint);
    /// Waits until everything in a stream is done.
    synchronize_stream = "cuStreamSynchronize"(stream: CUstream);
    /// Lets what a stream is given from now on wait for an event.
    wait_event = "cuStreamWaitEvent"(stream: CUstream, event: CUevent, flags: c_uint);

    /// An event.
    create_event = "cuEventCreate"(event: *mut CUevent, flags: c_uint);
    /// Puts an event behind everything that a stream was given.
    record_event = "cuEventRecord"(event: CUevent, stream: CUstream);
    /// Whether an event was reached.
    query_event = "cuEventQuery"(event: CUevent);
    /// Waits for an event.
    synchronize_event = "cuEventSynchronize"(event: CUevent);
    /// Gives an event back; those who wait for it still do.
    destroy_event = "cuEventDestroy_v2"(event: CUevent);

    /// Code for the current context.
    load_module = "cuModuleLoadData"(module: *mut CUmodule, image: *const c_void);
    /// An entry of it.
    function = "cuModuleGetFunction"(function: *mut CUfunction, module: CUmodule, name: *const c_char);
    /// Sets a property of a function.
    set_function_attribute = "cuFuncSetAttribute"(function: CUfunction, attribute: c_uint, value: c_int);
    /// Starts a kernel, in the order of a stream.
    launch = "cuLaunchKernel"(
        function: CUfunction,
        grid_x: c_uint,
        grid_y: c_uint,
        grid_z: c_uint,
        block_x: c_uint,
        block_y: c_uint,
        block_z: c_uint,
        shared_bytes: c_uint,
        stream: CUstream,
        parameters: *mut *mut c_void,
        extra: *mut *mut c_void,
    );
}
