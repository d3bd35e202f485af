//! Names: of errors, and of the functions themselves.

use std::ffi::{CString, c_char, c_void};

use super::abi::{Out, Text};
use crate::{
    driver::{
        code::{Code, Result},
        session::call,
    },
    library,
};

#[unsafe(no_mangle)]
extern "C" fn cuGetErrorName(code: u32, name: Out<*const c_char>) -> u32 {
    call("cuGetErrorName", |_| match Code(code).name() {
        Some(text) => name.set(text.as_ptr()),
        None => Err(Code::INVALID_VALUE),
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuGetErrorString(code: u32, sentence: Out<*const c_char>) -> u32 {
    call("cuGetErrorString", |_| match Code(code).sentence() {
        Some(text) => sentence.set(text.as_ptr()),
        None => Err(Code::INVALID_VALUE),
    })
}

/// The exported function that a name without version stands for: the second version, where there is one.
fn find(name: &Text) -> Result<Option<*mut c_void>> {
    let name = name.get()?;
    let candidates = [format!("{name}_v2"), name.to_owned()];
    let names = candidates.into_iter().filter_map(|name| CString::new(name).ok());
    Ok(names.into_iter().find_map(|name| library::own_symbol(&name)))
}

#[unsafe(no_mangle)]
extern "C" fn cuGetProcAddress(symbol: Text, function: Out<*mut c_void>, _version: i32, _flags: u64) -> u32 {
    call("cuGetProcAddress", |_| function.set(find(&symbol)?.ok_or(Code::NOT_FOUND)?))
}

#[unsafe(no_mangle)]
extern "C" fn cuGetProcAddress_v2(
    symbol: Text,
    function: Out<*mut c_void>,
    _version: i32,
    _flags: u64,
    status: Out<u32>,
) -> u32 {
    call("cuGetProcAddress_v2", |_| {
        let found = find(&symbol)?;
        // `CU_GET_PROC_ADDRESS_SUCCESS`, `_SYMBOL_NOT_FOUND`.
        status.set_if_wanted(if found.is_some() { 0 } else { 1 });
        function.set(found.unwrap_or(std::ptr::null_mut()))?;
        found.map(|_| ()).ok_or(Code::NOT_FOUND)
    })
}

/// NVRTC looks for tables of undocumented functions, and does without when there are none.
#[unsafe(no_mangle)]
extern "C" fn cuGetExportTable(_table: Out<*const c_void>, _id: *const c_void) -> u32 {
    call("cuGetExportTable", |_| Err(Code::NOT_FOUND))
}
