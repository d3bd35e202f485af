//! Loaded code: from the text of kernels to functions that a stream can be given.
//!
//! A context keeps every module that it loaded, by the text. Modules are never unloaded: their functions are used for as
//! long as the program runs.

use std::collections::HashMap;
use std::ffi::CString;
use std::sync::{Arc, Mutex, PoisonError};

use super::compile::{Code, Compiler, Image, Refusal};
use super::context::Context;
use super::driver::{self, CUfunction, CUmodule, Failure, Status};
use super::version::{Capability, CudaVersion};
use crate::error::{Origin, Result};

/// Shared memory that a block may have without being asked for.
const USUAL_SHARED_BYTES: u32 = 48 << 10;

/// A kernel of a loaded module.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Function {
    pub(super) raw: CUfunction,
}

// SAFETY: a function is an address within a module that is never unloaded; the driver takes it on any thread.
unsafe impl Send for Function {}
// SAFETY: as above.
unsafe impl Sync for Function {}

/// The modules of a context.
pub(super) struct Modules {
    compiler: Compiler,
    /// By the text of the source.
    loaded: Mutex<HashMap<Arc<str>, Module>>,
}

struct Module {
    raw: CUmodule,
    functions: HashMap<Box<str>, Function>,
}

// SAFETY: a module is never unloaded, and the driver takes it on any thread.
unsafe impl Send for Module {}

impl Modules {
    /// # Errors
    /// Fails if there is no compiler for the device.
    pub fn of(capability: Capability, driver: CudaVersion) -> Result<Modules> {
        Ok(Modules { compiler: Compiler::for_device(capability, driver)?, loaded: Mutex::default() })
    }
}

impl Context {
    /// The kernel `entry` of the CUDA C text `source`, compiled and loaded when it is first asked for. `shared_bytes` is what
    /// its blocks will ask for.
    pub fn function(&'static self, source: &str, entry: &str, shared_bytes: u32, origin: Origin) -> Result<Function> {
        let modules = self.modules();
        // The map is whole between statements. It stays locked while a source is compiled, so that it is compiled once.
        let mut loaded = modules.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        if !loaded.contains_key(source) {
            let raw = modules.compiler.load(origin, source, |image| self.load(image, origin))?;
            loaded.insert(source.into(), Module { raw, functions: HashMap::new() });
        }
        let module = loaded.get_mut(source).expect("bug in tensor-rt: a module that was just loaded is gone");
        if let Some(function) = module.functions.get(entry) {
            return Ok(*function);
        }
        let function = self.find(module.raw, entry, shared_bytes).map_err(|failure| self.error(failure, origin))?;
        module.functions.insert(entry.into(), function);
        Ok(function)
    }

    fn load(&'static self, image: &Image, origin: Origin) -> Result<CUmodule, Refusal> {
        let load = || {
            self.bind()?;
            let text;
            let code = match &image.code {
                Code::Ptx(ptx) => {
                    text = CString::new(ptx.as_str()).expect("bug in tensor-rt: PTX with a zero in it");
                    text.as_ptr().cast()
                }
                Code::Cubin(bytes) => bytes.as_ptr().cast(),
            };
            let mut raw = std::ptr::null_mut();
            // SAFETY: the address of a local, and a text that ends in a zero, or machine code, which knows its length; the
            // driver reads them before it returns.
            unsafe { driver::load_module(&raw mut raw, code)? };
            Ok(raw)
        };
        load().map_err(|failure: Failure| match failure.status() {
            Some(Status::INVALID_PTX | Status::NO_BINARY_FOR_DEVICE | Status::UNSUPPORTED_PTX_VERSION) => Refusal::Form,
            _ => Refusal::Other(self.error(failure, origin)),
        })
    }

    fn find(&'static self, module: CUmodule, entry: &str, shared_bytes: u32) -> Result<Function, Failure> {
        /// The number of the attribute that allows more shared memory than usual.
        const MAX_DYNAMIC_SHARED_SIZE: u32 = 8;
        let name = CString::new(entry).expect("bug in tensor-rt: the name of a kernel has a zero in it");
        self.bind()?;
        let mut raw = std::ptr::null_mut();
        // SAFETY: the address of a local, a module that is loaded, and a text that ends in a zero.
        unsafe { driver::function(&raw mut raw, module, name.as_ptr())? };
        if shared_bytes > USUAL_SHARED_BYTES {
            // SAFETY: a function of a loaded module.
            unsafe { driver::set_function_attribute(raw, MAX_DYNAMIC_SHARED_SIZE, self.limits().shared as i32)? };
        }
        Ok(Function { raw })
    }
}
