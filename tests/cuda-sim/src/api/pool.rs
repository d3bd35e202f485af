//! Memory pools.

use super::abi::{Any, Handle, Out};
use crate::driver::{
    code::{Code, Result},
    pool::Pool,
    session::{Session, call},
};

/// The first fields of a `CUmemPoolProps`.
#[derive(Clone, Copy)]
#[repr(C)]
struct Properties {
    allocation_type: u32,
    handle_types: u32,
    location_type: u32,
    location: i32,
    security: usize,
    max_size: usize,
}

#[unsafe(no_mangle)]
extern "C" fn cuDeviceGetDefaultMemPool(pool: Out<Handle>, device: i32) -> u32 {
    call("cuDeviceGetDefaultMemPool", |session| {
        pool.set(session.devices[session.device(device)? as usize].default_pool)
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuDeviceGetMemPool(pool: Out<Handle>, device: i32) -> u32 {
    call("cuDeviceGetMemPool", |session| pool.set(session.devices[session.device(device)? as usize].current_pool))
}

#[unsafe(no_mangle)]
extern "C" fn cuDeviceSetMemPool(device: i32, pool: Handle) -> u32 {
    call("cuDeviceSetMemPool", |session| {
        let device = session.device(device)?;
        if session.pools.get(pool).map_err(|_| Code::INVALID_VALUE)?.device != device {
            return Err(Code::INVALID_VALUE);
        }
        session.devices[device as usize].current_pool = pool;
        Ok(())
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuMemPoolCreate(pool: Out<Handle>, properties: Any) -> u32 {
    call("cuMemPoolCreate", |session| {
        let properties: Properties = properties.get()?;
        // Pinned memory of a device is the only kind here.
        if properties.allocation_type != 1 || properties.location_type != 1 {
            return Err(Code::NOT_SUPPORTED);
        }
        let device = session.device(properties.location)?;
        let made = Pool { max_size: properties.max_size as u64, ..Pool::new(device) };
        pool.set(session.pools.insert(made))
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuMemPoolDestroy(pool: Handle) -> u32 {
    call("cuMemPoolDestroy", |session| session.destroy_pool(pool))
}

#[unsafe(no_mangle)]
extern "C" fn cuMemPoolTrimTo(pool: Handle, keep: usize) -> u32 {
    call("cuMemPoolTrimTo", |session| {
        session.pools.get_mut(pool)?.trim(keep as u64);
        Ok(())
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuMemPoolGetAttribute(pool: Handle, attribute: u32, value: Any) -> u32 {
    call("cuMemPoolGetAttribute", |session| {
        let pool = session.pools.get(pool)?;
        match attribute {
            1..=3 => value.set(pool.reuse[attribute as usize - 1]),
            4 => value.set(pool.threshold),
            5 => value.set(pool.reserved),
            6 => value.set(pool.reserved_high),
            7 => value.set(pool.used),
            8 => value.set(pool.used_high),
            _ => Err(Code::INVALID_VALUE),
        }
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuMemPoolSetAttribute(pool: Handle, attribute: u32, value: Any) -> u32 {
    call("cuMemPoolSetAttribute", |session| {
        let pool = session.pools.get_mut(pool)?;
        match attribute {
            1..=3 => pool.reuse[attribute as usize - 1] = value.get()?,
            4 => pool.threshold = value.get()?,
            // The two high marks can be set to zero, which means to what is held now.
            6 if value.get::<u64>()? == 0 => pool.reserved_high = pool.reserved,
            8 if value.get::<u64>()? == 0 => pool.used_high = pool.used,
            _ => return Err(Code::INVALID_VALUE),
        }
        Ok(())
    })
}

/// A `CUmemAccessDesc`.
#[derive(Clone, Copy)]
#[repr(C)]
struct Access {
    location_type: u32,
    location: i32,
    flags: u32,
}

/// Lets kernels of other devices touch memory of a pool, which `cuCtxEnablePeerAccess` does not.
fn set_access(session: &mut Session, pool: Handle, access: &Access) -> Result {
    let owner = session.pools.get(pool)?.device;
    let device = session.device(access.location)?;
    if access.location_type != 1 || (device != owner && !session.can_access_peer(device, owner)) {
        return Err(Code::INVALID_DEVICE);
    }
    let accessible = &mut session.pools.get_mut(pool)?.accessible;
    match access.flags {
        0 if device == owner => return Err(Code::INVALID_DEVICE),
        0 => accessible.remove(&device),
        3 => accessible.insert(device),
        _ => return Err(Code::INVALID_VALUE),
    };
    if access.flags == 3 {
        session.memory.allow_peer(device, owner);
    }
    Ok(())
}

#[unsafe(no_mangle)]
extern "C" fn cuMemPoolSetAccess(pool: Handle, accesses: Any, count: usize) -> u32 {
    call("cuMemPoolSetAccess", |session| match count {
        0 => Ok(()),
        1 => set_access(session, pool, &accesses.get()?),
        _ => Err(Code::NOT_SUPPORTED),
    })
}
