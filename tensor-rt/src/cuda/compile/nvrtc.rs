//! NVRTC through its C interface: the only unsafe code of the compiler's side.
//!
//! The library is loaded by path and its functions are looked up by name, so that a machine without CUDA builds and runs
//! the program, and a missing or foreign library is a reason in text, never a panic.
//!
//! Invariants: a loaded library is never unloaded (it keeps threads and tables of its own), so its functions may be called
//! at any time, from any thread; it compiles for at least one capability; a [`Program`] belongs to the library that made it.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};
use std::ptr;

use libloading::Library;

use crate::cuda::version::{Capability, CudaVersion};

/// A program being compiled, as NVRTC hands it out.
type RawProgram = *mut c_void;
/// 0 is success. A plain number, because a newer library may give one that no list has.
type Status = c_int;

/// Declares the table of functions and how it is filled.
macro_rules! functions {
    ($($field:ident: $symbol:literal, fn($($argument:ty),*) -> $result:ty;)*) => {
        struct Functions {
            $($field: unsafe extern "C" fn($($argument),*) -> $result,)*
        }

        impl Functions {
            fn of(library: &Library) -> Result<Functions, libloading::Error> {
                Ok(Functions {
                    // SAFETY: `nvrtc.h` declares the function with this type, unchanged since the first version that
                    // has it.
                    $($field: *unsafe { library.get($symbol) }?,)*
                })
            }
        }
    };
}

functions! {
    error_string: "nvrtcGetErrorString", fn(Status) -> *const c_char;
    version: "nvrtcVersion", fn(*mut c_int, *mut c_int) -> Status;
    arch_count: "nvrtcGetNumSupportedArchs", fn(*mut c_int) -> Status;
    archs: "nvrtcGetSupportedArchs", fn(*mut c_int) -> Status;
    create: "nvrtcCreateProgram",
        fn(*mut RawProgram, *const c_char, *const c_char, c_int, *const *const c_char, *const *const c_char) -> Status;
    destroy: "nvrtcDestroyProgram", fn(*mut RawProgram) -> Status;
    compile: "nvrtcCompileProgram", fn(RawProgram, c_int, *const *const c_char) -> Status;
    log_size: "nvrtcGetProgramLogSize", fn(RawProgram, *mut usize) -> Status;
    log: "nvrtcGetProgramLog", fn(RawProgram, *mut c_char) -> Status;
    ptx_size: "nvrtcGetPTXSize", fn(RawProgram, *mut usize) -> Status;
    ptx: "nvrtcGetPTX", fn(RawProgram, *mut c_char) -> Status;
    cubin_size: "nvrtcGetCUBINSize", fn(RawProgram, *mut usize) -> Status;
    cubin: "nvrtcGetCUBIN", fn(RawProgram, *mut c_char) -> Status;
}

/// Writes the size of what a program has, or the bytes themselves.
type SizeOf = unsafe extern "C" fn(RawProgram, *mut usize) -> Status;
type BytesOf = unsafe extern "C" fn(RawProgram, *mut c_char) -> Status;

/// A loaded NVRTC.
pub(super) struct Nvrtc {
    path: PathBuf,
    version: CudaVersion,
    archs: Vec<Capability>,
    functions: Functions,
}

/// What is compiled.
pub(super) struct Unit<'a> {
    /// What messages call the source.
    pub(super) name: String,
    /// The text, in CUDA C++.
    pub(super) source: &'a str,
    /// The options, one each.
    pub(super) options: Vec<String>,
}

impl Unit<'_> {
    fn c_strings(&self) -> Option<(CString, CString, Vec<CString>)> {
        let options = self.options.iter().map(|option| CString::new(option.as_str()).ok()).collect::<Option<_>>()?;
        Some((CString::new(self.name.as_str()).ok()?, CString::new(self.source).ok()?, options))
    }
}

/// What a compilation gave: code, or nothing, and what the compiler said.
pub(super) struct Outcome {
    /// The code, if the source was accepted.
    pub(super) code: Option<Vec<u8>>,
    /// Errors and warnings.
    pub(super) log: String,
}

impl Nvrtc {
    /// Loads the library in the file `path`, or the one that the system knows by that name.
    ///
    /// # Errors
    /// Says in words why it cannot be used.
    pub(super) fn load(path: &Path) -> Result<Nvrtc, String> {
        // SAFETY: the library's initialisers set up its own tables and ask nothing of the program. That the file is an
        // NVRTC is what its name says and what the look-up of its functions confirms.
        let library = unsafe { Library::new(path) }.map_err(|error| reason(&error))?;
        let library = ManuallyDrop::new(library);
        let functions = Functions::of(&library).map_err(|error| reason(&error))?;
        let version = functions.version().map_err(|status| functions.reason(status))?;
        let archs = functions.archs().map_err(|status| functions.reason(status))?;
        if archs.is_empty() {
            return Err("it compiles for no device".to_owned());
        }
        Ok(Nvrtc { path: path.to_owned(), version, archs, functions })
    }

    /// The release of CUDA that it belongs to.
    pub(super) fn version(&self) -> CudaVersion {
        self.version
    }

    /// The capabilities that it compiles for, rising.
    pub(super) fn archs(&self) -> &[Capability] {
        &self.archs
    }

    /// Tells compilers apart. Patch releases state one version; they differ in size.
    pub(super) fn identity(&self) -> String {
        let bytes = self.path.metadata().map_or(0, |file| file.len());
        format!("{} of {bytes} bytes", self.version)
    }

