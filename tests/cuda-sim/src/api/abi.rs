//! What the C interface passes: pointers, each with the promise that comes with it.
//!
//! Values of these types are made only by C callers (and `transmute`, so to speak: through the exported functions), who
//! promise what the documentation of CUDA asks: a pointer is null or valid for what its function does with it, for as
//! long as the call lasts. Every SAFETY comment here rests on that. A null pointer is `CUDA_ERROR_INVALID_VALUE`.

use std::{
    ffi::{CStr, c_char, c_void},
    slice,
};

use crate::{
    driver::{
        code::{Code, Result},
        copy::Address,
        module::Image,
    },
    module::Function,
};

/// Where a function puts a value.
#[repr(transparent)]
pub(super) struct Out<T>(*mut T);

impl<T> Out<T> {
    pub(super) fn set(self, value: T) -> Result {
        if self.0.is_null() {
            return Err(Code::INVALID_VALUE);
        }
        // SAFETY: valid for writes, by the promise above; unaligned, since C callers pass fields of packed structs.
        unsafe { self.0.write_unaligned(value) };
        Ok(())
    }

    /// Sets it, if the caller wants the value.
    pub(super) fn set_if_wanted(self, value: T) {
        // A null pointer says that it is not wanted.
        let _ = self.set(value);
    }
}

/// Where a function reads a value, or puts one of a type that another parameter says.
#[repr(transparent)]
pub(super) struct Any(*mut c_void);

impl Any {
    pub(super) fn get<T: Copy>(&self) -> Result<T> {
        if self.0.is_null() {
            return Err(Code::INVALID_VALUE);
        }
        // SAFETY: valid for reads of the type that the other parameter says, by the promise above.
        Ok(unsafe { self.0.cast::<T>().read_unaligned() })
    }

    pub(super) fn set<T>(self, value: T) -> Result {
        Out(self.0.cast::<T>()).set(value)
    }
}

/// A text of the caller.
#[repr(transparent)]
pub(super) struct Text(*const c_char);

impl Text {
    pub(super) fn get(&self) -> Result<&str> {
        if self.0.is_null() {
            return Err(Code::INVALID_VALUE);
        }
        // SAFETY: terminated, by the promise above.
        unsafe { CStr::from_ptr(self.0) }.to_str().map_err(|_| Code::INVALID_VALUE)
    }
}

/// A buffer for a text.
#[repr(transparent)]
pub(super) struct Buffer(*mut c_char);

impl Buffer {
    /// Writes as much of a text as `length` bytes hold, terminated.
    pub(super) fn set(self, length: usize, text: &str) -> Result {
        let Some(room) = length.checked_sub(1).filter(|_| !self.0.is_null()) else { return Err(Code::INVALID_VALUE) };
        let bytes = &text.as_bytes()[..text.len().min(room)];
        // SAFETY: valid for `length` bytes, by the promise above; no more than `length - 1` and the terminator go there.
        unsafe {
            self.0.cast::<u8>().copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
            self.0.add(bytes.len()).write(0);
        }
        Ok(())
    }
}

/// Host memory of the caller.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(super) struct Host(*mut c_void);

impl Host {
    pub(super) fn address(self) -> Address {
        Address::Host(self.0.cast())
    }

    pub(super) fn number(self) -> u64 {
        self.0 as u64
    }

    pub(super) fn pointer(self) -> *mut u8 {
        self.0.cast()
    }
}

/// The image of a module: PTX text, or an ELF file.
#[repr(transparent)]
pub(super) struct ImagePointer(*const c_void);

impl ImagePointer {
    pub(super) fn get(&self) -> Result<Image<'_>> {
        if self.0.is_null() {
            return Err(Code::INVALID_VALUE);
        }
        // SAFETY: an image is a terminated text or begins with four bytes that say what it is; either has four bytes,
        // unless the text is shorter: then its terminator ends the comparison.
        let begins = |magic: [u8; 4]| (0..4).all(|at| unsafe { self.0.cast::<u8>().add(at).read() } == magic[at]);
        const FAT_BINARY: [u8; 4] = 0xBA55_ED50_u32.to_le_bytes();
        if begins(*b"\x7fELF") || begins(FAT_BINARY) {
            return Ok(Image::Binary);
        }
        // SAFETY: any other image is a terminated text.
        let text = unsafe { CStr::from_ptr(self.0.cast()) };
        text.to_str().map(Image::Text).map_err(|_| Code::INVALID_IMAGE)
    }
}

