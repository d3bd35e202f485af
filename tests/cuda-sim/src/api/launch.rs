//! Launches.

use std::ffi::c_void;

use super::abi::{Any, Handle, Parameters};
use crate::driver::{
    code::{Code, Result},
    launch::Extent,
    session::{Session, call},
};

fn launch(session: &mut Session, function: Handle, extent: Extent, stream: Handle, parameters: &Parameters) -> Result {
    let function = session.check_launch(function, &extent, stream)?;
    let packed = parameters.pack(&function)?;
    session.enqueue_launch(function, packed, &extent, stream)
}

#[unsafe(no_mangle)]
extern "C" fn cuLaunchKernel(
    function: Handle,
    grid_x: u32,
    grid_y: u32,
    grid_z: u32,
    block_x: u32,
    block_y: u32,
    block_z: u32,
    shared: u32,
    stream: Handle,
    pointers: *const *const c_void,
    extra: *const *mut c_void,
) -> u32 {
    call("cuLaunchKernel", |session| {
        let (grid, block) = ([grid_x, grid_y, grid_z], [block_x, block_y, block_z]);
        let extent = Extent { grid, block, shared: shared as usize, cooperative: false };
        launch(session, function, extent, stream, &Parameters { pointers, extra })
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuLaunchCooperativeKernel(
    function: Handle,
    grid_x: u32,
    grid_y: u32,
    grid_z: u32,
    block_x: u32,
    block_y: u32,
    block_z: u32,
    shared: u32,
    stream: Handle,
    pointers: *const *const c_void,
) -> u32 {
    call("cuLaunchCooperativeKernel", |session| {
        let (grid, block) = ([grid_x, grid_y, grid_z], [block_x, block_y, block_z]);
        let extent = Extent { grid, block, shared: shared as usize, cooperative: true };
        launch(session, function, extent, stream, &Parameters { pointers, extra: std::ptr::null() })
    })
}

/// A `CUlaunchConfig`.
#[derive(Clone, Copy)]
#[repr(C)]
struct Config {
    grid: [u32; 3],
    block: [u32; 3],
    shared: u32,
    stream: Handle,
    attributes: *const c_void,
    attribute_count: u32,
}

#[unsafe(no_mangle)]
extern "C" fn cuLaunchKernelEx(
    config: Any,
    function: Handle,
    pointers: *const *const c_void,
    extra: *const *mut c_void,
) -> u32 {
    call("cuLaunchKernelEx", |session| {
        let config: Config = config.get()?;
        if config.attribute_count > 0 && !config.attributes.is_null() {
            return Err(Code::NOT_SUPPORTED);
        }
        let Config { grid, block, shared, stream, .. } = config;
        let extent = Extent { grid, block, shared: shared as usize, cooperative: false };
        launch(session, function, extent, stream, &Parameters { pointers, extra })
    })
}
