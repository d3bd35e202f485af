//! Contexts.

use std::ffi::c_void;

use super::abi::{Handle, Out};
use crate::driver::{
    code::Code,
    context::{current, pop_current, push_current, set_current},
    session::{Session, call},
};

#[unsafe(no_mangle)]
extern "C" fn cuDevicePrimaryCtxRetain(context: Out<Handle>, device: i32) -> u32 {
    call("cuDevicePrimaryCtxRetain", |session| {
        let device = session.device(device)?;
        context.set(session.retain_primary(device)?)
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuDevicePrimaryCtxRelease_v2(device: i32) -> u32 {
    call("cuDevicePrimaryCtxRelease_v2", |session| {
        let device = session.device(device)?;
        session.release_primary(device)
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuDevicePrimaryCtxReset_v2(device: i32) -> u32 {
    call("cuDevicePrimaryCtxReset_v2", |session| {
        let device = session.device(device)?;
        match session.devices[device as usize].primary.take() {
            Some((handle, _)) => session.destroy_context(handle),
            None => Ok(()),
        }
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuDevicePrimaryCtxGetState(device: i32, flags: Out<u32>, active: Out<i32>) -> u32 {
    call("cuDevicePrimaryCtxGetState", |session| {
        let device = session.device(device)?;
        let state = &session.devices[device as usize];
        flags.set(state.primary_flags)?;
        active.set(state.primary.is_some() as i32)
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuDevicePrimaryCtxSetFlags_v2(device: i32, flags: u32) -> u32 {
    call("cuDevicePrimaryCtxSetFlags_v2", |session| {
        let device = session.device(device)?;
        session.devices[device as usize].primary_flags = flags;
        Ok(())
    })
}

/// Makes a context of the program's own, and makes it current.
fn create(session: &mut Session, context: Out<Handle>, flags: u32, device: i32) -> Result<(), Code> {
    let device = session.device(device)?;
    let handle = session.create_context(device, flags);
    push_current(handle);
    context.set(handle)
}

#[unsafe(no_mangle)]
extern "C" fn cuCtxCreate_v2(context: Out<Handle>, flags: u32, device: i32) -> u32 {
    call("cuCtxCreate_v2", |session| create(session, context, flags, device))
}

#[unsafe(no_mangle)]
extern "C" fn cuCtxCreate_v3(context: Out<Handle>, affinity: *mut c_void, count: i32, flags: u32, device: i32) -> u32 {
    call("cuCtxCreate_v3", |session| {
        if count != 0 || !affinity.is_null() {
            return Err(Code::NOT_SUPPORTED);
        }
        create(session, context, flags, device)
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuCtxCreate_v4(context: Out<Handle>, parameters: *mut c_void, flags: u32, device: i32) -> u32 {
    call("cuCtxCreate_v4", |session| {
        if !parameters.is_null() {
            return Err(Code::NOT_SUPPORTED);
        }
        create(session, context, flags, device)
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuCtxDestroy_v2(context: Handle) -> u32 {
    call("cuCtxDestroy_v2", |session| {
        if session.devices.iter().any(|device| device.primary.is_some_and(|(primary, _)| primary == context)) {
            return Err(Code::INVALID_CONTEXT);
        }
        session.destroy_context(context)
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuCtxGetCurrent(context: Out<Handle>) -> u32 {
    call("cuCtxGetCurrent", |session| {
        if !session.initialized {
            return Err(Code::NOT_INITIALIZED);
        }
        context.set(current())
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuCtxSetCurrent(context: Handle) -> u32 {
    call("cuCtxSetCurrent", |session| {
        if context != 0 {
            session.contexts.get(context).map_err(|_| Code::INVALID_CONTEXT)?;
        }
        set_current(context);
        Ok(())
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuCtxPushCurrent_v2(context: Handle) -> u32 {
    call("cuCtxPushCurrent_v2", |session| {
        session.contexts.get(context).map_err(|_| Code::INVALID_CONTEXT)?;
        push_current(context);
        Ok(())
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuCtxPopCurrent_v2(context: Out<Handle>) -> u32 {
    call("cuCtxPopCurrent_v2", |_| {
        let popped = pop_current().ok_or(Code::INVALID_CONTEXT)?;
        context.set_if_wanted(popped);
        Ok(())
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuCtxGetDevice(device: Out<i32>) -> u32 {
    call("cuCtxGetDevice", |session| device.set(session.current_device()? as i32))
}

#[unsafe(no_mangle)]
extern "C" fn cuCtxGetFlags(flags: Out<u32>) -> u32 {
    call("cuCtxGetFlags", |session| flags.set(session.working(session.current_context()?)?.flags))
}

#[unsafe(no_mangle)]
extern "C" fn cuCtxSetFlags(flags: u32) -> u32 {
    call("cuCtxSetFlags", |session| {
        let context = session.current_context()?;
        session.contexts.get_mut(context)?.flags = flags;
        Ok(())
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuCtxSynchronize() -> u32 {
    call("cuCtxSynchronize", |session| {
        let context = session.current_context()?;
        session.finish_context(context);
        session.settle_pools();
        session.working(context).map(|_| ())
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuCtxGetLimit(value: Out<usize>, limit: u32) -> u32 {
    call("cuCtxGetLimit", |session| {
        let context = session.current_context()?;
        let found = session.working(context)?.limits.get(&limit).copied();
        value.set(found.ok_or(Code::UNSUPPORTED_LIMIT)?)
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuCtxSetLimit(limit: u32, value: usize) -> u32 {
    call("cuCtxSetLimit", |session| {
        let context = session.current_context()?;
        let limits = &mut session.contexts.get_mut(context)?.limits;
        *limits.get_mut(&limit).ok_or(Code::UNSUPPORTED_LIMIT)? = value;
        Ok(())
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuCtxGetCacheConfig(config: Out<u32>) -> u32 {
    call("cuCtxGetCacheConfig", |session| config.set(session.working(session.current_context()?)?.cache_config))
}

#[unsafe(no_mangle)]
extern "C" fn cuCtxSetCacheConfig(config: u32) -> u32 {
    call("cuCtxSetCacheConfig", |session| {
        let context = session.current_context()?;
        session.contexts.get_mut(context)?.cache_config = config;
        Ok(())
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuCtxEnablePeerAccess(peer: Handle, flags: u32) -> u32 {
    call("cuCtxEnablePeerAccess", |session| {
        let context = session.current_context()?;
        let (device, owner) = (session.current_device()?, session.working(peer)?.device);
        if flags != 0 || !session.can_access_peer(device, owner) {
            return Err(Code::INVALID_DEVICE);
        }
        if !session.contexts.get_mut(context)?.peers.insert(peer) {
            return Err(Code::PEER_ACCESS_ALREADY_ENABLED);
        }
        session.memory.allow_peer(device, owner);
        Ok(())
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuCtxDisablePeerAccess(peer: Handle) -> u32 {
    call("cuCtxDisablePeerAccess", |session| {
        let context = session.current_context()?;
        let (device, owner) = (session.current_device()?, session.working(peer)?.device);
        if !session.contexts.get_mut(context)?.peers.remove(&peer) {
            return Err(Code::PEER_ACCESS_NOT_ENABLED);
        }
        session.memory.forbid_peer(device, owner);
        Ok(())
    })
}