/// The options of `cuModuleLoadDataEx`.
pub(super) struct JitOptions {
    pub(super) count: u32,
    pub(super) names: *const u32,
    pub(super) values: *const *mut c_void,
}

impl JitOptions {
    /// Writes a text to the log for errors, if the caller has given one.
    pub(super) fn log_error(&self, text: &str) {
        const ERROR_LOG: u32 = 5;
        const ERROR_LOG_BYTES: u32 = 6;
        if self.names.is_null() || self.values.is_null() {
            return;
        }
        // SAFETY: both arrays have `count` elements, by the promise above.
        let (names, values) = unsafe {
            let count = self.count as usize;
            (slice::from_raw_parts(self.names, count), slice::from_raw_parts(self.values, count))
        };
        let value = |wanted| names.iter().position(|name| *name == wanted).map(|at| values[at]);
        if let (Some(buffer), Some(bytes)) = (value(ERROR_LOG), value(ERROR_LOG_BYTES)) {
            // A buffer of no bytes takes no text.
            let _ = Buffer(buffer.cast()).set(bytes as usize, text);
        }
    }
}

/// The values of a launch's parameters: an array of pointers to them, or the `extra` way of one packed buffer.
pub(super) struct Parameters {
    pub(super) pointers: *const *const c_void,
    pub(super) extra: *const *mut c_void,
}

impl Parameters {
    /// Copies the values to the places where the function expects them.
    pub(super) fn pack(&self, function: &Function) -> Result<Vec<u8>> {
        let mut packed = vec![0; function.parameter_bytes()];
        if function.parameters().is_empty() {
            return Ok(packed);
        }
        if self.pointers.is_null() {
            return self.unpack_extra(packed);
        }
        for (index, parameter) in function.parameters().iter().enumerate() {
            // SAFETY: the array has one pointer for each parameter of the function, by the promise above.
            let value = unsafe { self.pointers.add(index).read() };
            if value.is_null() {
                return Err(Code::INVALID_VALUE);
            }
            let target = &mut packed[parameter.offset..][..parameter.bytes];
            // SAFETY: it points to a value of the parameter's size, by the same promise.
            unsafe { target.as_mut_ptr().copy_from_nonoverlapping(value.cast(), parameter.bytes) };
        }
        Ok(packed)
    }

    fn unpack_extra(&self, mut packed: Vec<u8>) -> Result<Vec<u8>> {
        // `CU_LAUNCH_PARAM_END`, `_BUFFER_POINTER`, `_BUFFER_SIZE`.
        let (mut buffer, mut bytes) = (None, None);
        let mut at = self.extra;
        if at.is_null() {
            return Err(Code::INVALID_VALUE);
        }
        loop {
            // SAFETY: the list goes on up to its end mark, by the promise above.
            let mark = unsafe { at.read() } as usize;
            if mark == 0 {
                break;
            }
            // SAFETY: a mark that is not the end is followed by its value.
            let value = unsafe { at.add(1).read() };
            match mark {
                1 => buffer = Some(value.cast::<u8>()),
                // SAFETY: this mark's value points to a size.
                2 => bytes = Some(unsafe { value.cast::<usize>().read() }),
                _ => return Err(Code::INVALID_VALUE),
            }
            // SAFETY: the list goes on after a mark and its value.
            at = unsafe { at.add(2) };
        }
        let (Some(buffer), Some(bytes)) = (buffer, bytes) else { return Err(Code::INVALID_VALUE) };
        if bytes < packed.len() {
            return Err(Code::INVALID_VALUE);
        }
        // SAFETY: the buffer has `bytes` bytes, by the promise above, and no more are read.
        unsafe { packed.as_mut_ptr().copy_from_nonoverlapping(buffer, packed.len()) };
        Ok(packed)
    }
}

/// A visitor of texts: called once for each, with a number and the bytes of a text.
pub(super) struct Visitor {
    pub(super) visit: Option<unsafe extern "C" fn(*mut c_void, i64, *const u8, usize)>,
    pub(super) data: *mut c_void,
}

impl Visitor {
    pub(super) fn visit(&self, number: i64, text: &str) {
        if let Some(visit) = self.visit {
            // SAFETY: the caller of the control function gave `visit` together with the data that it wants.
            unsafe { visit(self.data, number, text.as_ptr(), text.len()) };
        }
    }
}

/// The pointer of a handle, as the API shows it.
pub(super) type Handle = u64;
