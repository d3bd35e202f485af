//! Result codes of the driver API, with the names and sentences that `cuGetErrorName` and `cuGetErrorString` give.

use std::ffi::CStr;

/// A `CUresult`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Code(pub u32);

/// What a driver function does: its outputs are written through pointers.
pub(crate) type Result<T = ()> = std::result::Result<T, Code>;

/// One line for each code: constant, number, name, sentence.
macro_rules! codes {
    ($($constant:ident = $number:literal, $name:literal, $sentence:literal;)*) => {
        impl Code {
            $(#[doc = concat!("`", $name, "`: ", $sentence)] pub const $constant: Code = Code($number);)*

            /// The name of the code, terminated for C.
            pub fn name(self) -> Option<&'static CStr> {
                match self.0 {
                    $($number => Some(terminated(concat!($name, "\0"))),)*
                    _ => None,
                }
            }

            /// The sentence of the code, terminated for C.
            pub fn sentence(self) -> Option<&'static CStr> {
                match self.0 {
                    $($number => Some(terminated(concat!($sentence, "\0"))),)*
                    _ => None,
                }
            }
        }
    };
}

codes! {
    SUCCESS = 0, "CUDA_SUCCESS", "no error";
    INVALID_VALUE = 1, "CUDA_ERROR_INVALID_VALUE", "invalid argument";
    OUT_OF_MEMORY = 2, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory";
    NOT_INITIALIZED = 3, "CUDA_ERROR_NOT_INITIALIZED", "initialization error";
    DEVICE_UNAVAILABLE = 46, "CUDA_ERROR_DEVICE_UNAVAILABLE", "device is busy or unavailable";
    NO_DEVICE = 100, "CUDA_ERROR_NO_DEVICE", "no device is there";
    INVALID_DEVICE = 101, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal";
    INVALID_IMAGE = 200, "CUDA_ERROR_INVALID_IMAGE", "the image of a module is invalid";
    INVALID_CONTEXT = 201, "CUDA_ERROR_INVALID_CONTEXT", "no context is current, or it is invalid";
    NO_BINARY_FOR_GPU = 209, "CUDA_ERROR_NO_BINARY_FOR_GPU", "the image holds no code that this device can run";
    ECC_UNCORRECTABLE = 214, "CUDA_ERROR_ECC_UNCORRECTABLE", "uncorrectable memory error";
    UNSUPPORTED_LIMIT = 215, "CUDA_ERROR_UNSUPPORTED_LIMIT", "limit is not supported";
    INVALID_PTX = 218, "CUDA_ERROR_INVALID_PTX", "a PTX compilation failed";
    UNSUPPORTED_PTX_VERSION = 222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION", "the PTX is newer than this driver";
    FILE_NOT_FOUND = 301, "CUDA_ERROR_FILE_NOT_FOUND", "file not found";
    INVALID_HANDLE = 400, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle";
    NOT_FOUND = 500, "CUDA_ERROR_NOT_FOUND", "named symbol not found";
    NOT_READY = 600, "CUDA_ERROR_NOT_READY", "device not ready";
    ILLEGAL_ADDRESS = 700, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered";
    LAUNCH_OUT_OF_RESOURCES = 701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "too many resources requested for launch";
    LAUNCH_TIMEOUT = 702, "CUDA_ERROR_LAUNCH_TIMEOUT", "the launch timed out and was terminated";
    PEER_ACCESS_ALREADY_ENABLED = 704, "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED", "peer access is already enabled";
    PEER_ACCESS_NOT_ENABLED = 705, "CUDA_ERROR_PEER_ACCESS_NOT_ENABLED", "peer access has not been enabled";
    PRIMARY_CONTEXT_ACTIVE = 708, "CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE", "the primary context is active";
    CONTEXT_IS_DESTROYED = 709, "CUDA_ERROR_CONTEXT_IS_DESTROYED", "context is destroyed";
    ASSERT = 710, "CUDA_ERROR_ASSERT", "device-side assert triggered";
    HOST_MEMORY_ALREADY_REGISTERED = 712, "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED",
        "part or all of the memory is already registered";
    HOST_MEMORY_NOT_REGISTERED = 713, "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED", "the memory is not registered";
    HARDWARE_STACK_ERROR = 714, "CUDA_ERROR_HARDWARE_STACK_ERROR", "hardware stack error";
    ILLEGAL_INSTRUCTION = 715, "CUDA_ERROR_ILLEGAL_INSTRUCTION", "an illegal instruction was encountered";
    MISALIGNED_ADDRESS = 716, "CUDA_ERROR_MISALIGNED_ADDRESS", "misaligned address";
    INVALID_ADDRESS_SPACE = 717, "CUDA_ERROR_INVALID_ADDRESS_SPACE", "operation not supported on this address space";
    INVALID_PC = 718, "CUDA_ERROR_INVALID_PC", "invalid program counter";
    LAUNCH_FAILED = 719, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure";
    COOPERATIVE_LAUNCH_TOO_LARGE = 720, "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE",
        "too many blocks in a cooperative launch";
    NOT_PERMITTED = 800, "CUDA_ERROR_NOT_PERMITTED", "operation not permitted";
    NOT_SUPPORTED = 801, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported";
    STREAM_CAPTURE_UNSUPPORTED = 900, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED",
        "operation not permitted when a stream is capturing";
    STREAM_CAPTURE_UNMATCHED = 903, "CUDA_ERROR_STREAM_CAPTURE_UNMATCHED", "capture ended on another stream";
    UNKNOWN = 999, "CUDA_ERROR_UNKNOWN", "unknown error";
}

impl Code {
    /// A failure after which the context is lost: every later call that uses it gives the same code.
    pub fn loses_the_context(self) -> bool {
        matches!(
            self,
            Code::ECC_UNCORRECTABLE
                | Code::ILLEGAL_ADDRESS
                | Code::LAUNCH_TIMEOUT
                | Code::ASSERT
                | Code::HARDWARE_STACK_ERROR
                | Code::ILLEGAL_INSTRUCTION
                | Code::MISALIGNED_ADDRESS
                | Code::INVALID_ADDRESS_SPACE
                | Code::INVALID_PC
                | Code::LAUNCH_FAILED
        )
    }
}

/// The C string of a literal that ends in its only NUL.
fn terminated(text: &'static str) -> &'static CStr {
    CStr::from_bytes_with_nul(text.as_bytes()).expect("every literal above ends in its only NUL")
}
