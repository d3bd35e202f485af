//! Modules and functions.

use std::ffi::{CString, c_void};

use super::abi::{Handle, ImagePointer, JitOptions, Out, Text};
use crate::driver::{
    code::{Code, Result},
    module::Image,
    session::{Session, call},
};

fn load(session: &mut Session, module: Out<Handle>, image: &Image<'_>, options: Option<JitOptions>) -> Result {
    match session.load_module(image) {
        Ok(handle) => module.set(handle),
        Err((code, text)) => {
            if let Some(options) = options {
                options.log_error(&text);
            }
            Err(code)
        }
    }
}

#[unsafe(no_mangle)]
extern "C" fn cuModuleLoadData(module: Out<Handle>, image: ImagePointer) -> u32 {
    call("cuModuleLoadData", |session| load(session, module, &image.get()?, None))
}

#[unsafe(no_mangle)]
extern "C" fn cuModuleLoadDataEx(
    module: Out<Handle>,
    image: ImagePointer,
    count: u32,
    names: *const u32,
    values: *const *mut c_void,
) -> u32 {
    call("cuModuleLoadDataEx", |session| {
        load(session, module, &image.get()?, Some(JitOptions { count, names, values }))
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuModuleLoad(module: Out<Handle>, path: Text) -> u32 {
    call("cuModuleLoad", |session| {
        let bytes = std::fs::read(path.get()?).map_err(|_| Code::FILE_NOT_FOUND)?;
        // A text need not be terminated in its file; whatever is no text is taken for machine code.
        match std::str::from_utf8(&bytes) {
            Ok(text) if !bytes.starts_with(b"\x7fELF") => {
                load(session, module, &Image::Text(text.trim_end_matches('\0')), None)
            }
            _ => load(session, module, &Image::Binary, None),
        }
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuModuleUnload(module: Handle) -> u32 {
    call("cuModuleUnload", |session| session.unload_module(module))
}

#[unsafe(no_mangle)]
extern "C" fn cuModuleGetFunction(function: Out<Handle>, module: Handle, name: Text) -> u32 {
    call("cuModuleGetFunction", |session| function.set(session.module_function(module, name.get()?)?))
}

#[unsafe(no_mangle)]
extern "C" fn cuModuleGetGlobal_v2(address: Out<u64>, bytes: Out<usize>, module: Handle, name: Text) -> u32 {
    call("cuModuleGetGlobal_v2", |session| {
        let (start, size) = session.module_global(module, name.get()?)?;
        address.set_if_wanted(start);
        bytes.set_if_wanted(size);
        Ok(())
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuModuleGetLoadingMode(mode: Out<u32>) -> u32 {
    // `CU_MODULE_EAGER_LOADING`.
    call("cuModuleGetLoadingMode", |_| mode.set(1))
}

#[unsafe(no_mangle)]
extern "C" fn cuFuncGetAttribute(value: Out<i32>, attribute: u32, function: Handle) -> u32 {
    call("cuFuncGetAttribute", |session| value.set(session.function_attribute(function, attribute)?))
}

#[unsafe(no_mangle)]
extern "C" fn cuFuncSetAttribute(function: Handle, attribute: u32, value: i32) -> u32 {
    call("cuFuncSetAttribute", |session| session.set_function_attribute(function, attribute, value))
}

/// Accepted, and without effect: there are no caches here.
#[unsafe(no_mangle)]
extern "C" fn cuFuncSetCacheConfig(function: Handle, _config: u32) -> u32 {
    call("cuFuncSetCacheConfig", |session| session.functions.get(function).map(|_| ()))
}

#[unsafe(no_mangle)]
extern "C" fn cuFuncGetModule(module: Out<Handle>, function: Handle) -> u32 {
    call("cuFuncGetModule", |session| module.set(session.functions.get(function)?.module))
}

#[unsafe(no_mangle)]
extern "C" fn cuFuncGetName(name: Out<*const i8>, function: Handle) -> u32 {
    call("cuFuncGetName", |session| {
        let text = session.functions.get(function)?.function.name().to_owned();
        // Lives as long as the process, since the caller never gives it back.
        let text = CString::new(text).map_err(|_| Code::UNKNOWN)?.into_raw();
        name.set(text.cast_const().cast())
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuFuncGetParamInfo(function: Handle, index: usize, offset: Out<usize>, bytes: Out<usize>) -> u32 {
    call("cuFuncGetParamInfo", |session| {
        let loaded = session.functions.get(function)?;
        let parameter = *loaded.function.parameters().get(index).ok_or(Code::INVALID_VALUE)?;
        offset.set(parameter.offset)?;
        bytes.set_if_wanted(parameter.bytes);
        Ok(())
    })
}