    /// Compiles to PTX.
    pub(super) fn ptx(&self, unit: &Unit<'_>) -> Outcome {
        self.compile(unit, self.functions.ptx_size, self.functions.ptx)
    }

    /// Compiles to machine code.
    pub(super) fn cubin(&self, unit: &Unit<'_>) -> Outcome {
        self.compile(unit, self.functions.cubin_size, self.functions.cubin)
    }

    fn compile(&self, unit: &Unit<'_>, size: SizeOf, bytes: BytesOf) -> Outcome {
        let functions = &self.functions;
        let refused = |status| Outcome { code: None, log: functions.reason(status) };
        let Some((name, source, options)) = unit.c_strings() else {
            return Outcome { code: None, log: "the source, its name or an option holds a NUL byte".to_owned() };
        };
        let program = match Program::new(functions, &name, &source) {
            Ok(program) => program,
            Err(status) => return refused(status),
        };
        let status = program.compile(&options);
        let mut log = program.log();
        if status != 0 {
            if log.is_empty() {
                log = functions.reason(status);
            }
            return Outcome { code: None, log };
        }
        match program.read(size, bytes) {
            Ok(code) => Outcome { code: Some(code), log },
            Err(status) => refused(status),
        }
    }
}

impl Functions {
    fn version(&self) -> Result<CudaVersion, Status> {
        let (mut major, mut minor) = (0, 0);
        // SAFETY: both pointers are to integers of this frame, which the call only writes.
        check(unsafe { (self.version)(&mut major, &mut minor) })?;
        Ok(CudaVersion { major: major.max(0).unsigned_abs(), minor: minor.max(0).unsigned_abs() })
    }

    fn archs(&self) -> Result<Vec<Capability>, Status> {
        let mut count = 0;
        // SAFETY: the pointer is to an integer of this frame, which the call only writes.
        check(unsafe { (self.arch_count)(&mut count) })?;
        let mut numbers: Vec<c_int> = vec![0; usize::try_from(count).unwrap_or(0)];
        // SAFETY: the call writes as many integers as the one above has counted, and `numbers` has that length.
        check(unsafe { (self.archs)(numbers.as_mut_ptr()) })?;
        let mut archs: Vec<_> = numbers.iter().map(|number| Capability::of_number(number.unsigned_abs())).collect();
        archs.sort_unstable();
        Ok(archs)
    }

    /// What the library calls a status.
    fn reason(&self, status: Status) -> String {
        // SAFETY: the call takes any number, and gives null or a string that lives as long as the library.
        let text = unsafe { (self.error_string)(status) };
        if text.is_null() {
            return format!("NVRTC status {status}");
        }
        // SAFETY: not null (checked above), and then a string with an end, in the library's constants.
        let text = unsafe { CStr::from_ptr(text) };
        text.to_string_lossy().into_owned()
    }
}

/// A program of one library, destroyed on drop.
///
/// Invariant: `raw` came from `functions.create` and has not been destroyed.
struct Program<'lib> {
    functions: &'lib Functions,
    raw: RawProgram,
}

impl<'lib> Program<'lib> {
    fn new(functions: &'lib Functions, name: &CStr, source: &CStr) -> Result<Program<'lib>, Status> {
        let mut raw = ptr::null_mut();
        // SAFETY: `raw` is a variable of this frame; both strings end and outlive the call, which copies them; there are
        // no headers, for which null is allowed.
        let status =
            unsafe { (functions.create)(&mut raw, source.as_ptr(), name.as_ptr(), 0, ptr::null(), ptr::null()) };
        check(status)?;
        Ok(Program { functions, raw })
    }

    fn compile(&self, options: &[CString]) -> Status {
        let options: Vec<_> = options.iter().map(|option| option.as_ptr()).collect();
        let count = c_int::try_from(options.len()).expect("bug: more options than an `int` counts");
        // SAFETY: `raw` is a program (invariant), and `options` holds `count` strings that end and outlive the call.
        unsafe { (self.functions.compile)(self.raw, count, options.as_ptr()) }
    }

    /// What the compiler said; empty if that cannot be read either.
    fn log(&self) -> String {
        let bytes = self.read(self.functions.log_size, self.functions.log).unwrap_or_default();
        text(bytes).trim_end().to_owned()
    }

    /// What a pair of functions says that the program has.
    fn read(&self, size: SizeOf, bytes: BytesOf) -> Result<Vec<u8>, Status> {
        let mut len = 0;
        // SAFETY: `raw` is a program (invariant); the pointer is to a variable of this frame, which the call only writes.
        check(unsafe { size(self.raw, &mut len) })?;
        let mut buffer = vec![0_u8; len];
        // SAFETY: `raw` is a program (invariant); the call writes the `len` bytes that its twin has announced, and
        // `buffer` has them.
        check(unsafe { bytes(self.raw, buffer.as_mut_ptr().cast()) })?;
        Ok(buffer)
    }
}

impl Drop for Program<'_> {
    fn drop(&mut self) {
        // SAFETY: `raw` is a program that has not been destroyed (invariant), and nobody uses it after this. The status
        // tells only whether that was so.
        let _ = unsafe { (self.functions.destroy)(&mut self.raw) };
    }
}

/// What NVRTC writes as a string: the bytes before the final NUL.
pub(super) fn text(mut bytes: Vec<u8>) -> String {
    while bytes.last() == Some(&0) {
        bytes.pop();
    }
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

fn check(status: Status) -> Result<(), Status> {
    if status == 0 { Ok(()) } else { Err(status) }
}

/// The loader's sentence, which `libloading` keeps as the source of its own.
fn reason(error: &libloading::Error) -> String {
    std::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string)
}
