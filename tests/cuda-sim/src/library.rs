//! Shared libraries of this process, found by `dlopen` and `dlsym`.

use std::{
    ffi::{CStr, CString, OsStr, c_char, c_int, c_void},
    os::unix::ffi::OsStrExt,
    path::Path,
    ptr,
};

const RTLD_NOW: c_int = 2;
const RTLD_NOLOAD: c_int = 4;

#[repr(C)]
struct Information {
    path: *const c_char,
    base: *mut c_void,
    symbol: *const c_char,
    address: *mut c_void,
}

// SAFETY: the signatures are those of POSIX and of glibc's `dladdr`.
unsafe extern "C" {
    fn dlopen(path: *const c_char, flags: c_int) -> *mut c_void;
    fn dlsym(library: *mut c_void, symbol: *const c_char) -> *mut c_void;
    fn dlerror() -> *const c_char;
    fn dladdr(address: *const c_void, information: *mut Information) -> c_int;
}

/// A shared library, loaded for the rest of the process.
#[derive(Clone, Copy)]
pub(crate) struct Library(*mut c_void);

// SAFETY: the handle is never closed, and `dlsym` may be called from any thread.
unsafe impl Send for Library {}
// SAFETY: as above.
unsafe impl Sync for Library {}

impl Library {
    /// Loads the library in a file.
    ///
    /// # Safety
    /// Its initialization runs here; it must be one that may.
    pub(crate) unsafe fn open(path: &Path) -> Result<Self, String> {
        let text = CString::new(path.as_os_str().as_bytes()).map_err(|_| "its path has a zero byte".to_owned())?;
        // SAFETY: the path is terminated; the caller answers for the library's initialization.
        let handle = unsafe { dlopen(text.as_ptr(), RTLD_NOW) };
        if !handle.is_null() {
            return Ok(Self(handle));
        }
        // SAFETY: after a failure, `dlerror` gives a terminated text, valid until the next call on this thread.
        Err(unsafe { CStr::from_ptr(dlerror()) }.to_string_lossy().into_owned())
    }

    /// The address of a symbol.
    pub(crate) fn symbol(self, name: &CStr) -> Option<*mut c_void> {
        // SAFETY: the handle is of a loaded library, the name terminated.
        let address = unsafe { dlsym(self.0, name.as_ptr()) };
        (!address.is_null()).then_some(address)
    }

    /// The file that a symbol's code was loaded from.
    pub(crate) fn file_of(address: *mut c_void) -> Option<std::path::PathBuf> {
        let mut found =
            Information { path: ptr::null(), base: ptr::null_mut(), symbol: ptr::null(), address: ptr::null_mut() };
        // SAFETY: any address may be asked for; the structure is the one that `dladdr` fills.
        if unsafe { dladdr(address, &mut found) } == 0 || found.path.is_null() {
            return None;
        }
        // SAFETY: `dladdr` succeeded, and its path is terminated and lives as long as the library.
        let path = unsafe { CStr::from_ptr(found.path) };
        Some(OsStr::from_bytes(path.to_bytes()).into())
    }
}

/// A symbol of the library that this code is in.
pub(crate) fn own_symbol(name: &CStr) -> Option<*mut c_void> {
    let path = Library::file_of(own_symbol as *mut c_void)?;
    let path = CString::new(path.as_os_str().as_bytes()).ok()?;
    // SAFETY: the path is terminated, and nothing is loaded: the library is there already.
    let handle = unsafe { dlopen(path.as_ptr(), RTLD_NOW | RTLD_NOLOAD) };
    if handle.is_null() { None } else { Library(handle).symbol(name) }
}
